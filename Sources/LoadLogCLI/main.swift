print("loadlog")

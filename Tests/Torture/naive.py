"""The control of the fleet's experiments: ships how many loads were recorded since the last time, as an increment.

    naive.py STORE POSITION PSQL URL
"""

import sqlite3
import subprocess
import sys

store, position, psql, url = sys.argv[1:]
with open(position, encoding="utf-8") as file:
    shipped = int(file.read() or 0)
database = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
last = database.execute("SELECT max(seq) FROM session").fetchone()[0] or 0
subprocess.run(
    [psql, "-X", "-q", "-d", url, "-c", f"UPDATE naive SET loads = loads + {last - shipped}"], check=True)
with open(position, "w", encoding="utf-8") as file:
    file.write(str(last))

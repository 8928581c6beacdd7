@_exported public import LoadLogText

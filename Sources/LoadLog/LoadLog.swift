@_exported public import LoadLogCore
@_exported public import LoadLogSQLite

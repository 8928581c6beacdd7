import GRDB
import LoadLogCore

extension DatabaseError {
  /// The error of a store with content that cannot be.
  static func damage(_ why: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: why)
  }
}

extension LoadLogError {
  /// Converts an error of a database access. The result contains neither SQL nor bound values.
  static func database(_ error: any Error, path: String) -> LoadLogError {
    if let error = error as? LoadLogError {
      guard error.code == .damaged, error.path == nil else { return error }
      return LoadLogError(.damaged, what: error.what, why: error.why, advice: error.advice, path: path)
    }
    if error is RowDecodingError {
      return LoadLogError(
        .damaged, what: "store", why: "it is damaged (a column holds a value of another type)",
        advice: "loadlog recover saves what is readable into a new store.", path: path,
        underlying: error)
    }
    guard let error = error as? DatabaseError else {
      return LoadLogError(.io, what: "store", why: "\(error)", path: path, underlying: error)
    }
    let reason = error.message ?? error.resultCode.description
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return LoadLogError(.busy, what: "store", why: "another program holds its lock", path: path)
    case .SQLITE_INTERRUPT:
      return LoadLogError(.busy, what: "store", why: "reading took longer than the deadline", path: path)
    case .SQLITE_FULL:
      return LoadLogError(
        .diskFull, what: "cannot write to store", why: "no space is left", advice: "Free some space.",
        path: path)
    // All statements are ours: if SQLite rejects one, the schema is not what its version claims.
    case .SQLITE_CORRUPT, .SQLITE_ERROR:
      return LoadLogError(
        .damaged, what: "store", why: "it is damaged (\(reason))",
        advice: "loadlog recover saves what is readable into a new store.", path: path)
    case .SQLITE_NOTADB:
      return LoadLogError(
        .notLoadLog, what: "cannot open", why: "it is not a SQLite database",
        advice: "Name another path.", path: path)
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
      return LoadLogError(.storeUnusable, what: "cannot use store", why: reason, path: path)
    default:
      return LoadLogError(
        .io, what: "store", why: "\(reason) (SQLite result \(error.extendedResultCode.rawValue))",
        path: path)
    }
  }
}

/// Runs work on a database that is no store, but in memory and, as it grows, in a temporary file, and converts its errors.
///
/// - Parameter path: what errors of its content name.
func mappedTemporary<Value>(
  path: String = "temporary file", _ work: () throws -> Value
) throws(LoadLogError) -> Value {
  try mapped(path: path) {
    do {
      return try work()
    } catch let error as DatabaseError
      where [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
    {
      let known = LoadLogError.database(error, path: path)
      throw LoadLogError(
        known.code, what: "cannot write a temporary file", why: known.why,
        advice: "Free some space, or name another folder in $SQLITE_TMPDIR.")
    }
  }
}

/// Runs database work and converts its errors to ``LoadLogError``.
func mapped<Value>(path: String, _ work: () throws -> Value) throws(LoadLogError) -> Value {
  do {
    return try work()
  } catch {
    throw LoadLogError.database(error, path: path)
  }
}

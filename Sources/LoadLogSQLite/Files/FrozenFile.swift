import GRDBSQLite
import LoadLogCore

/// Reads the database file alone and ignores its write-ahead log. Creates no file beside it and takes no
/// lock, so a read that races with a writer can look corrupt.
struct FrozenFile {
  private let connection: OpaquePointer?

  init(_ location: StoreLocation) throws {
    var connection: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(location.uri("mode=ro&immutable=1"), &connection, flags, nil)
    self.connection = connection
    guard code != SQLITE_OK else { return }
    defer { close() }
    throw RawStatement.error(of: connection, code)
  }

  func close() { sqlite3_close_v2(connection) }

  /// The rows of a query without arguments.
  func rows<Value>(_ sql: String, _ read: (RawStatement) throws -> Value) throws -> [Value] {
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v2(connection, sql, -1, &pointer, nil)
    defer { sqlite3_finalize(pointer) }
    guard code == SQLITE_OK, let pointer else { throw RawStatement.error(of: connection, code) }
    return try RawStatement(pointer).map(read)
  }
}

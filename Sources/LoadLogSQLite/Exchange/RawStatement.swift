import GRDB
import GRDBSQLite
import LoadLogCore

/// A statement that is bound and stepped by SQLite's own calls: an import runs millions of them, and GRDB's lists
/// of arguments take longer than SQLite itself does.
///
/// Valid inside one access to its database.
struct RawStatement {
  private let statement: Statement
  private let database: Database

  init(_ database: Database, _ sql: String) throws {
    self.database = database
    statement = try database.cachedStatement(sql: sql)
  }

  private var pointer: OpaquePointer { statement.sqliteStatement }

  /// Binds a number, or nothing.
  func bind(_ index: Int32, _ value: Int64?) {
    if let value { sqlite3_bind_int64(pointer, index, value) } else { sqlite3_bind_null(pointer, index) }
  }

  /// Binds an id as its 16 bytes.
  func bind(_ index: Int32, _ id: SessionID?) {
    guard let id else { return bind(index, nil as Int64?) }
    id.withBytes { bytes in
      _ = sqlite3_bind_blob64(pointer, index, bytes.baseAddress, sqlite3_uint64(bytes.count), Self.copied)
    }
  }

  /// Binds a text with its length, so that no NUL ends it.
  func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      _ = sqlite3_bind_text64(
        pointer, index, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
        sqlite3_uint64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
    }
  }

  /// Runs it to its end.
  ///
  /// - Returns: how many rows it changed.
  @discardableResult
  func run() throws -> Int {
    defer { sqlite3_reset(pointer) }
    guard sqlite3_step(pointer) == SQLITE_DONE else { throw error }
    return Int(sqlite3_changes(database.sqliteConnection))
  }

  /// Runs it to its first row, which is read at once.
  ///
  /// - Returns: what `read` made of the row; nil if there was none.
  func first<Value>(_ read: (RawStatement) throws -> Value) throws -> Value? {
    defer { sqlite3_reset(pointer) }
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return try read(self)
    case SQLITE_DONE: return nil
    default: throw error
    }
  }

  /// A number of the row it stands at; nil for NULL.
  func integer(_ column: Int32) throws -> Int64? {
    switch sqlite3_column_type(pointer, column) {
    case SQLITE_INTEGER: sqlite3_column_int64(pointer, column)
    case SQLITE_NULL: nil
    default: throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a column holds a value of another type")
    }
  }

  private var error: DatabaseError {
    let connection = database.sqliteConnection
    return DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
      message: String(cString: sqlite3_errmsg(connection)))
  }

  /// SQLITE_TRANSIENT: SQLite takes a copy.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

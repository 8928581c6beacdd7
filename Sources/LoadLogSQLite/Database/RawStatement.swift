import GRDB
import GRDBSQLite
import LoadLogCore

/// A statement that is bound, stepped and read by SQLite's own calls.
///
/// For statements that run with every event or for millions of rows: GRDB's argument lists and row values take longer
/// than SQLite itself. Valid inside one access to its database.
struct RawStatement {
  private let pointer: OpaquePointer
  /// Finalizes the statement when it goes away.
  private let owner: Statement?

  /// A statement from GRDB's cache, prepared if it is not there yet. The values are bound to its parameters, in their
  /// order.
  init<each Value: Bindable>(_ database: Database, _ sql: String, _ values: repeat each Value) throws {
    let statement = try database.cachedStatement(sql: sql)
    (owner, pointer) = (statement, statement.sqliteStatement)
    var parameter: Int32 = 0
    for value in repeat each values {
      parameter += 1
      bind(parameter, value)
    }
  }

  /// Runs statements that take no arguments and return nothing of interest. GRDB assembles such statements from parts
  /// first, which takes longer than running them.
  static func run(_ sql: String, in database: Database) throws {
    let code = sqlite3_exec(database.sqliteConnection, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(of: database.sqliteConnection, code) }
  }

  /// A statement that the caller finalizes.
  init(_ pointer: OpaquePointer) { (owner, self.pointer) = (nil, pointer) }

  /// Binds a value to a parameter; the first one has the number 1.
  func bind(_ parameter: Int32, _ value: some Bindable) { value.bind(to: parameter, of: pointer) }

  /// Runs the statement to its end.
  ///
  /// - Returns: the number of rows that it changed.
  @discardableResult
  func run() throws -> Int {
    defer { sqlite3_reset(pointer) }
    guard sqlite3_step(pointer) == SQLITE_DONE else { throw error }
    return Int(sqlite3_changes(sqlite3_db_handle(pointer)))
  }

  /// The row that a statement of this connection inserted last.
  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(sqlite3_db_handle(pointer)) }

  /// Runs the statement to its first row, and reads that.
  ///
  /// - Returns: the value that `read` returned; nil if there was no row.
  func first<Value>(_ read: (RawStatement) throws -> Value) throws -> Value? {
    defer { sqlite3_reset(pointer) }
    return try next() ? try read(self) : nil
  }

  /// Whether there is a row.
  func hasRow() throws -> Bool { try first { _ in true } ?? false }

  /// Steps to the next row; only inside of `first` and `forEach`.
  ///
  /// - Returns: false at the end.
  func next() throws -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw error
    }
  }

  /// Runs the statement and calls the body for each row.
  func forEach(_ body: (RawStatement) throws -> Void) throws {
    defer { sqlite3_reset(pointer) }
    while try next() { try body(self) }
  }

  /// Runs the statement, and returns what `read` returns for each row.
  func map<Value>(_ read: (RawStatement) throws -> Value) throws -> [Value] {
    var values: [Value] = []
    try forEach { values.append(try read($0)) }
    return values
  }

  /// A number of the current row; nil for NULL.
  func integer(_ column: Int32) throws -> Int64? {
    // Unprotected values are safe on a connection that one thread uses. This finds the column once for both
    // calls.
    let value = sqlite3_column_value(pointer, column)
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return sqlite3_value_int64(value)
    case SQLITE_NULL: return nil
    default: throw Self.damage
    }
  }

  /// A number of the current row.
  func number(_ column: Int32) throws -> Int64 {
    guard let number = try integer(column) else { throw Self.damage }
    return number
  }

  /// A text of the current row; nil for NULL.
  func text(_ column: Int32) throws -> String? {
    switch sqlite3_column_type(pointer, column) {
    case SQLITE_NULL: return nil
    case SQLITE_TEXT:
      guard let start = sqlite3_column_text(pointer, column) else { return nil }
      let count = Int(sqlite3_column_bytes(pointer, column))
      return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    default: throw Self.damage
    }
  }

  /// Bytes of the current row; nil for NULL.
  func bytes(_ column: Int32) throws -> [UInt8]? {
    switch sqlite3_column_type(pointer, column) {
    case SQLITE_NULL: return nil
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(pointer, column)
      return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
    default: throw Self.damage
    }
  }

  /// An id of the current row; nil for NULL.
  func id(_ column: Int32) throws -> SessionID? {
    guard sqlite3_column_type(pointer, column) != SQLITE_NULL else { return nil }
    let count = Int(sqlite3_column_bytes(pointer, column))
    guard let start = sqlite3_column_blob(pointer, column),
      let id = SessionID(loading: UnsafeRawBufferPointer(start: start, count: count))
    else { throw Self.damage }
    return id
  }

  private static var damage: DatabaseError {
    DatabaseError.damage("a column holds a value of another type")
  }

  private var error: DatabaseError {
    let connection = sqlite3_db_handle(pointer)
    return Self.error(of: connection, sqlite3_extended_errcode(connection))
  }

  /// The error of a connection's last call, which returned the code.
  static func error(of connection: OpaquePointer?, _ code: Int32) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code), message: connection.map { String(cString: sqlite3_errmsg($0)) })
  }
}

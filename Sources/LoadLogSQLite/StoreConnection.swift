import CLoadLogShims
import GRDB
import GRDBSQLite
import LoadLogCore
import SQLiteMigrations

/// Opens connections the way the rules for many processes want them.
enum StoreConnection {
  /// Seconds.
  private static let openingTimeout = 5.0
  /// STRICT tables need it.
  private static let oldestSQLite: Int32 = 3_037_000

  /// How a connection will be used.
  enum Use: Sendable {
    /// Commits; never creates the file.
    case write(Durability)
    /// Reads beside writers.
    case read
    /// Reads a file that nobody writes to and of which nothing is in a write-ahead log.
    case readFrozen
  }

  /// Opens the database at a place.
  static func open(_ location: StoreLocation, for use: Use) throws(LoadLogError) -> DatabaseQueue {
    try ForkedChild.refuse(location.path)
    try checkLibrary()
    return try mapped(path: location.path) {
      switch use {
      case .write:
        try DatabaseQueue(path: location.uri("mode=rw"), configuration: configuration(for: use))
      case .read:
        try DatabaseQueue(path: location.uri("mode=ro"), configuration: configuration(for: use))
      case .readFrozen:
        try DatabaseQueue(
          path: location.uri("mode=ro&immutable=1"), configuration: configuration(for: use))
      }
    }
  }

  /// Opens a database in memory.
  static func openInMemory() throws(LoadLogError) -> DatabaseQueue {
    try ForkedChild.refuse(":memory:")
    try checkLibrary()
    return try mapped(path: ":memory:") {
      try DatabaseQueue(configuration: configuration(for: .write(.process)))
    }
  }

  /// Puts a write connection into WAL mode and sets what its durability asks for. Call it under the gate.
  static func setUpWriting(_ database: Database, durability: Durability) throws {
    // The reply to the change comes before it is committed, and would hide that it failed: run to its end, then ask.
    try RawStatement.run("PRAGMA journal_mode = WAL", in: database)
    let mode = try RawStatement(database, "PRAGMA journal_mode").first { try $0.text(0) } ?? nil
    guard mode == "wal" else {
      throw LoadLogError(
        .storeUnusable, what: "store", why: "SQLite cannot keep a write-ahead log there (\(mode ?? "?"))")
    }
    let level: Int64 = durability == .power ? 2 : 1
    try RawStatement.run("PRAGMA synchronous = \(level)", in: database)
    guard try RawStatement(database, "PRAGMA synchronous").first({ try $0.number(0) }) == level else {
      throw LoadLogError(.io, what: "store", why: "SQLite refused synchronous = \(level)")
    }
    #if canImport(Darwin)
      try RawStatement.run("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1", in: database)
    #endif
    try RawStatement.run("PRAGMA wal_autocheckpoint = 0", in: database)
    try RawStatement.run("PRAGMA busy_timeout = 0", in: database)
  }

  private static func checkLibrary() throws(LoadLogError) {
    guard sqlite3_libversion_number() >= oldestSQLite else {
      throw LoadLogError(
        .storeUnusable, what: "SQLite", value: String(cString: sqlite3_libversion()),
        why: "version 3.37 or newer is needed", advice: "Update the system's SQLite.")
    }
  }

  private static func configuration(for use: Use) -> Configuration {
    var configuration = Configuration()
    configuration.label = "LoadLog"
    configuration.allowsUnsafeTransactions = true
    // Rows are made for the rows that they refer to, in one place each; looking all of them up again would take
    // longer than writing them. doctor looks.
    configuration.foreignKeysEnabled = false
    // Whoever opens first after a crash rebuilds the index of the log; others wait for that. Once it is set up a
    // writer waits by itself, under its callers' deadlines.
    configuration.busyMode = .timeout(openingTimeout)
    if case .write = use {} else { configuration.readonly = true }
    configuration.prepareDatabase { database in
      let connection = database.sqliteConnection
      // The last close of a foreign connection must not unlink a log that others still write to.
      _ = loadlog_sqlite_configure(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
      _ = loadlog_sqlite_configure(connection, SQLITE_DBCONFIG_DEFENSIVE, 1)
      _ = loadlog_sqlite_configure(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
      // A page whose cells overlap or leave it is damage, and is not read as if it were rows.
      try RawStatement.run("PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON", in: database)
    }
    return configuration
  }
}

/// What SQLite and the file say of themselves.
struct StoreFormat: Sendable, Hashable {
  let applicationID: Int32
  let version: Int

  /// The newest version that this program knows.
  static var newestVersion: Int { sqliteMigrations.last?.version ?? 0 }

  init(_ database: Database) throws {
    func number(_ sql: String) throws -> Int64 {
      try RawStatement(database, sql).first { try $0.number(0) } ?? 0
    }
    applicationID = Int32(truncatingIfNeeded: try number("PRAGMA application_id"))
    version = Int(try number("PRAGMA user_version"))
  }

  /// What the header of a file says, of which nothing is in a write-ahead log. Not even a log is made beside it, and
  /// no schema is read, which is most of what opening a store takes.
  init(headerOf location: StoreLocation) throws(LoadLogError) {
    (applicationID, version) = try mapped(path: location.path) {
      let file = try FrozenFile(location)
      defer { file.close() }
      func number(_ sql: String) throws -> Int64 { try file.first(sql) { try $0.number(0) } ?? 0 }
      let id = Int32(truncatingIfNeeded: try number("PRAGMA application_id"))
      // What seems to be another's may be a store that was cut short; then it has no schema that can be read.
      if id != sqliteApplicationID { _ = try number("SELECT count(*) FROM sqlite_schema") }
      return (id, Int(try number("PRAGMA user_version")))
    }
  }

  /// Refuses a database that is not ours, or that a newer program has written.
  func check(path: String) throws(LoadLogError) {
    guard applicationID == sqliteApplicationID, version > 0 else {
      let id = String(UInt32(bitPattern: applicationID), radix: 16)
      let ours = String(UInt32(bitPattern: sqliteApplicationID), radix: 16)
      throw LoadLogError(
        .notLoadLog, what: "cannot open",
        why: "it belongs to another application (application_id 0x\(id), LoadLog's is 0x\(ours))",
        advice: "Name another path.", path: path)
    }
    guard version <= Self.newestVersion else {
      throw LoadLogError(
        .newerStore, what: "cannot open",
        why: "its schema has version \(version), this program knows up to \(Self.newestVersion)",
        advice: "Update LoadLog.", path: path)
    }
  }
}

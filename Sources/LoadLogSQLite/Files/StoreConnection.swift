import CLoadLogShims
import GRDB
import GRDBSQLite
import LoadLogCore

/// Opens connections with the settings that sharing a store between processes requires.
enum StoreConnection {
  /// How long a connection waits for others that hold the file.
  private static let longestWait = Duration.seconds(5)
  /// STRICT tables need it.
  private static let oldestSQLite: Int32 = 3_037_000

  /// How a connection will be used.
  enum Use: Sendable {
    /// Commits; never creates the file.
    case write(Durability)
    /// Reads beside writers.
    case read
    /// Reads a file that no process writes to and that has no write-ahead log.
    case readFrozen
  }

  /// Opens the database at a place.
  static func open(_ location: StoreLocation, for use: Use) throws(LoadLogError) -> DatabaseQueue {
    try ForkedChild.refuse(location.path)
    try SpareFiles.require()
    try DaemonThread.require()
    try checkLibrary()
    let mode =
      switch use {
      case .write: "mode=rw"
      case .read: "mode=ro"
      case .readFrozen: "mode=ro&immutable=1"
      }
    return try mapped(path: location.path) {
      try DatabaseQueue(path: location.uri(mode), configuration: configuration(for: use))
    }
  }

  static func openInMemory() throws(LoadLogError) -> DatabaseQueue { try openUnshared(":memory:") }

  /// Opens a database in memory that goes on in a temporary file when it grows; SQLite deletes the file. Nothing reads it
  /// after a failure, so it does not wait for the disk.
  static func openTemporary() throws(LoadLogError) -> DatabaseQueue {
    let queue = try openUnshared("")
    try mappedTemporary {
      try queue.writeWithoutTransaction { database in
        // A DEFENSIVE connection cannot do without a journal.
        try RawStatement.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY", in: database)
      }
    }
    return queue
  }

  private static func openUnshared(_ path: String) throws(LoadLogError) -> DatabaseQueue {
    try ForkedChild.refuse(path)
    try DaemonThread.require()
    try checkLibrary()
    return try mapped(path: path) {
      try DatabaseQueue(path: path, configuration: configuration(for: .write(.process)))
    }
  }

  /// Puts a write connection into WAL mode and sets its durability. Call it under the gate.
  static func setUpWriting(_ database: Database, durability: Durability) throws {
    // SQLite reports the new mode before the change is committed, which would hide a failure: run it, then ask again.
    try RawStatement.run("PRAGMA journal_mode = WAL", in: database)
    let mode = try RawStatement(database, "PRAGMA journal_mode").first { try $0.text(0) } ?? nil
    guard mode == "wal" else {
      throw LoadLogError(
        .storeUnusable, what: "store", why: "SQLite cannot keep a write-ahead log there (\(mode ?? "?"))")
    }
    try setDurability(database, durability)
    #if canImport(Darwin)
      try RawStatement.run("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1", in: database)
    #endif
    try RawStatement.run("PRAGMA wal_autocheckpoint = 0", in: database)
    try RawStatement.run("PRAGMA busy_timeout = 0", in: database)
  }

  /// Sets what commits survive. SQLite ignores it in a transaction, which is an error here.
  static func setDurability(_ database: Database, _ durability: Durability) throws {
    let level: Int64 = durability == .power ? 2 : 1
    try RawStatement.run("PRAGMA synchronous = \(level)", in: database)
    guard try RawStatement(database, "PRAGMA synchronous").first({ try $0.number(0) }) == level else {
      throw LoadLogError(.io, what: "store", why: "SQLite refused synchronous = \(level)")
    }
  }

  /// Lets a connection that reads wait for others, within the time that is left of its question.
  static func limitWaiting(_ database: Database, to left: Duration) {
    sqlite3_busy_timeout(
      database.sqliteConnection, Int32(max(.zero, min(longestWait, left)) / .milliseconds(1)))
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
    // Each referring row is written in one place, right after the row that it refers to. Checking them again would
    // take longer than writing them; doctor checks them.
    configuration.foreignKeysEnabled = false
    // The first connection after a crash rebuilds the index of the log, and others wait for it. Later a writer waits
    // by itself, within its callers' deadlines.
    let wait = min(longestWait, QuestionDeadline.left ?? longestWait)
    configuration.busyMode = .timeout(max(.zero, wait) / .seconds(1))
    if case .write = use {} else { configuration.readonly = true }
    configuration.prepareDatabase { database in
      let connection = database.sqliteConnection
      // The last close of a foreign connection must not unlink a log that others still write to.
      _ = loadlog_sqlite_configure(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
      _ = loadlog_sqlite_configure(connection, SQLITE_DBCONFIG_DEFENSIVE, 1)
      _ = loadlog_sqlite_configure(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
      // Report a page whose cells overlap or leave it as damage, instead of reading it as rows.
      try RawStatement.run("PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON", in: database)
    }
    return configuration
  }
}

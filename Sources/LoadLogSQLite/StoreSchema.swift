import GRDB
import LoadLogCore
import SQLiteMigrations

/// Makes stores and brings old ones up to date. All of it runs under the gate.
enum StoreSchema {
  /// Makes a new store under another name and then gives it its own, so that nobody ever sees half a one.
  static func create(at location: StoreLocation, now: Int64) throws(LoadLogError) {
    let draft = try DraftFile(for: location.path, mode: location.fileMode, what: "cannot create store")
    defer { draft.discard() }
    let place = try StoreLocation(draft.path, creatingFolder: false)
    let queue = try StoreConnection.open(place, for: .write(.power))
    try mapped(path: location.path) {
      try queue.writeWithoutTransaction { database in try migrate(database, now: now) }
      try queue.close()
    }
    try draft.publish()
  }

  /// Applies the steps that a database lacks, in one transaction.
  static func migrate(_ database: Database, now: Int64) throws {
    let version = try StoreFormat(database).version
    guard version < StoreFormat.newestVersion else { return }
    do {
      try migrate(database, from: version, now: now)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      // A step fits whatever a store of its version can hold.
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: error.message)
    }
  }

  private static func migrate(_ database: Database, from version: Int, now: Int64) throws {
    try database.inTransaction(.immediate) {
      for step in sqliteMigrations where step.version > version {
        try database.execute(sql: step.sql)
        try database.execute(
          sql: "INSERT INTO migration (version, name, applied_at) VALUES (?, ?, ?)",
          arguments: [step.version, step.name, now])
      }
      try database.execute(sql: "PRAGMA application_id = \(sqliteApplicationID)")
      try database.execute(sql: "PRAGMA user_version = \(StoreFormat.newestVersion)")
      if version < firstCounted { try countIfNobodyHas(database) }
      return .commit
    }
  }

  /// The first version whose stores are always counted.
  private static let firstCounted = 4

  /// A store from before the summaries has none yet.
  private static func countIfNobodyHas(_ database: Database) throws {
    let isCounted = try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM summary)") ?? true
    if !isCounted { try SummaryRecount(database).rebuild() }
  }
}

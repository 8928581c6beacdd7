import GRDB
import LoadLogCore
import SQLiteMigrations

/// Creates stores and migrates older ones. All of it runs under the gate.
enum StoreSchema {
  /// Creates a store under a temporary name and then renames it, so that no process ever sees a half-made one.
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
    try database.inTransaction(.immediate) {
      for step in sqliteMigrations where step.version > version {
        try database.execute(sql: step.sql)
        try database.execute(
          sql: "INSERT INTO migration (version, name, applied_at) VALUES (?, ?, ?)",
          arguments: [step.version, step.name, now])
      }
      try database.execute(sql: "PRAGMA application_id = \(sqliteApplicationID)")
      try database.execute(sql: "PRAGMA user_version = \(StoreFormat.newestVersion)")
      return .commit
    }
  }
}

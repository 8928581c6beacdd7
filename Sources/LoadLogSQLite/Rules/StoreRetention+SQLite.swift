import GRDB
import LoadLogCore

extension StoreRetention {
  /// Reads the setting; nil if the store has none.
  static func fetch(in database: Database) throws -> StoreRetention? {
    let statement = try RawStatement(database, "SELECT value FROM setting WHERE name = 'retention'")
    return try statement.first { try $0.integer(0).map { .microseconds($0) } ?? .all }
  }

  func write(to database: Database) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO setting (name, value) VALUES ('retention', ?)", arguments: [age])
  }
}

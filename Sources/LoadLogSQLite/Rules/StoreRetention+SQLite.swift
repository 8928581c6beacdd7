import GRDB
import LoadLogCore

extension StoreRetention {
  /// Reads the setting; nil if the store has none. An age that is not positive was not written by LoadLog: it counts as
  /// none, because it would delete every load.
  static func fetch(in database: Database) throws -> StoreRetention? {
    let statement = try RawStatement(database, "SELECT value FROM setting WHERE name = 'retention'")
    return try statement.first { row in
      guard let age = try row.integer(0) else { return .all }
      return age > 0 ? .microseconds(age) : nil
    }.flatMap(\.self)
  }

  func write(to database: Database) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO setting (name, value) VALUES ('retention', ?)", arguments: [age])
  }
}

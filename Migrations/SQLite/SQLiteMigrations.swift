/// One numbered step of the store's schema.
package struct SQLiteMigration: Sendable {
  /// The step's number, counted from 1. A store's `user_version` is the number of the last step applied to it.
  package let version: Int
  /// The name of the step's file, without its extension.
  package let name: String
  /// The SQL that the step runs.
  package let sql: String
}

/// The steps of the schema, in order.
///
/// Never edit a step that was released: existing stores have run it. Add a file, and a line here.
package let sqliteMigrations: [SQLiteMigration] = [
  SQLiteMigration(
    version: 1, name: "0001_initial",
    sql: String(decoding: PackageResources._001_initial_sql, as: UTF8.self))
]

/// The `PRAGMA application_id` of a LoadLog store: "LLog" in ASCII.
package let sqliteApplicationID: Int32 = 0x4C4C_6F67

/// The `PRAGMA application_id` of stores that were written before the first release: "LdLg" in ASCII.
package let unreleasedApplicationID: Int32 = 0x4C64_4C67

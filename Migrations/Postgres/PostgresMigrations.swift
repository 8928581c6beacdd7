/// One numbered step of the schema of a fleet's database.
package struct PostgresMigration: Sendable {
  /// The step's number, counted from 1.
  package let version: Int
  /// The name of the step's file, without its extension.
  package let name: String
  /// The SQL that the step runs.
  package let sql: String
}

/// The steps of the schema, in order.
///
/// Never edit a step that was released: existing databases have run it. Add a file, and a line here.
package let postgresMigrations: [PostgresMigration] = [
  PostgresMigration(
    version: 1, name: "0001_initial",
    sql: String(decoding: PackageResources._001_initial_sql, as: UTF8.self))
]

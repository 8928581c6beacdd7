/// One numbered step of the store's schema.
public struct SQLiteMigration: Sendable {
  /// Its number, counted from 1; the store's `user_version` once it is applied.
  public let version: Int
  /// The name of its file, without the ending.
  public let name: String
  /// What it runs.
  public let sql: String
}

/// The schema's steps in order.
///
/// A step that has landed is never edited: stores out there have run it. Add a file and a line here.
public let sqliteMigrations: [SQLiteMigration] = [
  SQLiteMigration(
    version: 1, name: "0001_initial",
    sql: String(decoding: PackageResources._001_initial_sql, as: UTF8.self)),
  SQLiteMigration(
    version: 2, name: "0002_visibility",
    sql: String(decoding: PackageResources._002_visibility_sql, as: UTF8.self)),
  SQLiteMigration(
    version: 3, name: "0003_summaries",
    sql: String(decoding: PackageResources._003_summaries_sql, as: UTF8.self)),
  SQLiteMigration(
    version: 4, name: "0004_counted",
    sql: String(decoding: PackageResources._004_counted_sql, as: UTF8.self)),
  SQLiteMigration(
    version: 5, name: "0005_commits",
    sql: String(decoding: PackageResources._005_commits_sql, as: UTF8.self)),
  SQLiteMigration(
    version: 6, name: "0006_new_sessions",
    sql: String(decoding: PackageResources._006_new_sessions_sql, as: UTF8.self)),
]

/// What `PRAGMA application_id` says of a LoadLog store: "LdLg" in ASCII.
public let sqliteApplicationID: Int32 = 0x4C64_4C67

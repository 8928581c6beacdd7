import GRDB
import LoadLogCore
import SQLiteMigrations

/// What a database file claims to be.
struct StoreFormat: Sendable, Hashable {
  let applicationID: Int32
  let version: Int

  /// The newest version that this program knows.
  static var newestVersion: Int { sqliteMigrations.last?.version ?? 0 }
}

extension StoreFormat {
  init(_ database: Database) throws {
    func number(_ sql: String) throws -> Int64 {
      try RawStatement(database, sql).first { try $0.number(0) } ?? 0
    }
    applicationID = Int32(truncatingIfNeeded: try number("PRAGMA application_id"))
    version = Int(try number("PRAGMA user_version"))
  }

  /// Reads the header of a file without a write-ahead log. This creates no log beside it and reads no schema, which is
  /// most of what opening a store takes.
  init(headerOf location: StoreLocation) throws(LoadLogError) {
    (applicationID, version) = try mapped(path: location.path) {
      let file = try FrozenFile(location)
      defer { file.close() }
      func number(_ sql: String) throws -> Int64 { try file.rows(sql) { try $0.number(0) }.first ?? 0 }
      let id = Int32(truncatingIfNeeded: try number("PRAGMA application_id"))
      // A foreign id may be that of a truncated store, whose schema cannot be read.
      if id != sqliteApplicationID { _ = try number("SELECT count(*) FROM sqlite_schema") }
      return (id, Int(try number("PRAGMA user_version")))
    }
  }

  /// The last commit whose program reads stores from before the first release.
  private static let lastUnreleased = "40b2f0b"

  /// Refuses a database that is no LoadLog store, or that another version wrote and this one cannot read.
  func check(path: String) throws(LoadLogError) {
    guard applicationID != unreleasedApplicationID else {
      throw LoadLogError(
        .notLoadLog, what: "cannot open",
        why: "it was written before the first release, with a schema that is no longer read",
        advice:
          "Build commit \(Self.lastUnreleased), run its loadlog export, and loadlog import the file here.",
        path: path)
    }
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

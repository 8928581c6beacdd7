import Foundation
import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import SQLiteMigrations
import Testing

/// A released migration must not change, because existing stores have already run it.
@Suite struct MigrationTests {
  /// The FNV-1a digests of the released migrations. Add a line for each new one.
  static let landed: [(name: String, digest: UInt64)] = [
    ("0001_initial", 0x646F_497F_281D_1E2C)
  ]

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Migrations/SQLite/sql")

  private func digest(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  @Test func noReleasedMigrationWasChanged() {
    for step in Self.landed {
      let found = sqliteMigrations.first { $0.name == step.name }
      #expect(found.map { digest($0.sql) } == step.digest, "\(step.name) was changed or is gone")
    }
    #expect(sqliteMigrations.count == Self.landed.count, "add the digest of the new migration")
  }

  @Test func everyFileIsRegisteredAndEmbeddedUnchanged() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
      .filter { $0.hasSuffix(".sql") }.sorted()
    #expect(files == sqliteMigrations.map { $0.name + ".sql" })
    for step in sqliteMigrations {
      let text = try String(contentsOf: Self.folder.appending(path: step.name + ".sql"), encoding: .utf8)
      #expect(step.sql == text, "\(step.name) is registered with another file's text")
    }
  }

  @Test func migrationsAreNumberedWithoutGaps() {
    #expect(sqliteMigrations.map(\.version) == Array(1...sqliteMigrations.count))
    for step in sqliteMigrations {
      let number = String(step.version)
      #expect(step.name.hasPrefix(String(repeating: "0", count: 4 - number.count) + number + "_"))
    }
  }

  @Test func aNewStoreIdentifiesItselfAndItsMigrations() throws {
    let bench = try StoreBench()
    try bench.makeStore()
    let version = sqliteMigrations.count
    #expect(try bench.sqlite3("PRAGMA application_id") == "\(sqliteApplicationID)")
    #expect(try bench.sqlite3("PRAGMA user_version") == "\(version)")
    #expect(try bench.sqlite3("PRAGMA journal_mode") == "wal")
    let rows = try bench.sqlite3("SELECT version, name, applied_at FROM migration ORDER BY version")
    let now = bench.clock.now().wall
    #expect(rows == sqliteMigrations.map { "\($0.version)|\($0.name)|\(now)" }.joined(separator: "\n"))
    #expect(try bench.sqlite3("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }

  @Test func aStoreFromBeforeTheFirstReleaseIsRefusedAndUnchanged() throws {
    let bench = try StoreBench()
    try bench.sqlite3(
      "PRAGMA application_id = \(unreleasedApplicationID); PRAGMA user_version = 6; CREATE TABLE t (c)")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: bench.path)
    let before = try bench.snapshot()
    let writing = #expect(throws: LoadLogError.self) { try bench.open() }
    let reading = #expect(throws: LoadLogError.self) { try bench.reader() }
    for error in [writing, reading] {
      #expect(error?.code == .notLoadLog && error?.why.contains("before the first release") == true)
      #expect(error?.advice?.contains("commit 40b2f0b") == true && error?.advice?.contains("export") == true)
    }
    #expect(
      try bench.snapshot()[bench.place.url.lastPathComponent] == before[bench.place.url.lastPathComponent])
  }

  @Test func theSchemaUsesTheLibrarysWordsForStates() throws {
    let bench = try StoreBench()
    try bench.makeStore()
    let states = try bench.sqlite3("SELECT code, name FROM state ORDER BY code")
    #expect(states == SessionState.allCases.map { "\($0.code)|\($0.rawValue)" }.joined(separator: "\n"))
    let kinds = try bench.sqlite3("SELECT code, name FROM unmatched_kind ORDER BY code")
    #expect(kinds == UnmatchedKind.allCases.map { "\($0.code)|\($0.rawValue)" }.joined(separator: "\n"))
  }
}

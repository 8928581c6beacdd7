import Foundation
import PostgresMigrations
import Testing

/// A released migration must not change, because existing databases have already run it.
@Suite struct PostgresMigrationTests {
  /// The FNV-1a digests of the released migrations. Add a line for each new one.
  static let landed: [(name: String, digest: UInt64)] = [
    ("0001_initial", 0xE004_CBE3_D2D7_6714)
  ]

  private static let project = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func digest(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  @Test func noReleasedMigrationWasChanged() {
    for step in Self.landed {
      let found = postgresMigrations.first { $0.name == step.name }
      #expect(found.map { digest($0.sql) } == step.digest, "\(step.name) was changed or is gone")
    }
    #expect(postgresMigrations.count == Self.landed.count, "add the digest of the new migration")
  }

  @Test func everyFileIsRegisteredAndEmbeddedUnchanged() throws {
    let folder = Self.project.appending(path: "Migrations/Postgres/sql")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".sql")
    }
    #expect(files.sorted() == postgresMigrations.map { $0.name + ".sql" })
    for step in postgresMigrations {
      let text = try String(contentsOf: folder.appending(path: step.name + ".sql"), encoding: .utf8)
      #expect(step.sql == text, "\(step.name) is registered with another file's text")
    }
  }

  @Test func migrationsAreNumberedWithoutGaps() {
    #expect(postgresMigrations.map(\.version) == Array(1...postgresMigrations.count))
  }

  /// What one of Citus, YugabyteDB and CockroachDB lacks, or does otherwise.
  private static let missing =
    [
      "SEQUENCE", "SERIAL", "IDENTITY", "REFERENCES", "FOREIGN KEY", "TRIGGER", "ADVISORY", "LISTEN",
      "NOTIFY", "TEMP(ORARY)?", "PARTITION", "INHERITS", "EXTENSION", "MERGE", "PLPGSQL", "FUNCTION",
      "PROCEDURE", "JSONB?",
    ].map { "\\b\($0)\\b" } + [
      "CREATE (UNIQUE )?INDEX [^;]*\\bWHERE\\b",
      // CockroachDB wants a column there.
      "SELECT\\s+FROM",
      // It calculates with BIGINT or with DOUBLE PRECISION, but not with both.
      "/ CAST\\(1e", "(DOUBLE PRECISION\\)|1e\\d)\\)?\\s+[-+*/] [a-z]",
      // The quotient of two BIGINT is a decimal there. In views 1e6 makes it one everywhere.
      "_at / (?!1e)",
    ]

  @Test func onlyWhatRelatedDatabasesServeIsUsed() throws {
    var statements = try FileManager.default
      .subpathsOfDirectory(atPath: Self.project.appending(path: "Sources/LoadLogFleet").path)
      .filter { $0.hasSuffix(".swift") }
      .map {
        try String(contentsOf: Self.project.appending(path: "Sources/LoadLogFleet/\($0)"), encoding: .utf8)
      }
      .flatMap { Self.literals(in: $0) }
    #expect(statements.contains { $0.contains("INSERT INTO") }, "no statements were found")
    statements += postgresMigrations.map { Self.withoutComments($0.sql) }
    for text in Self.missing {
      let pattern = try Regex(text)
      for statement in statements { #expect(!statement.contains(pattern), "\(text) in: \(statement)") }
    }
  }

  @Test func everyPrimaryKeyBeginsWithTheHost() throws {
    let tables = postgresMigrations[0].sql.split(separator: "CREATE TABLE ").dropFirst()
    for table in tables where !table.hasPrefix("host ") {
      #expect(table.contains("PRIMARY KEY (host, "), "\(table.prefix(40))")
    }
    #expect(tables.count == 11)
  }

  /// The string literals of Swift code, which is enough to find SQL in it.
  private static func literals(in code: String) -> [String] {
    let pattern = /"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"/.dotMatchesNewlines()
    return withoutComments(code, mark: "//").matches(of: pattern).map {
      String($0.output.1 ?? $0.output.2 ?? "")
    }
  }

  private static func withoutComments(_ text: String, mark: String = "--") -> String {
    text.split(separator: "\n").map { line in
      line.firstRange(of: mark).map { line[..<$0.lowerBound] } ?? line
    }.joined(separator: "\n")
  }
}

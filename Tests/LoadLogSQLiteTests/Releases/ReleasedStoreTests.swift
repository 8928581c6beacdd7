import Foundation
import LoadLogCore
import LoadLogReports
import LoadLogSQLite
import LoadLogTestSupport
import SQLiteMigrations
import Testing

/// A store that a release wrote can be read, recorded into and trusted by every later version.
///
/// `./dev fixture` writes the store of the present version and what is read from it. Once the version is released, its
/// files must not change again.
@Suite struct ReleasedStoreTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "Snapshots")
  private static let versions =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
    .filter { $0.hasSuffix(".db") }.map { String($0.dropLast(3)) }.sorted() ?? []
  private static let views = ["feed_status", "session_history", "unbalanced", "expectation", "flip"]
  /// When the stores are read: a month after they were begun.
  private static let clock = ManualClock(wall: 1_797_842_467_000_000)
  private static let advice: Comment = """
    A released store is read differently. If its version is not released yet, and the change is intended, run \
    ./dev fixture and check what it has changed.
    """

  private let place: TemporaryStore
  /// Another machine, which cannot see whether the owners live.
  private let processes = ManualProcessTable(machineID: "another")

  init() throws { place = try TemporaryStore() }

  private func copy(_ version: String) throws {
    try FileManager.default.copyItem(at: Self.folder.appending(path: "\(version).db"), to: place.url)
  }

  private func reader() throws -> SQLiteLoadReader {
    try SQLiteLoadReader(at: place.path, processes: processes, clock: Self.clock)
  }

  /// Runs first in `./dev fixture`, which sets the version.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["LOADLOG_RECORD_RELEASE"] != nil))
  func recordThePresentVersion() throws {
    let version = try #require(ProcessInfo.processInfo.environment["LOADLOG_RECORD_RELEASE"])
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    try ReleaseStore.recorded().write(to: Self.folder.appending(path: "\(version).db"))
  }

  @Test func thereIsAStoreOfTheFirstRelease() { #expect(Self.versions.first == "0.1.0") }

  @Test(arguments: versions) func itsNumbersStay(version: String) throws {
    try copy(version)
    let head = JSONHead(generated: Self.clock.now().wall, store: "loadlog.db")
    let status = try reader().status(LoadFilter(), runningLimit: nil)
    let history = try reader().history(LoadFilter())
    let texts = [
      "status.json": StatusReport(status, store: "loadlog.db").json().text() + "\n",
      "history.json": HistoryReport(history, head: head).json().text() + "\n",
      "export.ndjson": try exported(), "views.json": try views(),
    ]
    for (name, text) in texts {
      #expect(Snapshot("\(version)-\(name)").difference(from: text) == nil, Self.advice)
    }
  }

  /// The store has rows in each table.
  @Test(arguments: versions) func itIsRecoveredWhole(version: String) throws {
    try copy(version)
    let saved = try TemporaryStore()
    let result = try StoreRecovery.run(from: place.path, into: saved.path, clock: Self.clock)
    #expect(result.isComplete, "\(result)")
  }

  /// All rows of the views, as any SQLite reads them.
  private func views() throws -> String {
    let bench = try StoreBench()
    return try Self.views.map { view in
      try "\(view)\n" + bench.sqlite3("SELECT * FROM \(view)", at: place.path, json: true) + "\n"
    }.joined()
  }

  private func exported() throws -> String {
    let export = try StoreExport(at: place.path, withOutput: true, processes: processes, clock: Self.clock)
    var bytes: [UInt8] = []
    while let page = try export.nextLines() {
      for line in page { line.append(to: &bytes) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: versions) func itIsRecordedInto(version: String) throws {
    try copy(version)
    let before = try reader().status(LoadFilter(), runningLimit: nil).totals
    let owner = Owner(kind: .library, process: processes.current, host: "box", app: "app")
    let store = try SQLiteLoadStore(
      at: place.path, owner: StoreOwner(owner, opened: Self.clock.now()), processes: processes,
      clock: Self.clock)
    let id = SessionID()
    let kinds: [LoadEvent.Kind] = [
      .start(id, "reviews", message: nil, tag: nil), .finish(id, .succeeded),
      .acknowledge(nil, by: "ada", note: nil),
    ]
    let events = zip(1..., kinds).map {
      NumberedEvent(number: $0, event: LoadEvent($1, at: Self.clock.now()))
    }
    try #require(try store.begin(waiting: true))
    _ = try store.commit(events, dropped: 0)
    store.close(finally: true)

    let after = try reader().status(LoadFilter(), runningLimit: nil).totals
    #expect(
      after.loads == before.loads + 1
        && after.succeeded == before.succeeded + 1)
    let diagnosis = try StoreDoctor.examine(at: place.path, processes: processes, clock: Self.clock)
    #expect(diagnosis.findings.filter { $0.severity == .problem }.map(\.text) == [])
    let bench = try StoreBench()
    let version = try bench.sqlite3("PRAGMA user_version", at: place.path)
    #expect(version == "\(sqliteMigrations.count)", "opening it for writing brings its schema up to date")
  }

  @Test(arguments: versions) func itIsSoundAsItWasWritten(version: String) throws {
    try copy(version)
    let bench = try StoreBench()
    #expect(
      try bench.sqlite3("PRAGMA integrity_check; PRAGMA foreign_key_check", at: place.path) == "ok")
  }

  /// If a table, a state or an index is added before the release, its store must be written again.
  @Test func theNewestStoreUsesTheWholeSchema() throws {
    try copy(try #require(Self.versions.last))
    let bench = try StoreBench()
    try bench.makeStore()
    let schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
    #expect(try bench.sqlite3(schema, at: place.path) == bench.sqlite3(schema), Self.advice)
    let tables = try bench.sqlite3("SELECT name FROM sqlite_schema WHERE type = 'table'").split(
      separator: "\n")
    for table in tables where !table.hasPrefix("sqlite_") {
      #expect(
        try bench.sqlite3("SELECT count(*) > 0 FROM \(table)", at: place.path) == "1", "\(table) is empty")
    }
    let unused = """
      SELECT name FROM state WHERE code NOT IN (SELECT state FROM session)
      UNION ALL SELECT name FROM unmatched_kind WHERE code NOT IN (SELECT kind FROM unmatched)
      UNION ALL SELECT 'sealed' WHERE NOT EXISTS (SELECT 1 FROM summary WHERE is_sealed)
      """
    #expect(try bench.sqlite3(unused, at: place.path) == "")
  }
}

import Foundation
import GRDB
import LoadLogCore
import LoadLogSQLite
import LoadLogTestSupport
import TestProcesses
import Testing

/// A folder for a store file, with simulated processes and locks and a manual clock.
struct StoreBench {
  let place: TemporaryStore
  let clock = ManualClock()
  let processes = ManualProcessTable()

  init() throws { place = try TemporaryStore() }

  var path: String { place.path }

  /// Opens the store for an owner.
  func open(
    at path: String? = nil, in processes: ManualProcessTable? = nil, durability: Durability = .power,
    as kind: Owner.Kind = .library
  ) throws(LoadLogError) -> SQLiteLoadStore {
    let processes = processes ?? self.processes
    let owner = Owner(kind: kind, process: processes.current, host: "box", app: "app")
    return try SQLiteLoadStore(
      at: path ?? place.path, owner: StoreOwner(owner, opened: clock.now()), durability: durability,
      processes: processes, clock: clock)
  }

  /// Opens the store for reading.
  func reader(at path: String? = nil) throws(LoadLogError) -> SQLiteLoadReader {
    try SQLiteLoadReader(at: path ?? place.path, processes: processes, clock: clock)
  }

  /// Commits events with consecutive numbers.
  ///
  /// - Parameter isRetried: for loads of commands, whether another attempt is to follow.
  @discardableResult
  func commit(
    _ kinds: LoadEvent.Kind..., to store: SQLiteLoadStore, from number: Int64 = 1, isRetried: Bool? = nil
  ) throws -> [Receipt] {
    let events = zip(number..., kinds).map { number, kind in
      var event = LoadEvent(kind, at: clock.now())
      event.run = isRetried.map { RunDetails(facts: RunFacts(isRetried: $0)) }
      return NumberedEvent(number: number, event: event)
    }
    try #require(try store.begin(waiting: true))
    return try store.commit(events, dropped: 0)
  }

  /// Applies the pending changes of the journal to the counters, as every import does.
  func applyJournal() throws {
    let target = try StoreImport(into: place.url, source: "test", processes: processes, clock: clock)
    let line = RecordLine.feed(FeedLine(feed: "applied"))
    var items = [ImportedItem.line(PositionedLine(line: line, identity: nil, position: .start))]
    _ = try target.finish(&items)
  }

  /// Creates a store with one push and closes it cleanly, with all rows in the database file and none in the
  /// log.
  func makeStore() throws {
    let store = try open()
    try commit(.push("network"), .close, to: store)
    store.close(finally: true)
    try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Reads all files of the folder. No store may be open, because closing a file would release its locks.
  func snapshot(of folder: URL? = nil) throws -> [String: Data] {
    let folder = folder ?? place.folder
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let pairs = names.map { name in
      (name, (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data("not a file".utf8))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// Runs SQL in the sqlite3 shell, in another process, and returns its output.
  @discardableResult
  func sqlite3(_ sql: String, at path: String? = nil, json: Bool = false) throws -> String {
    let shell = try Child(["/usr/bin/env", "sqlite3", json ? "-json" : "-list", path ?? self.path, sql])
    let answer = try shell.rest()
    #expect(shell.waitForEnd() == 0)
    return answer.trimmingCharacters(in: .newlines)
  }

  func mode(of name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: place.folder.path + "/" + name)
    return try #require(attributes[.posixPermissions] as? Int)
  }
}

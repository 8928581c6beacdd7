import Foundation
import GRDB
import LoadLogCore
import LoadLogFleet
import LoadLogSQLite
import LoadLogTestSupport
import Testing

/// A store on a simulated machine, and what it ships.
final class FleetBench {
  let place: TemporaryStore
  let clock: ManualClock
  let processes: ManualProcessTable
  private var store: SQLiteLoadStore?
  private var lastEvent: Int64 = 0

  init(machineID: String = "machine", clock: ManualClock = ManualClock()) throws {
    place = try TemporaryStore()
    self.clock = clock
    processes = ManualProcessTable(machineID: machineID)
  }

  /// Commits events of this bench's owner.
  func commit(_ kinds: LoadEvent.Kind...) throws {
    try commit(kinds)
  }

  /// Commits an event of a command that is retried, or not.
  func commit(_ kind: LoadEvent.Kind, isRetried: Bool) throws {
    var event = LoadEvent(kind, at: clock.now())
    event.run = RunDetails(facts: RunFacts(isRetried: isRetried))
    try commit([event])
  }

  private func commit(_ kinds: [LoadEvent.Kind]) throws {
    try commit(kinds.map { LoadEvent($0, at: clock.now()) })
  }

  private func commit(_ events: [LoadEvent]) throws {
    let store = try self.store ?? open()
    let numbered = zip((lastEvent + 1)..., events).map { NumberedEvent(number: $0, event: $1) }
    lastEvent += Int64(events.count)
    try #require(try store.begin(waiting: true))
    _ = try store.commit(numbered, dropped: 0)
  }

  /// Starts a load and gives it a verdict a second later.
  @discardableResult
  func load(_ feed: Feed, _ verdict: Verdict = .succeeded) throws -> SessionID {
    let id = SessionID(milliseconds: clock.now().wall / 1000)
    try commit(.start(id, feed, message: "secret of \(feed.name)", tag: "tag"))
    clock.advance(by: .seconds(1))
    try commit(.finish(id, verdict))
    return id
  }

  /// Records finished loads in one commit.
  func load(_ feed: Feed, times: Int) throws {
    try commit(
      (0..<times).flatMap { _ in
        let id = SessionID()
        return [LoadEvent.Kind.start(id, feed, message: nil, tag: nil), .finish(id, .succeeded)]
      })
  }

  /// Writes a flip of each feed whose state has changed, as a notifier does.
  func noteFlips() throws {
    let reader = try (store ?? open()).reader
    let summary = try reader.status(LoadFilter(), runningLimit: nil)
    let book = FlipBook(at: place.path, reader, processes: processes, clock: clock)
    try book.note(
      summary.feeds.map { FoundState($0, in: summary, reason: nil) }, at: summary.generated)
  }

  private func open() throws -> SQLiteLoadStore {
    let owner = Owner(kind: .library, process: processes.current, host: "box", app: "app")
    let store = try SQLiteLoadStore(
      at: place.path, owner: StoreOwner(owner, opened: clock.now()), processes: processes, clock: clock)
    self.store = store
    return store
  }

  /// The owner is killed; another one opens the store with the next event.
  func crash() {
    store?.close(finally: false)
    store = nil
    lastEvent = 0
    processes.kill()
  }

  /// Forgets all batches but what is known to have arrived, as a store does with very old ones.
  func forgetAttempts() throws {
    try DatabaseQueue(path: place.path).write { try $0.execute(sql: "DELETE FROM fleet_attempt") }
  }

  /// Copies the store, as a backup does. The store must not be in use.
  func copy() throws -> TemporaryStore {
    let copy = try TemporaryStore()
    try DatabaseQueue(path: place.path).vacuum(into: copy.path)
    return copy
  }

  /// Replaces the store by a copy. The store must not be in use.
  func putBack(_ copy: TemporaryStore) throws {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.path + suffix) }
    try FileManager.default.copyItem(atPath: copy.path, toPath: place.path)
  }

  func prune(before cutoff: Int64) throws -> Int {
    let store = try self.store ?? open()
    return try store.prune(before: cutoff, limit: 1000)
  }

  func sync(
    to destination: MemoryDestination, loads: ShippedLoads? = nil, withMessages: Bool? = nil,
    name: String? = nil, lease: Duration? = nil,
    asNewHost: Bool = false, in processes: ManualProcessTable? = nil
  ) -> FleetSync {
    var settings = StoreOutbox.Settings()
    (settings.loads, settings.withMessages) = (loads, withMessages)
    (settings.name, settings.asNewHost) = (name, asNewHost)
    return sync(
      storeAt: place.path, to: destination, settings, lease: lease, in: processes ?? self.processes.another())
  }

  private func sync(
    storeAt path: String, to destination: MemoryDestination, _ settings: StoreOutbox.Settings,
    lease: Duration? = nil, in processes: ManualProcessTable
  ) -> FleetSync {
    // No test looks at the destination while a round is under way.
    nonisolated(unsafe) let destination = destination
    return FleetSync(storeAt: path, settings: settings, lease: lease, processes: processes, clock: clock) {
      destination.connections += 1
      return destination
    }
  }

  /// Makes the counters wrong, and repairs the store, which begins a new journal.
  func repair() throws {
    crash()
    try DatabaseQueue(path: place.path).write { try $0.execute(sql: "UPDATE summary SET loads = loads + 1") }
    let diagnosis = try StoreDoctor.repair(at: place.path, processes: processes.another(), clock: clock)
    #expect(diagnosis.findings.contains { $0.text.hasPrefix("repaired") })
  }

  /// Answers a question in SQL.
  func number(_ sql: String) throws -> Int64? {
    try DatabaseQueue(path: place.path).read { try Int64.fetchOne($0, sql: sql) }
  }

  /// What the store would ship to a database that knows nothing of it.
  func everything(_ loads: ShippedLoads = .all) throws -> [ShippedTable: [[ShippedValue]: [ShippedValue]]] {
    let copy = try copy()
    let fresh = MemoryDestination()
    var settings = StoreOutbox.Settings()
    (settings.loads, settings.asNewHost) = (loads, true)
    try sync(storeAt: copy.path, to: fresh, settings, in: processes.another()).round()
    return try #require(fresh.hosts.values.first).rows
  }
}

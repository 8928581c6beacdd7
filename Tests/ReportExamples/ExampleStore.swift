package import Foundation
import LoadLogCore
package import LoadLogReports
import LoadLogSQLite
import LoadLogTestSupport

/// Store with planned loads, recorded the way an app would record them.
package final class ExampleStore {
  /// Sat 21 Nov 2026, 08:41:07 UTC.
  package static let now: Int64 = 1_795_250_467_000_000
  /// Time zone of the pages made from the store.
  package static let zone = LocalZone.fixed(hours: 1, "CET")

  private struct Moment {
    let wall: Int64
    let kind: LoadEvent.Kind
    let callSite: CallSite?
  }

  /// Boot clock at ``now``: the machine was booted long before the first load.
  private static let bootNow: Int64 = 20_000_000_000_000_000

  private let url: URL
  /// Deletes the store at the end; nil for one that stays.
  private let place: TemporaryStore?
  /// How much later than planned everything happens, in microseconds.
  private let delay: Int64
  private let clock: ManualClock
  private let processes: any ProcessTable
  private var moments: [Moment] = []

  /// Creates a temporary store.
  package init() throws {
    let place = try TemporaryStore()
    url = place.url
    self.place = place
    delay = 0
    clock = ManualClock(wall: Self.now, boot: Self.bootNow)
    processes = ManualProcessTable()
  }

  /// Creates a store that stays. What is planned to happen at ``now`` happens in it at the given wall time, and the rest
  /// as long before. This process owns all loads, so those that did not finish
  /// have crashed when it ends.
  package init(at url: URL, now wall: Int64) {
    self.url = url
    place = nil
    delay = wall - Self.now
    clock = ManualClock(wall: wall, boot: Self.bootNow)
    processes = SystemProcessTable()
  }

  /// Plans a load with a duration in seconds.
  func load(
    _ feed: Feed, at wall: Int64, took seconds: Double, _ verdict: Verdict = .succeeded, from callSite: String
  ) {
    let id = start(feed, at: wall, from: callSite)
    add(.finish(id, verdict), at: wall + Int64(seconds * 1e6), from: nil)
  }

  /// Plans a start without a finish.
  @discardableResult
  func start(_ feed: Feed, at wall: Int64, from callSite: String) -> SessionID {
    let id = SessionID(milliseconds: (wall + delay) / 1000)
    add(.start(id, feed, message: nil, tag: nil), at: wall, from: callSite)
    return id
  }

  /// Plans an event.
  func add(_ kind: LoadEvent.Kind, at wall: Int64, from callSite: String?) {
    guard wall <= Self.now else { return }
    moments.append(Moment(wall: wall, kind: kind, callSite: callSite.map { CallSite($0) }))
  }

  /// Records the events planned since the last call as one process, which may die at the end.
  func record(dying: Bool = false) throws {
    let process = (processes as? ManualProcessTable)?.another() ?? processes
    let owner = Owner(kind: .library, process: process.current, host: "ada", app: "Reader")
    let store = try SQLiteLoadStore(
      at: url.path, owner: StoreOwner(owner, opened: instant(moments.map(\.wall).min() ?? Self.now)),
      durability: .process, processes: process, locks: ManualLocks(), clock: clock)
    // Swift's sort is not guaranteed to be stable, but events at the same time must keep their order.
    let ordered = moments.enumerated().sorted { ($0.element.wall, $0.offset) < ($1.element.wall, $1.offset) }
    let events = ordered.enumerated().map { number, moment in
      NumberedEvent(
        number: Int64(number + 1),
        event: LoadEvent(
          moment.element.kind, at: instant(moment.element.wall), callSite: moment.element.callSite))
    }
    var rest = events[...]
    while !rest.isEmpty {
      _ = try store.begin(waiting: true)
      _ = try store.commit(Array(rest.prefix(5000)), dropped: 0)
      rest = rest.dropFirst(5000)
    }
    store.close(finally: false)
    if dying { (process as? ManualProcessTable)?.kill() }
    moments = []
  }

  /// Instant of a wall time, as if the machine was never suspended.
  private func instant(_ wall: Int64) -> LoadInstant {
    LoadInstant(wall: wall + delay, boot: (wall - Self.now) * 1000 + Self.bootNow)
  }

  /// Returns the contents of the store's report page.
  func contents(store name: String) throws -> ReportContents {
    let reader = try SQLiteLoadReader(
      at: url.path, processes: processes, locks: ManualLocks(), clock: clock)
    return try ReportContents(reading: reader, LoadFilter(), store: name)
  }
}

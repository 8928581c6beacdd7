import Foundation
import GRDB
import LoadLogCore
import LoadLogTestSupport
import Synchronization
import Testing

@testable import LoadLogSQLite

/// Counters, histograms, busy time and depth. Random schedules check elsewhere that they agree with the
/// loads.
@Suite struct SummaryTests {
  /// Records loads of several feeds over some days.
  private func makeLoads(
    _ bench: StoreBench, _ store: SQLiteLoadStore, count: Int = 1500, from first: Int64 = 1
  ) throws {
    var number = first
    for index in 0..<count {
      let id = SessionID(milliseconds: bench.clock.now().wall / 1000)
      let feed = Feed("feed \(index % 3)")
      try bench.commit(.start(id, feed, message: nil, tag: nil), to: store, from: number)
      bench.clock.advance(by: .seconds(60 + index % 7))
      let end = index % 5 > 0 ? LoadEvent.Kind.finish(id, .succeeded) : .abandon(id, .dropped)
      if index != count - 5 { try bench.commit(end, to: store, from: number + 1) }
      number += 2
    }
  }

  @Test func datesBefore1970CountForTheFirstDayAlsoInAWindow() throws {
    let bench = try StoreBench()
    bench.clock.stepWall(by: .microseconds(-10_000_000 - bench.clock.now().wall))
    let store = try bench.open()
    try bench.commit(.push("early"), .pop("early", .ended), to: store)
    store.close(finally: false)
    for since: Int64 in [-5_000_000, 0] {
      let status = try bench.reader().status(LoadFilter(since: since), runningLimit: nil)
      #expect(status.totals.ended == 1 && status.totals.duration?.count == 1)
    }
  }

  @Test(arguments: [LoadFilter(), LoadFilter(since: 0), LoadFilter(until: 1_795_305_600_000_000)])
  func statusOverAllTimeAndOverWholeDaysScansNoLoads(_ filter: LoadFilter) throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    try makeLoads(bench, store)
    let reader = try bench.reader()
    let found = try reader.plans { _ = try reader.status(filter, runningLimit: nil) }
    #expect(found.contains { $0.contains("summary") })
    let scans = found.filter { $0.hasPrefix("SCAN session") && !$0.contains("session_running") }
    #expect(scans.isEmpty)
    // With too many loads in the window for exact quantiles, the query must not scan a feed's loads by their
    // start.
    guard filter.until == nil else { return }
    for number in 0..<3 { try makeMany(bench, store, Feed("feed \(number)")) }
    let more = try reader.plans { _ = try reader.status(filter, runningLimit: nil) }
    // Only for attempts of living or dead commands, of which there are none, it looks for the next one.
    let looks = more.filter { $0.contains("session_by_start") && !$0.hasPrefix("SEARCH next ") }
    #expect(looks.allSatisfy { !$0.contains("started_at>") })
  }

  @Test(arguments: [LoadFilter(), LoadFilter(since: 1_795_305_600_000_000), LoadFilter(feeds: ["feed *"])])
  func onlyTheFeedsThatWereChosenHaveDurations(filter: LoadFilter) throws {
    let bench = try StoreBench()
    try makeLoads(bench, try bench.open(durability: .process))
    let found = try bench.reader().status(filter, runningLimit: nil) { summary in
      #expect(summary.feeds.count == 3 && summary.feeds.allSatisfy { $0.numbers.duration == nil })
      return ["feed 1"]
    }
    #expect(found.feeds.filter { $0.numbers.duration != nil }.map(\.feed) == ["feed 1"])
    #expect(found.totals.duration == nil && found.totals.loads > 0)
  }

  private func makeMany(_ bench: StoreBench, _ store: SQLiteLoadStore, _ feed: Feed) throws {
    var events: [NumberedEvent] = []
    for number in 0..<2200 {
      let id = SessionID(milliseconds: bench.clock.now().wall / 1000)
      let kinds: [LoadEvent.Kind] = [.start(id, feed, message: nil, tag: nil), .finish(id, .succeeded)]
      for (index, kind) in kinds.enumerated() {
        events.append(
          NumberedEvent(
            number: 100_000 + bench.clock.now().boot / 1000 + Int64(2 * number + index),
            event: LoadEvent(kind, at: bench.clock.now())))
        bench.clock.advance(by: .milliseconds(3))
      }
    }
    #expect(try store.begin(waiting: true))
    _ = try store.commit(events, dropped: 0)
  }

  @Test func writersWithCachedRowsSeeTheChangesOfOtherWriters() throws {
    let bench = try StoreBench()
    let one = try bench.open(durability: .process)
    let other = try bench.open(durability: .process)
    for round in 0..<20 {
      let number = Int64(1000 * (round + 1))
      try makeLoads(bench, round % 2 == 0 ? one : other, count: 5, from: number)
      // Pruning changes rows without updating the writer's cache.
      if round % 5 == 4 { _ = try one.prune(before: bench.clock.now().wall, limit: 3) }
      try makeLoads(bench, one, count: 5, from: number + 100)
    }
    #expect(try bench.reader().summaryFaults() == 0)
    let sealed = try bench.sqlite3("SELECT count(*) FROM summary WHERE is_sealed = 1 AND day >= 0")
    #expect(try #require(Int(sealed)) > 0)
    #expect(try bench.reader().status(LoadFilter(), runningLimit: nil).totals.loads == 200)
  }

  /// A command whose start had to wait for the store ended later than its start and its duration say.
  @Test func theLastSuccessStaysAlthoughItsFeedWasUpdatedAfterTheCutoff() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let start = LoadEvent(.start(SessionID(), "feed", message: nil, tag: nil), at: bench.clock.now())
    guard case .start(let id, _, _, _) = start.kind else { return }
    bench.clock.advance(by: .seconds(4))
    let began = bench.clock.now()
    bench.clock.advance(by: .seconds(1))
    var finish = LoadEvent(.finish(id, .succeeded), at: bench.clock.now())
    finish.run = RunDetails(began: began)
    try #require(try store.begin(waiting: true))
    _ = try store.commit(
      [NumberedEvent(number: 1, event: start), NumberedEvent(number: 2, event: finish)], dropped: 0)
    let other = SessionID()
    try bench.commit(
      .start(other, "feed", message: nil, tag: nil), .finish(other, .failed("no route")), to: store, from: 3)
    bench.clock.advance(by: .seconds(1))
    _ = try store.prune(before: began.wall, limit: 100)
    #expect(try bench.sqlite3("SELECT group_concat(state) FROM session") == "1,3")
  }

  @Test func theNumberOfAPrunedLoadIsNotReused() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    func load(_ number: Int64) throws {
      let id = SessionID(milliseconds: bench.clock.now().wall / 1000)
      try bench.commit(
        .start(id, "feed", message: nil, tag: nil), .finish(id, .succeeded), to: store, from: number)
    }
    try load(1)
    // The last row is not the newest load of its feed. Pruning keeps it, so that its number is not reused.
    bench.clock.stepWall(by: .seconds(-3600))
    try load(3)
    bench.clock.stepWall(by: .seconds(7200))
    _ = try store.prune(before: bench.clock.now().wall, limit: 100)
    try load(5)
    #expect(try bench.sqlite3("SELECT max(seq) FROM session") == "3")
    #expect(try bench.reader().status(LoadFilter(), runningLimit: nil).totals.loads == 3)
    #expect(try bench.reader().summaryFaults() == 0)
  }

  @Test func aStartIsNotCountedInItsOwnTransaction() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    try makeLoads(bench, store, count: 50)
    #expect(
      try bench.sqlite3("SELECT count(*) FROM summary WHERE loads > 0; SELECT count(*) FROM imbalance_site")
        == "0\n0")
    #expect(try bench.reader().status(LoadFilter(), runningLimit: nil).totals.loads == 50)
    #expect(try bench.reader().status(LoadFilter(), runningLimit: nil).callSites.map(\.count) == [3, 3, 3])
  }

  @Test func pruningALoadRemovesItsDisplayTimes() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let feed: Feed = "feed"
    for number in 0..<4 {
      let id = SessionID(milliseconds: bench.clock.now().wall / 1000)
      try bench.commit(
        .start(id, feed, message: nil, tag: nil), .finish(id, .succeeded),
        .shown(id, feed, visible: 5, suppressed: 0), to: store, from: Int64(1 + 3 * number))
      bench.clock.advance(by: .seconds(60))
    }
    #expect(try store.prune(before: bench.clock.now().wall, limit: 100) == 3)
    #expect(try bench.sqlite3("SELECT count(*) FROM visibility; PRAGMA foreign_key_check") == "1")
  }

  @Test func aReadFindsAtMost1000PendingChangesAndOneBatch() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let other = try bench.open(durability: .process)
    var most = 0
    for round in 0..<30 {
      let number = Int64(1000 * (round + 1))
      try makeLoads(bench, round % 2 == 0 ? store : other, count: 60, from: number)
      let waiting = try bench.sqlite3(
        "SELECT max(n) - (SELECT n FROM journal_position WHERE reader = 'counters') FROM change")
      most = max(most, Int(waiting) ?? 0)
    }
    #expect((800..<1000).contains(most), "each commit makes one change here")
    #expect(try #require(Int(bench.sqlite3("SELECT count(*) FROM change"))) <= 1000)
    #expect(try bench.reader().summaryFaults() == 0)
    #expect(try bench.reader().status(LoadFilter(), runningLimit: nil).totals.loads == 1800)
  }

  @Test func theNewestChangeIsKeptSoThatItsNumberIsNotReused() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    try makeLoads(bench, store, count: 10)
    let last = try bench.sqlite3("SELECT max(n) FROM change")
    _ = try store.prune(before: bench.clock.now().wall, limit: 1)
    #expect(try bench.sqlite3("SELECT group_concat(n) FROM change") == last)
    try makeLoads(bench, store, count: 1, from: 1000)
    #expect(try bench.sqlite3("SELECT min(n) > \(last) - 1 FROM change") == "1")
    #expect(try bench.reader().summaryFaults() == 0)
  }

  @Test func doctorDetectsWrongCountersAndRepairRecomputesThem() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    try makeLoads(bench, store, count: 1200)
    let before = try bench.reader().status(LoadFilter(), runningLimit: nil)
    // The journal comes first, because a repair leaves it empty.
    for damage in [
      "DELETE FROM change", "UPDATE summary SET failed = failed + 1 WHERE feed = 1 AND day = -1",
      "UPDATE summary SET success_histogram = x'0002' WHERE feed = 2 AND day > 0",
      "UPDATE imbalance_site SET count = count + 1", "DELETE FROM imbalance_site",
      "UPDATE summary SET acknowledged = 1 WHERE feed = 3 AND day = -1", "DELETE FROM summary WHERE feed = 1",
      "DELETE FROM journal_position",
    ] {
      try bench.sqlite3(damage)
      let found = try StoreDoctor.examine(at: bench.path, processes: bench.processes, clock: bench.clock)
      #expect(found.hasWrongSummaries, "\(damage)")
      let mended = try StoreDoctor.repair(at: bench.path, processes: bench.processes, clock: bench.clock)
      #expect(!mended.hasWrongSummaries, "\(damage)")
      #expect(try bench.reader().status(LoadFilter(), runningLimit: nil) == before, "\(damage)")
    }
  }

  @Test(arguments: [
    "DELETE FROM journal_position", "UPDATE journal_position SET n = 9223372036854775807",
    "UPDATE journal_position SET n = -9223372036854775808", "UPDATE journal_position SET n = 1000",
    "UPDATE change SET was = 99", "UPDATE change SET session = 9223372036854775807",
  ])
  func aDamagedJournalIsDetectedAndRepaired(damage: String) throws {
    let bench = try StoreBench()
    try makeLoads(bench, bench.open(durability: .process), count: 10)
    // Count the pending changes, so that recounting them from the first change would count them twice.
    #expect(try bench.open(durability: .process).prune(before: bench.clock.now().wall, limit: 1) == 1)
    try makeLoads(bench, bench.open(durability: .process), count: 10, from: 100)
    try bench.sqlite3(damage)
    _ = try StoreDoctor.examine(at: bench.path, processes: bench.processes, clock: bench.clock)
    let store = try bench.open(durability: .process)
    try makeLoads(bench, store, count: 10, from: 200)
    let repaired = try StoreDoctor.repair(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(!repaired.hasWrongSummaries)
    try makeLoads(bench, store, count: 10, from: 1000)
    #expect(try bench.reader().summaryFaults() == 0)
  }

  @Test func theLastTimeOfACallSiteIsThatOfACountedLoad() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let ids = (0..<3).map { _ in SessionID() }
    for (index, id) in ids.enumerated() {
      try bench.commit(
        .start(id, "feed", message: nil, tag: nil), .abandon(id, .dropped), to: store,
        from: Int64(1 + 2 * index))
      bench.clock.advance(by: .seconds(60))
      // Count the first two changes.
      if index == 1 { try bench.applyJournal() }
    }
    try bench.commit(.finish(ids[1], .succeeded), to: store, from: 7)
    try bench.commit(.finish(ids[2], .succeeded), to: store, from: 8)
    let site = try #require(try bench.reader().status(LoadFilter(), runningLimit: nil).callSites.first)
    #expect(
      try site.count == 1 && site.last == bench.reader().loads(endingIn: ids[0].description)[0].started.wall)
    #expect(try bench.reader().summaryFaults() == 0)
  }

  @Test func freedSpaceIsReused() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    try makeLoads(bench, store, count: 2000)
    bench.clock.advance(by: .seconds(86_400))
    try bench.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
    let size = try #require(Int(bench.sqlite3("PRAGMA page_count")))
    let dropped = try StoreDoctor.prune(
      at: bench.path, before: bench.clock.now().wall, processes: bench.processes, clock: bench.clock)
    #expect(dropped > 1500)
    let free = try #require(Int(bench.sqlite3("PRAGMA freelist_count")))
    #expect(free > size / 3)
    let found = try StoreDoctor.examine(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(found.findings.contains { $0.topic == .space && !$0.text.hasPrefix("0 bytes") })
    try makeMany(bench, store, "feed 1")
    #expect(try #require(Int(bench.sqlite3("PRAGMA freelist_count"))) < free)
  }

  /// Opens the store as an app does that prunes.
  private func open(
    _ bench: StoreBench, keeping age: Duration, prefersStoredRetention: Bool = false
  ) throws -> SQLiteLoadStore {
    let owner = Owner(kind: .library, process: bench.processes.current, host: "box", app: "app")
    return try SQLiteLoadStore(
      at: bench.path, owner: StoreOwner(owner, opened: bench.clock.now()), retention: age,
      prefersStoredRetention: prefersStoredRetention, processes: bench.processes, clock: bench.clock)
  }

  @Test func aStoreInUseDropsLoadsBeyondItsRetention() throws {
    let bench = try StoreBench()
    let store = try open(bench, keeping: .seconds(7 * 86_400))
    store.maintain(closing: false)
    try makeLoads(bench, store, count: 900)
    bench.clock.advance(by: .seconds(8 * 86_400))
    let loads = try store.reader.history(LoadFilter()).total
    #expect(store.maintenance != .none)
    store.maintain(closing: true)
    #expect(try store.reader.history(LoadFilter()).total == loads, "a program that ends prunes nothing")
    store.maintain(closing: false)
    let fewer = try store.reader.history(LoadFilter()).total
    #expect((400...500).contains(loads - fewer) && store.maintenance != .none)
    store.maintain(closing: false)
    #expect(try store.reader.history(LoadFilter()).total < fewer && store.maintenance == .none)
    #expect(try store.reader.status(LoadFilter(), runningLimit: nil).totals.loads == loads)
    bench.clock.advance(by: .seconds(3601))
    #expect(store.maintenance == .whenIdle)
  }

  /// The busy time of a day is recomputed for each cutoff within it.
  @Test func aStoreInUsePrunesUpToAWholeHour() throws {
    let bench = try StoreBench()
    let store = try open(bench, keeping: .seconds(3600))
    try makeLoads(bench, store, count: 40)
    bench.clock.advance(by: .seconds(10_000))
    store.maintain(closing: false)
    let pastTheHour =
      "SELECT group_concat(DISTINCT busy_until % 3600000000) FROM summary WHERE busy_until > 0"
    #expect(try bench.sqlite3(pastTheHour) == "0")
  }

  /// Commits would wait for the work, and their callers would miss their deadlines.
  @Test(.timeLimit(.minutes(10))) func workThatCanWaitDoesNotWaitForAQuestion() throws {
    let bench = try StoreBench()
    let store = try open(bench, keeping: .seconds(86_400))
    try makeLoads(bench, store, count: 40)
    bench.clock.advance(by: .seconds(2 * 86_400))
    let loads = try store.reader.history(LoadFilter()).total
    let question = HeldQuestion(to: store.reader)
    store.maintain(closing: false)
    #expect(store.maintenance != .none, "the next call prunes")
    #expect(question.answer()?.totals.loads == loads)
    store.maintain(closing: false)
    #expect(try store.reader.history(LoadFilter()).total < loads)
  }

  @Test(.timeLimit(.minutes(10))) func aStoreIsClosedWhileAQuestionIsAnswered() throws {
    let bench = try StoreBench()
    let store = try bench.open()
    try bench.commit(.push("network"), to: store)
    let question = HeldQuestion(to: store.reader)
    store.close(finally: true)
    #expect(question.answer()?.totals.loads == 1)
  }

  @Test(arguments: [
    (StoreRetention?.none, true, false), (.microseconds(86_400_000_000), true, true), (.all, true, false),
    (.microseconds(86_400_000_000), false, false),
  ])
  func theSettingOfAStoreReplacesTheDefaultRetentionOnly(
    setting: StoreRetention?, isDefault: Bool, prunes: Bool
  ) throws {
    let bench = try StoreBench()
    let store = try open(bench, keeping: .seconds(7 * 86_400), prefersStoredRetention: isDefault)
    if let setting {
      try StoreDoctor.keep(setting, at: bench.path, processes: bench.processes, clock: bench.clock)
    }
    try makeLoads(bench, store, count: 40)
    bench.clock.advance(by: .seconds(2 * 86_400))
    let loads = try store.reader.history(LoadFilter()).total
    store.maintain(closing: false)
    #expect(try (store.reader.history(LoadFilter()).total < loads) == prunes)
    #expect(store.maintenance == .none, "the next search for old loads is an hour away")
    bench.clock.advance(by: .seconds(7 * 86_400))
    store.maintain(closing: false)
    #expect(try (store.reader.history(LoadFilter()).total < loads) == (setting != .all || !isDefault))
    store.close(finally: true)
  }
}

/// A question that is being answered until it is released.
private final class HeldQuestion: Sendable {
  private let goOn = DispatchSemaphore(value: 0)
  private let isAnswered = DispatchSemaphore(value: 0)
  private let found = Mutex<StatusSummary?>(nil)

  init(to reader: any LoadReading) {
    let isAsked = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [self] in
      let summary = try? reader.status(LoadFilter(), runningLimit: nil) { _ in
        isAsked.signal()
        goOn.wait()
        return []
      }
      found.withLock { $0 = summary }
      isAnswered.signal()
    }
    isAsked.wait()
  }

  /// Lets the question be answered, and returns the answer; nil if it failed.
  func answer() -> StatusSummary? {
    goOn.signal()
    isAnswered.wait()
    return found.withLock { $0 }
  }
}

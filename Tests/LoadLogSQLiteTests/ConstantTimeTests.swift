import GRDB
import LoadLogCore
import LoadLogTestSupport
import Synchronization
import TestProcesses
import Testing

@testable import LoadLogSQLite

/// What a program does at its exit takes the same time for any number of loads.
@Suite struct ConstantTimeTests {
  private let bench: StoreBench
  private let store: SQLiteLoadStore

  /// Records loads of feeds that never failed, that only failed and that are only pushed and popped.
  init() throws {
    bench = try StoreBench()
    let owner = Owner(kind: .library, process: bench.processes.current, host: "box", app: "app")
    store = try SQLiteLoadStore(
      at: bench.path, owner: StoreOwner(owner, opened: bench.clock.now()), durability: .process,
      retention: .seconds(7 * 86_400), processes: bench.processes, clock: bench.clock)
    for number: Int64 in 0..<8 {
      let ids = (SessionID(), SessionID())
      try bench.commit(
        .start(ids.0, "good", message: nil, tag: nil), .finish(ids.0, .succeeded),
        .start(ids.1, "bad", message: nil, tag: nil), .finish(ids.1, .failed("x")), .push("counted"),
        .pop("counted", .ended), to: store, from: 1 + 6 * number)
      bench.clock.advance(by: .seconds(60))
    }
  }

  private func isScan(_ plan: String) -> Bool {
    plan.hasPrefix("SCAN session") && !plan.contains("session_running")
  }

  @Test func closingAnOwnerAndJudgingDeadOnesReadNoFinishedLoads() throws {
    let app = bench.processes.another()
    let other = try bench.open(in: app, durability: .process)
    try bench.commit(.push("left"), to: other)
    other.close(finally: false)
    app.kill()
    let plans = try store.writer.plans {
      #expect(try store.judgeDeadOwners() == [.crashed: 1])
      try bench.commit(.push("left"), .reset(nil), .close, to: store, from: 100)
    }
    #expect(plans.contains { $0.contains("session_running") })
    #expect(!plans.contains(where: isScan))
  }

  @Test func aSearchForOldLoadsTakesNoGateAndReadsNoYoungLoads() throws {
    var plans = try store.reader.plans { store.maintain(closing: false) }
    #expect(plans.contains { $0.contains("session_by_start (feed=? AND started_at<?)") })
    #expect(!plans.contains(where: isScan))
    // All loads but the last ones are old. The search for a last success begins at the cutoff.
    bench.clock.advance(by: .seconds(9 * 86_400))
    plans = try store.reader.plans { store.maintain(closing: false) }
    #expect(plans.contains { $0.contains("session_failed") })
    #expect(!plans.contains(where: isScan))
    #expect(try store.reader.history(LoadFilter()).total == 3)
  }

  /// While another process holds the gate, a store with old loads must try again; one without is done for an hour.
  @Test func withoutOldLoadsPruningIsDoneWithoutTheGate() throws {
    let gate = try #require(store.location).gate()
    try gate.lock()
    defer { gate.unlock() }
    store.maintain(closing: false)
    #expect(store.maintenance == .none)
    bench.clock.advance(by: .seconds(9 * 86_400))
    store.maintain(closing: false)
    #expect(store.maintenance != .none)
  }

  @Test func pruningKeepsTheLastSuccessOfAFeedThatFailsSince() throws {
    for number: Int64 in 0..<4 {
      let id = SessionID()
      try bench.commit(
        .start(id, "good", message: nil, tag: nil), .finish(id, .failed("x")), to: store,
        from: 100 + 2 * number)
      bench.clock.advance(by: .seconds(3 * 86_400))
    }
    _ = try store.prune(before: bench.clock.now().wall - 4 * UTCDay.length, limit: 100)
    #expect(
      try store.reader.history(LoadFilter(feeds: ["good"])).loads.map(\.state) == [.failed, .succeeded])
  }

  @Test func theLastSuccessIsSearchedForOnlyIfItMayBeOld() throws {
    bench.clock.advance(by: .seconds(9 * 86_400))
    let cutoff = bench.clock.now().wall
    func searches() throws -> Int {
      try store.reader.statements { _ = try store.reader.prunable(before: cutoff) }
        .count { $0.contains("AND state IN (1, 2)") }
    }
    #expect(try searches() == 1, "two feeds have never succeeded")
    let id = SessionID()
    bench.clock.advance(by: .seconds(2 * 3600))
    try bench.commit(
      .start(id, "good", message: nil, tag: nil), .finish(id, .succeeded), to: store, from: 100)
    #expect(try searches() == 0)
  }

  /// Records loads one after the other, and returns the store.
  private func oldLoads(_ count: Int64, every gap: Duration, in bench: StoreBench) throws -> SQLiteLoadStore {
    let store = try bench.open(durability: .process)
    for number in 0..<count {
      let (id, feed) = (SessionID(), Feed("f\(number % 4)"))
      try bench.commit(.start(id, feed, message: nil, tag: nil), to: store, from: 1 + 2 * number)
      bench.clock.advance(by: .seconds(10))
      try bench.commit(.finish(id, .succeeded), to: store, from: 2 + 2 * number)
      bench.clock.advance(by: gap)
    }
    try bench.applyJournal()
    return store
  }

  /// Commits wait while the writer searches.
  @Test(arguments: [Duration.zero, .seconds(60), .seconds(43_200)])
  func aStepOfPruningReadsFewLoadsHoweverManyAreOld(gap: Duration) throws {
    func instructions(_ count: Int64) throws -> Int {
      let bench = try StoreBench()
      let store = try oldLoads(count, every: gap, in: bench)
      return try store.reader.instructions {
        let loads = try store.pruneStep(before: bench.clock.now().wall, limit: 20, within: nil) ?? [:]
        #expect(loads.values.reduce(0, +) > 10)
      }
    }
    let few = try instructions(100)
    #expect(try instructions(1000) < 2 * few)
  }

  /// Each day takes a search of the whole store.
  @Test func aStepOfPruningIsOfFewDays() throws {
    let bench = try StoreBench()
    let store = try oldLoads(100, every: .seconds(86_390), in: bench)
    let loads = try store.pruneStep(before: bench.clock.now().wall, limit: 500, within: nil) ?? [:]
    #expect(loads == ["f0": 2, "f1": 2, "f2": 2, "f3": 2])
    #expect(try store.prune(before: bench.clock.now().wall, limit: 500) == 96 - 8)
  }

  /// No load of the first day ends before the others of that day have started.
  @Test func aStepOfPruningTakesMoreLoadsUntilOneEndsBeforeTheNextStarts() throws {
    let ids = (0..<200).map { _ in SessionID() }
    for (number, id) in ids.enumerated() {
      try bench.commit(.start(id, "long", message: nil, tag: nil), to: store, from: 100 + Int64(number))
      bench.clock.advance(by: .seconds(1))
    }
    for (number, id) in ids.enumerated() {
      try bench.commit(.finish(id, .succeeded), to: store, from: 300 + Int64(number))
      bench.clock.advance(by: .seconds(1))
    }
    var pruned = 0
    while let loads = try store.pruneStep(before: bench.clock.now().wall, limit: 7, within: nil) {
      pruned += loads.values.reduce(0, +)
    }
    #expect(pruned == 21 + 199, "all but the last loads")
  }

  /// Each time takes ten calls of the system.
  @Test func aQuestionFindsOutOnceWhichProcessAsks() throws {
    // All before the first of them dies: a commit stores the verdicts on the owners that are dead.
    let apps = try (0..<20).map { _ in
      let app = bench.processes.another()
      let other = try bench.open(in: app, durability: .process)
      try bench.commit(.push("lost"), to: other)
      return (app, other)
    }
    for (app, other) in apps {
      other.close(finally: false)
      app.kill()
    }
    let processes = CountingProcesses(bench.processes)
    let reader = try SQLiteLoadReader(at: bench.path, processes: processes, clock: bench.clock)
    #expect(try reader.status(LoadFilter(), runningLimit: nil).totals.unbalanced.total == 20)
    #expect(processes.count <= 4, "a read that meets dead owners is made again")
  }

  @Test func aLoadIsShownWithoutReadingAllOthersOfItsFeed() throws {
    let id = try #require(store.reader.history(LoadFilter(feeds: ["good"])).loads.last?.id)
    func reads() throws -> Int {
      try store.reader.statements {
        let context = try store.reader.context(of: IDTail(id.description))
        #expect(context.nextSuccess != nil && context.meanwhileCount == 0)
      }.count { $0.contains("ORDER BY started_at") }
    }
    let before = try reads()
    for number: Int64 in 0..<40 {
      let id = SessionID()
      try bench.commit(
        .start(id, "good", message: nil, tag: nil), .finish(id, .succeeded), to: store, from: 100 + 2 * number
      )
      bench.clock.advance(by: .seconds(60))
    }
    #expect(try reads() == before)
    let newest = try #require(store.reader.history(LoadFilter(feeds: ["good"], limit: 1)).loads.first)
    #expect(try store.reader.context(of: IDTail(newest.id.description)).before != nil)
  }

  @Test func theOverrunningLoadsOfAllFeedsAreFoundByOneQuestion() throws {
    try bench.commit(.expect(Expectation(maxRunning: 1_000_000_000), "*"), to: store, from: 100)
    func reads(feeds: Int64) throws -> Int {
      try bench.commit(
        .start(SessionID(), "f\(feeds)", message: nil, tag: nil), to: store, from: 100 + feeds)
      bench.clock.advance(by: .seconds(60))
      return try store.reader.statements {
        let summary = try store.reader.imbalanceSummary(LoadFilter())
        #expect(summary.overrunning.count == feeds)
      }.count { $0.contains("WHERE state = 0") }
    }
    #expect(try reads(feeds: 1) == reads(feeds: 2))
  }

  /// A connection keeps each text that it prepares.
  @Test func aQuestionAboutAnotherWindowPreparesNoNewStatements() throws {
    func texts(_ since: Int64) throws -> Set<String> {
      Set(
        try store.reader.statements {
          let filter = LoadFilter(since: since, until: since + 1000)
          _ = try (store.reader.flips(filter), store.reader.history(filter), store.reader.wholeStatus(filter))
        })
    }
    #expect(try texts(1_000_000) == texts(2_000_000))
  }

  @Test func anotherBatchForAFleetPreparesNoNewStatements() throws {
    func texts(_ attempt: Int64) throws -> Set<String> {
      Set(
        try store.writer.statements {
          try store.writer.write { database in
            let pick = try OutboxPick(database, loads: .all, from: OutboxProgress(through: 0, scanned: 0))
            try pick.takeRows(for: attempt)
            _ = try OutboxPick.waiting(in: database, pick.progress, besides: attempt)
          }
        })
    }
    #expect(try texts(1) == texts(2))
  }

  @Test func loadsOfATraceAreFoundByTheirTag() throws {
    let id = SessionID()
    try bench.commit(
      .start(id, "good", message: nil, tag: "t"), .finish(id, .succeeded), to: store, from: 100)
    var found: [SessionID] = []
    let plans = try store.reader.plans {
      found = try store.reader.history(LoadFilter(tag: "t")).loads.map(\.id)
    }
    #expect(found == [id])
    #expect(plans.contains { $0.contains("session_by_tag (tag=? AND feed=?") })
    #expect(!plans.contains { isScan($0) || $0.contains("session_by_start") })
  }

  @Test func failedLoadsOfAFeedAreFoundByTheirOwnIndex() throws {
    let plans = try store.reader.plans { _ = try store.reader.history(LoadFilter(states: [.failed])) }
    let loads = plans.filter { $0.contains("session_by_start") || $0.contains("session_failed") }
    #expect(!loads.isEmpty && loads.allSatisfy { $0.contains("session_failed") })
  }
}

/// Counts the questions for the calling process.
private final class CountingProcesses: ProcessTable {
  private let base: ManualProcessTable
  private let asked = Atomic(0)

  init(_ base: ManualProcessTable) { self.base = base }

  var count: Int { asked.load(ordering: .relaxed) }

  var current: ProcessIdentity {
    asked.add(1, ordering: .relaxed)
    return base.current
  }

  func identity(of pid: Int32) -> ProcessIdentity? { base.identity(of: pid) }
  func observe(_ pid: Int32) -> ProcessObservation { base.observe(pid) }
}

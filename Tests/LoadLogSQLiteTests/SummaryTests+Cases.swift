import LoadLogCore
import LoadLogTestSupport
import Testing

@testable import LoadLogSQLite

/// Cases that random schedules reach seldom or never: verdicts that replace one that was counted, lost positions of
/// the journal, and records with many loads.
extension SummaryTests {
  /// Records a load that is abandoned after a minute.
  private func abandonLoad(
    _ bench: StoreBench, _ store: SQLiteLoadStore, from number: Int64
  ) throws -> SessionID {
    let id = SessionID()
    try bench.commit(.start(id, "feed", message: nil, tag: nil), to: store, from: number)
    bench.clock.advance(by: .seconds(60))
    try bench.commit(.abandon(id, .dropped), to: store, from: number + 1)
    return id
  }

  /// - Parameter appliedAfter: the number of the step after which the journal is applied; 0 if it is not.
  @Test(arguments: 0...2)
  func anAcknowledgementAndALateFinishTakeBackWhatWasCountedBefore(appliedAfter: Int) throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let id = try abandonLoad(bench, store, from: 1)
    if appliedAfter == 1 { try bench.applyJournal() }
    try bench.commit(.acknowledge([id], by: "me", note: nil), to: store, from: 3)
    if appliedAfter == 2 { try bench.applyJournal() }
    let acknowledged = try bench.reader().status(LoadFilter(), runningLimit: nil)
    #expect(acknowledged.totals.unbalanced.total == 1 && acknowledged.totals.unbalanced.unacknowledged == 0)
    #expect(acknowledged.callSites.isEmpty)
    try bench.commit(.finish(id, .succeeded), to: store, from: 4)
    let totals = try bench.reader().status(LoadFilter(), runningLimit: nil).totals
    #expect(totals.unbalanced.total == 0 && totals.unbalanced.unacknowledged == 0)
    #expect(totals.loads == 1 && totals.succeeded == 1)
    #expect(try bench.reader().summaryFaults() == 0)
    store.close(finally: true)
  }

  @Test func theLastTimeOfACallSiteIsNotThatOfAnAcknowledgedLoad() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let first = try abandonLoad(bench, store, from: 1)
    let second = try abandonLoad(bench, store, from: 3)
    try bench.commit(.acknowledge([second], by: "me", note: nil), to: store, from: 5)
    let site = try #require(try bench.reader().status(LoadFilter(), runningLimit: nil).callSites.first)
    let load = try #require(try bench.reader().loads(endingIn: first.description).first)
    #expect(site.count == 1 && site.last == load.started.wall)
    store.close(finally: true)
  }

  @Test func aSuccessThatStartedBeforePrunedFailuresLeavesThemCounted() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let slow = SessionID()
    try bench.commit(.start(slow, "feed", message: nil, tag: nil), to: store)
    func load(_ verdict: Verdict, from number: Int64) throws {
      let id = SessionID()
      bench.clock.advance(by: .seconds(60))
      try bench.commit(
        .start(id, "feed", message: nil, tag: nil), .finish(id, verdict), to: store, from: number)
    }
    try load(.succeeded, from: 2)
    try load(.failed("a"), from: 4)
    try load(.failed("b"), from: 6)
    bench.clock.advance(by: .seconds(60))
    #expect(try store.prune(before: bench.clock.now().wall, limit: 100) == 1)
    try bench.commit(.finish(slow, .succeeded), to: store, from: 8)
    try load(.failed("c"), from: 9)
    #expect(try bench.reader().status(LoadFilter(), runningLimit: nil).feeds.first?.failures == 3)
    store.close(finally: true)
  }

  @Test func aWithdrawnFinishIsNotShownAndItsNumberIsNotUsedAgain() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let id = SessionID()
    try bench.commit(.finish(id, .succeeded), to: store)
    try bench.commit(
      .start(id, "feed", message: nil, tag: nil), .pop("network", .ended), to: store, from: 2)
    #expect(try bench.reader().unbalanced(LoadFilter()).map(\.kind) == [.unmatchedFinish(.extraPop)])
    #expect(try bench.sqlite3("SELECT kind FROM unbalanced") == "extra_pop")
    #expect(try bench.sqlite3("SELECT seq FROM unmatched WHERE kind = 2") == "2")
    store.close(finally: true)
  }

  @Test(arguments: [1000, -1])
  func doctorFindsAWrongPositionOfAJournalInWhichNothingWaits(position: Int) throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    _ = try abandonLoad(bench, store, from: 1)
    try bench.applyJournal()
    // Changes up to this position would never be counted.
    try bench.sqlite3("UPDATE journal_position SET n = \(position)")
    let found = try StoreDoctor.examine(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(found.hasWrongSummaries)
    let repaired = try StoreDoctor.repair(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(!repaired.hasWrongSummaries)
    _ = try abandonLoad(bench, store, from: 3)
    #expect(try bench.reader().status(LoadFilter(), runningLimit: nil).totals.loads == 2)
    #expect(try bench.reader().summaryFaults() == 0)
    store.close(finally: true)
  }

  @Test func aLoadThatIsOpenAtMidnightIsBusyTimeOfBothDays() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let now = bench.clock.now().wall
    bench.clock.advance(by: .microseconds(UTCDay(of: now).end - now) - .seconds(3600))
    let id = SessionID()
    try bench.commit(.start(id, "feed", message: nil, tag: nil), to: store)
    bench.clock.advance(by: .seconds(3 * 3600))
    try bench.commit(.finish(id, .succeeded), to: store, from: 2)
    let status = try bench.reader().wholeStatus(LoadFilter())
    let busy: Int64 = 3 * 3600 * 1_000_000_000
    #expect(status.totals.busy == busy)
    #expect(status.feeds.map(\.numbers.busy) == [busy])
    store.close(finally: true)
  }

  @Test func busyTimeAndDepthOfADayWithPrunedLoadsStayAsTheyWere() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    for number: Int64 in 0..<3 {
      let ids = [SessionID(), SessionID()]
      try bench.commit(
        .start(ids[0], "feed", message: nil, tag: nil), .start(ids[1], "feed", message: nil, tag: nil),
        to: store, from: 1 + 4 * number)
      bench.clock.advance(by: .seconds(60))
      try bench.commit(
        .finish(ids[0], .succeeded), .finish(ids[1], .succeeded), to: store, from: 3 + 4 * number)
      bench.clock.advance(by: .seconds(60))
    }
    #expect(try store.prune(before: bench.clock.now().wall, limit: 100) == 5)
    let status = try bench.reader().wholeStatus(LoadFilter())
    for numbers in [status.totals] + status.feeds.map(\.numbers) {
      #expect(numbers.busy == 180 * 1_000_000_000 && numbers.peakDepth == 2 && numbers.isApproximate)
    }
    store.close(finally: true)
  }

  @Test func anImbalanceThatWasCountedAndIsMissingIsDamage() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    _ = try abandonLoad(bench, store, from: 1)
    store.close(finally: true)
    try bench.applyJournal()
    try bench.sqlite3("DELETE FROM session")
    let error = #expect(throws: LoadLogError.self) {
      try bench.reader().status(LoadFilter(), runningLimit: nil)
    }
    #expect(error?.code == .damaged && error?.path == bench.path)
  }

  @Test func verdictsOnMoreThanAThousandLoadsDoNotWaitInTheJournal() throws {
    let bench = try StoreBench()
    let app = bench.processes.another()
    let store = try bench.open(in: app, durability: .process)
    let events = (0..<1100).map { number in
      let start = LoadEvent.Kind.start(SessionID(), "feed", message: nil, tag: nil)
      return NumberedEvent(number: Int64(1 + number), event: LoadEvent(start, at: bench.clock.now()))
    }
    try #require(try store.begin(waiting: true))
    _ = try store.commit(events, dropped: 0)
    store.close(finally: false)
    app.kill()
    let judge = try bench.open(durability: .process)
    #expect(judge.verdictsAtOpen == [.crashed: 1100])
    #expect(try bench.sqlite3("SELECT n = (SELECT max(n) FROM change) FROM journal_position") == "1")
    #expect(try bench.reader().status(LoadFilter(), runningLimit: nil).totals.unbalanced.crashed == 1100)
    #expect(try bench.reader().summaryFaults() == 0)
    judge.close(finally: true)
  }

  @Test func aSearchForFailedLoadsSkipsFeedsThatNeverFailed() throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let ids = [SessionID(), SessionID()]
    try bench.commit(
      .start(ids[0], "good", message: nil, tag: nil), .start(ids[1], "bad", message: nil, tag: nil),
      .finish(ids[0], .succeeded), to: store)
    let reader = try bench.reader()
    let failed = LoadFilter(states: [.failed])
    let looksIntoAFeed = { (plan: String) in
      plan.contains("session_by_start") || plan.contains("session_failed")
    }
    let before = try reader.plans { _ = try reader.history(failed) }
    #expect(!before.contains(where: looksIntoAFeed))
    try bench.commit(.finish(ids[1], .failed("x")), to: store, from: 4)
    #expect(try reader.history(failed).loads.map(\.id) == [ids[1]])
    let after = try reader.plans { _ = try reader.history(failed) }
    #expect(after.contains(where: looksIntoAFeed))
    store.close(finally: true)
  }

  @Test(arguments: [
    LoadFilter(tag: "t"), LoadFilter(text: "m"), LoadFilter(minimumDuration: 5),
    LoadFilter(feeds: ["feed"], since: 1, tag: "t", text: "m", minimumDuration: 1),
  ])
  func aSearchForTextsReadsFeedsByTheirIndexes(filter: LoadFilter) throws {
    let bench = try StoreBench()
    let store = try bench.open(durability: .process)
    let id = SessionID()
    try bench.commit(.start(id, "feed", message: "m", tag: "t"), to: store)
    bench.clock.advance(by: .seconds(1))
    try bench.commit(.finish(id, .succeeded), to: store, from: 2)
    let reader = try bench.reader()
    #expect(try reader.history(filter).loads.map(\.id) == [id])
    let found = try reader.plans { _ = try reader.history(filter) }
    let search =
      filter.tag == nil
      ? "SEARCH session USING INDEX session_by_start (feed=? AND started_at>"
      : "SEARCH session USING INDEX session_by_tag (tag=? AND feed=? AND started_at>"
    #expect(found.contains { $0.hasPrefix(search) })
    #expect(!found.contains { $0.hasPrefix("SCAN session") && !$0.contains("session_running") })
    // A tag or text that no load has is not searched for in the feeds.
    for missing in [LoadFilter(tag: "no"), LoadFilter(text: "no")] {
      let plans = try reader.plans { _ = try reader.history(missing) }
      #expect(!plans.contains { $0.contains("session_by_start") || $0.contains("session_by_tag") })
    }
    store.close(finally: true)
  }

  @Test func quantilesAreExactWhileTheWholeQuestionNeedsAtMost50000Loads() throws {
    let bench = try StoreBench()
    try bench.makeStore()
    // 51 feeds, each with 1,000 loads, which is as many as exact quantiles of one feed are found for.
    try bench.sqlite3(
      """
      WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      INSERT INTO feed (id, name) SELECT 100 + i, 'feed ' || i FROM n;
      WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 50999)
      INSERT INTO session (id, feed, owner, state, started_at, started_boot, duration, wall_drift)
      SELECT randomblob(16), 100 + i % 51, 1, 1, \(bench.clock.now().wall) + 1000 * i, 0, 1000 + i, 0 FROM n
      """)
    let repaired = try StoreDoctor.repair(at: bench.path, processes: bench.processes, clock: bench.clock)
    #expect(!repaired.hasWrongSummaries)
    let reader = try bench.reader()
    func quantiles(of feeds: [FeedPattern]) throws -> Set<DurationStatistics.Quantiles?> {
      let status = try reader.status(LoadFilter(feeds: feeds), runningLimit: nil)
      return Set(status.feeds.map(\.numbers.duration?.quantiles))
    }
    // 50 feeds have 50,000 loads.
    #expect(try quantiles(of: (0..<50).map { FeedPattern("feed \($0)") }) == [.exact])
    #expect(try quantiles(of: ["feed *"]) == [.sketch])
  }
}

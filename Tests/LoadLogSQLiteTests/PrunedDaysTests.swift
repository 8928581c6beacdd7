import LoadLogCore
import LoadLogReports
import LoadLogSQLite
import LoadLogTestSupport
import TestProcesses
import Testing

/// Compares a pruned record with the same record before pruning: all numbers that are not approximate must be
/// equal.
@Suite struct PrunedDaysTests {
  private let bench: ImportBench
  /// The same record without pruning.
  private let whole: ImportBench

  init() throws { (bench, whole) = (try ImportBench(), try ImportBench()) }

  /// Returns the minutes since the beginning of September 2026.
  private static func minute(_ day: Int, _ hour: Int, _ minute: Int = 0) -> Int {
    ((day - 1) * 24 + hour) * 60 + minute
  }

  /// Converts minutes since the beginning of September 2026 to microseconds since 1970.
  private static func wall(_ minute: Int) -> Int64 { 1_788_220_800_000_000 + Int64(minute) * 60_000_000 }

  private static func id(_ number: Int) -> String { "00000000-0000-4000-8000-\(100_000_000_000 + number)" }

  private static func start(_ number: Int, _ feed: String, _ minute: Int) -> String {
    #"{"event":"start","at":"\#(UTCTime.text(wall(minute)))","feed":"\#(feed)","id":"\#(id(number))"}"# + "\n"
  }

  private static func finish(_ number: Int, _ minute: Int, _ verdict: String = "succeeded") -> String {
    #"{"event":"finish","at":"\#(UTCTime.text(wall(minute)))","id":"\#(id(number))","verdict":"\#(verdict)"}"#
      + "\n"
  }

  /// Returns the lines of a load that takes `length` minutes.
  private static func load(_ number: Int, _ feed: String, _ minute: Int, taking length: Int = 1) -> String {
    start(number, feed, minute) + finish(number, minute + length)
  }

  /// The clock was set back by an hour while it ran: it is busy for longer than from its start to its finish.
  @Test func aLoadThatReachesBeyondTheCutoffStays() throws {
    let night = Self.minute(1, 23, 50)
    let finish = Self.finish(1, night + 5).replacing("}", with: #","duration_ns":3900000000000}"#)
    try take(
      Self.start(1, "a", night) + finish + Self.load(2, "a", Self.minute(2, 10))
        + Self.load(3, "a", Self.minute(9, 0)))
    for (cutoff, pruned) in [(night + 8, 0), (Self.minute(2, 0, 54), 0), (Self.minute(2, 1), 1)] {
      #expect(try prune(before: cutoff) == pruned)
      let status = try bench.store.reader().wholeStatus(
        LoadFilter(since: Self.wall(Self.minute(2, 0)), until: Self.wall(Self.minute(3, 0))))
      #expect(status.totals.busy == 56 * 60 * 1_000_000_000 && status.totals.isApproximate == (pruned > 0))
    }
  }

  private func take(_ text: String) throws {
    for bench in [bench, whole] { try bench.take(text) }
  }

  @discardableResult
  private func prune(before minute: Int) throws -> Int {
    try StoreDoctor.prune(
      at: bench.store.path, before: Self.wall(minute), processes: bench.store.processes,
      clock: bench.store.clock)
  }

  /// Each step has a cutoff of its own, mostly within a day.
  private func pruneInSteps(before minute: Int) throws {
    let store = try bench.store.open()
    while try store.prune(before: Self.wall(minute), limit: 2) > 0 {}
    store.close(finally: true)
  }

  /// Compares the status of both records over a window: the numbers of loads and imbalances always, all others
  /// unless approximate.
  private func compare(_ since: Int, _ until: Int?, _ comment: Comment) throws {
    let filter = LoadFilter(since: Self.wall(since), until: until.map(Self.wall))
    let (status, other) = (
      try bench.store.reader().wholeStatus(filter), try whole.store.reader().wholeStatus(filter)
    )
    #expect(
      status.totals.loads == status.feeds.reduce(0) { $0 + $1.numbers.loads }
        && status.totals.unbalanced.total == status.feeds.reduce(0) { $0 + $1.numbers.unbalanced.total },
      comment)
    #expect(status.callSites == other.callSites, comment)
    for (feed, whole) in zip(status.feeds, other.feeds) {
      #expect(feed.numbers.loads >= whole.numbers.loads, comment)
      #expect(feed.numbers.unbalanced == whole.numbers.unbalanced, comment)
      guard !feed.numbers.isApproximate else { continue }
      #expect(feed.numbers.busy == whole.numbers.busy, comment)
      #expect(feed.numbers.peakDepth == whole.numbers.peakDepth, comment)
      #expect(feed.numbers == whole.numbers, comment)
    }
    if !status.totals.isApproximate { #expect(status.totals == other.totals, comment) }
  }

  private func expectSound() throws {
    try bench.expectSound()
    try whole.expectSound()
    let copy = try ImportBench()
    var items = try bench.allItems()
    _ = try copy.take(&items)
    #expect(try copy.lines() == bench.lines())
  }

  @Test func aDayInWhichAPrunedLoadOnlyEndedIsSealedForItsFeed() throws {
    try take(
      Self.load(1, "a", Self.minute(1, 23, 50), taking: 20) + Self.load(2, "a", Self.minute(1, 23, 55))
        + Self.load(3, "b", Self.minute(2, 8)) + Self.load(4, "b", Self.minute(2, 18)))
    #expect(try prune(before: Self.minute(2, 4)) == 1)
    try compare(Self.minute(2, 12), nil, "from noon")
    try expectSound()
  }

  @Test func busyTimeOfADayGoesOnAfterEachPruning() throws {
    func expectSameBusyTime() throws {
      for hour in [0, 14, 20] {
        let filter = LoadFilter(since: Self.wall(Self.minute(1, hour)))
        let status = try bench.store.reader().wholeStatus(filter)
        let other = try whole.store.reader().wholeStatus(filter)
        #expect(status.totals.busy == other.totals.busy && status.totals.peakDepth == other.totals.peakDepth)
        for (feed, whole) in zip(status.feeds, other.feeds) {
          #expect(feed.numbers.busy == whole.numbers.busy, "\(feed.feed) from \(hour)")
          #expect(feed.numbers.peakDepth == whole.numbers.peakDepth, "\(feed.feed) from \(hour)")
        }
      }
      try expectSound()
    }
    try take(
      Self.load(1, "a", Self.minute(1, 8), taking: 10) + Self.load(2, "a", Self.minute(1, 9), taking: 10)
        + Self.load(3, "b", Self.minute(1, 9, 5), taking: 10)
        + Self.load(4, "b", Self.minute(1, 9, 55), taking: 30)
        + Self.load(5, "a", Self.minute(1, 12), taking: 30)
        + Self.load(6, "b", Self.minute(1, 12, 10), taking: 40)
        + Self.load(7, "b", Self.minute(1, 12, 20), taking: 5)
        + Self.start(8, "a", Self.minute(1, 9, 30)) + Self.finish(8, Self.minute(1, 13), "abandoned")
        + Self.load(9, "a", Self.minute(1, 15), taking: 3) + Self.load(10, "b", Self.minute(1, 15), taking: 7)
    )
    #expect(try prune(before: Self.minute(1, 10)) == 3)
    try expectSameBusyTime()
    #expect(try prune(before: Self.minute(1, 12, 45)) == 3)
    try expectSameBusyTime()
  }

  @Test func theStoreIsAtLeastAsBusyAsAFeedThatIsImportedIntoASealedDay() throws {
    try take(Self.load(1, "a", Self.minute(1, 1)) + Self.load(2, "a", Self.minute(5, 1)))
    #expect(try prune(before: Self.minute(4, 0)) == 1)
    try take(
      Self.load(3, "b", Self.minute(1, 2), taking: 600) + Self.load(4, "b", Self.minute(1, 3), taking: 540))
    let status = try bench.store.reader().wholeStatus(LoadFilter())
    #expect(status.totals.busy == 36_060 * 1_000_000_000 && status.totals.peakDepth == 2)
    try expectSound()
  }

  @Test func aWindowWithoutAMomentCountsNoSealedDay() throws {
    try take(Self.load(1, "a", Self.minute(1, 8)) + Self.load(2, "a", Self.minute(5, 8)))
    #expect(try prune(before: Self.minute(4, 0)) == 1)
    let (nine, ten) = (Self.wall(Self.minute(1, 9)), Self.wall(Self.minute(1, 10)))
    for (since, until, loads) in [(nine, ten, 1), (nine, nine, 0), (ten, nine, 0)] {
      let status = try bench.store.reader().wholeStatus(LoadFilter(since: since, until: until))
      #expect(status.totals.loads == loads && status.wholeDays.count == loads)
    }
  }

  /// A store in use prunes without storing verdicts on dead owners first.
  @Test func aLoadOfADeadOwnerIsNotOpenOnTheDaysThatPruningSeals() throws {
    let store = bench.store
    let process = store.processes.another()
    let (app, recorder) = (try store.open(in: process), try store.open())
    try store.commit(.start(SessionID(), "lost", message: nil, tag: nil), to: app)
    store.clock.advance(by: .seconds(60))
    try store.commit(.extraPop("lost", .ended), to: app, from: 2)
    process.kill()
    for day: Int64 in 0..<4 {
      let id = SessionID()
      try store.commit(.start(id, "a", message: nil, tag: nil), to: recorder, from: 1 + 2 * day)
      store.clock.advance(by: .seconds(5))
      try store.commit(.finish(id, .succeeded), to: recorder, from: 2 + 2 * day)
      store.clock.advance(by: .seconds(86_400))
    }
    let before = try store.reader().wholeStatus(LoadFilter())
    #expect(before.totals.timeBusy == .seconds(80) && before.totals.unbalanced.total == 2)
    #expect(try recorder.prune(before: store.clock.now().wall, limit: 10) == 3)
    let after = try store.reader().wholeStatus(LoadFilter())
    #expect(after.totals.isApproximate && after.totals.busy == before.totals.busy)
    #expect(after.totals.peakDepth == before.totals.peakDepth)
    #expect(after.feeds.map(\.numbers.busy) == before.feeds.map(\.numbers.busy))
    for writer in [app, recorder] { writer.close(finally: true) }
  }

  @Test func aLoadIsNotTheFirstIfOthersWerePruned() throws {
    try bench.take(
      Self.load(1, "a", Self.minute(1, 8)) + Self.load(2, "a", Self.minute(2, 8))
        + Self.load(3, "a", Self.minute(20, 8)) + Self.load(4, "a", Self.minute(21, 8)))
    #expect(try prune(before: Self.minute(5, 0)) == 2)
    let reader = try bench.store.reader()
    let first = try reader.context(of: IDTail(Self.id(3)))
    #expect(first.before == nil && first.hasLoadsWithoutRows)
    let second = try reader.context(of: IDTail(Self.id(4)))
    #expect(
      second.before == first.load && !second.hasLoadsWithoutRows, "they started before the one before it")
  }

  @Test func aLoadThatEndedAtMidnightSealsNoSecondDay() throws {
    try take(
      Self.load(1, "a", Self.minute(1, 23, 50), taking: 10) + Self.load(2, "a", Self.minute(2, 7))
        + Self.load(3, "a", Self.minute(2, 18)))
    #expect(try prune(before: Self.minute(2, 4)) == 1)
    let status = try bench.store.reader().status(
      LoadFilter(since: Self.wall(Self.minute(2, 12))), runningLimit: nil)
    #expect(status.totals.loads == 1 && !status.totals.isApproximate)
    try expectSound()
  }

  @Test func aWindowThatCutsASealedDayCountsTheWholeDayOfEachFeed() throws {
    try take(
      Self.load(1, "a", Self.minute(2, 1)) + Self.load(2, "a", Self.minute(5, 1))
        + Self.start(3, "b", Self.minute(2, 8)) + Self.finish(3, Self.minute(2, 9), "abandoned")
        + Self.load(4, "b", Self.minute(2, 18))
        + Self.start(5, "a", Self.minute(2, 2)) + Self.finish(5, Self.minute(2, 3), "abandoned"))
    #expect(try prune(before: Self.minute(2, 4)) == 1)
    try compare(Self.minute(2, 3), nil, "from three, after an imbalance")
    let status = try bench.store.reader().status(
      LoadFilter(since: Self.wall(Self.minute(2, 3))), runningLimit: nil)
    #expect(status.totals.loads == 5 && status.totals.isApproximate && status.totals.countsWholeDays)
    #expect(status.feeds.map(\.numbers.countsWholeDays) == [true, false])
    #expect(status.wholeDays == [UTCDay(of: Self.wall(Self.minute(2, 0)))])
    try expectSound()
  }

  /// All pruned loads began before the cutoff of the pruning, so rows know everything that began later.
  @Test func aWindowAfterTheLastPruningOfItsDayIsExact() throws {
    try take(
      Self.load(1, "a", Self.minute(2, 1)) + Self.load(2, "a", Self.minute(2, 9))
        + Self.load(3, "a", Self.minute(2, 18)))
    #expect(try prune(before: Self.minute(2, 4)) == 1)
    for hour in [4, 12] {
      let filter = LoadFilter(since: Self.wall(Self.minute(2, hour)))
      let status = try bench.store.reader().wholeStatus(filter)
      #expect(status == (try whole.store.reader().wholeStatus(filter)))
      #expect(status.wholeDays.isEmpty && !status.totals.isApproximate)
    }
    try compare(Self.minute(2, 2), Self.minute(2, 12), "over the cutoff")
  }

  @Test func historyReportsThePrunedLoadsOfTheDaysInItsWindow() throws {
    try take(
      (0..<40).map { Self.load($0, $0 < 30 ? "a" : "b", Self.minute(1 + $0 / 10, $0 % 10)) }.joined())
    try take(Self.start(90, "a", Self.minute(2, 11)) + Self.finish(90, Self.minute(2, 12), "failed"))
    // The last load, success and failure of each feed stay.
    #expect(try prune(before: Self.minute(9, 0)) == 38)
    func history(_ since: Int?, _ until: Int?, _ states: Set<ShownState> = [], _ feeds: [FeedPattern] = [])
      throws
      -> LoadPage
    {
      try bench.store.reader().history(
        LoadFilter(feeds: feeds, since: since.map(Self.wall), until: until.map(Self.wall), states: states))
    }
    func day(_ number: Int) -> UTCDay { UTCDay(of: Self.wall(Self.minute(number, 0))) }
    var page = try history(Self.minute(1, 2), Self.minute(2, 3))
    #expect(page.loads.isEmpty && page.total == 0 && page.pruned == 20 && page.prunedDays == day(1)...day(2))
    page = try history(Self.minute(2, 0), Self.minute(3, 0))
    #expect(page.total == 1 && page.pruned == 10 && page.prunedDays == day(2)...day(2))
    page = try history(Self.minute(1, 0), nil, [.failed])
    #expect(page.total == 1 && page.pruned == 0 && page.prunedDays == nil)
    page = try history(nil, nil)
    #expect(page.total == 3 && page.pruned == 38 && page.prunedDays == nil)
    page = try history(nil, nil, [], ["b"])
    #expect(page.total == 1 && page.pruned == 9)
    #expect(try history(Self.minute(9, 0), nil).pruned == 0)
  }

  /// The usual case of a job that runs at night.
  @Test func historyReportsPrunedLoadsOfTheDayBeforeThatReachIntoItsWindow() throws {
    try take(
      Self.load(1, "a", Self.minute(1, 8), taking: 30)
        + Self.load(2, "a", Self.minute(1, 23, 30), taking: 150)
        + Self.load(3, "b", Self.minute(1, 23, 30), taking: 90) + Self.load(4, "b", Self.minute(2, 4))
        + Self.load(5, "a", Self.minute(9, 8)) + Self.load(6, "b", Self.minute(9, 8)))
    #expect(try prune(before: Self.minute(5, 0)) == 4)
    func pruned(_ feed: FeedPattern, from hour: Int) throws -> LoadPage {
      let since = Self.wall(Self.minute(2, hour))
      return try bench.store.reader().history(
        LoadFilter(feeds: [feed], since: since, until: since + 60_000_000))
    }
    let day = UTCDay(of: Self.wall(Self.minute(1, 0)))
    let page = try pruned("a", from: 1)
    #expect(page.pruned == 2 && page.prunedDays == day...day, "those that may have reached into it")
    #expect(try pruned("a", from: 0).pruned == 2)
    #expect(try pruned("a", from: 3).pruned == 0, "none was that long")
    #expect(try pruned("b", from: 0).prunedDays == day.next...day.next, "its day has lost a load of its own")
    #expect(try pruned("b", from: 1).prunedDays == day...day.next, "and was reached")
    #expect(try pruned("b", from: 2).prunedDays == day.next...day.next, "none was that long")
  }

  @Test func aWindowBefore1970IsNotBusyWithWhatItsDayLost() throws {
    for bench in [bench, whole] {
      try bench.take(
        #"{"event":"start","at":"1970-01-01T01:00:00Z","feed":"a","id":"\#(Self.id(1))"}"# + "\n"
          + #"{"event":"finish","at":"1970-01-01T03:00:00Z","id":"\#(Self.id(1))","verdict":"succeeded"}"#
          + "\n")
    }
    try take(Self.load(2, "a", Self.minute(2, 1)))
    #expect(try prune(before: Self.minute(2, 0)) == 1)
    let status = try bench.store.reader().wholeStatus(LoadFilter(since: -2 * UTCDay.length, until: -1))
    #expect(status.totals.loads == 0 && status.totals.busy == 0 && status.totals.peakDepth == 0)
    #expect(!status.totals.isApproximate && status.totals.duration == nil)
    #expect(
      status == (try whole.store.reader().wholeStatus(LoadFilter(since: -2 * UTCDay.length, until: -1))))
    let first = try bench.store.reader().wholeStatus(LoadFilter(until: UTCDay.length))
    #expect(first.totals.loads == 1 && first.totals.busy == 7200 * 1_000_000_000)
  }

  @Test(arguments: ["succeeded", "abandoned"])
  func aLaterChangeOfALoadUpdatesTheDaysAfterASealedOne(first verdict: String) throws {
    try take(
      Self.start(1, "a", Self.minute(1, 10)) + Self.load(2, "a", Self.minute(3, 1))
        + Self.load(3, "a", Self.minute(3, 9)) + Self.load(4, "a", Self.minute(5, 9))
        + Self.load(5, "a", Self.minute(7, 9)))
    if verdict == "abandoned" { try take(Self.finish(1, Self.minute(3, 10), verdict)) }
    #expect(try prune(before: Self.minute(3, 4)) == 1)
    try take(Self.finish(1, Self.minute(verdict == "abandoned" ? 6 : 1, 11)))
    for day in 1...8 {
      try compare(Self.minute(day, 0), Self.minute(day + 1, 0), "day \(day)")
      try compare(Self.minute(day, 6), Self.minute(day + 1, 0), "day \(day) from six")
    }
    #expect(
      try bench.store.reader().wholeStatus(
        LoadFilter(since: Self.wall(Self.minute(5, 0)), until: Self.wall(Self.minute(6, 0)))
      )
      .totals.busy == (verdict == "abandoned" ? 86_400 : 60) * 1_000_000_000)
    try expectSound()
  }

  /// Records loads over two weeks and prunes some of them between their finishes.
  @Test(arguments: 1...24) func randomRecordsAgreeBeforeAndAfterPruning(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var (starts, ends) = ("", [String]())
    for number in 1...60 {
      let begun = Int.random(in: 0..<14 * 1440, using: &random)
      starts += Self.start(number, ["a", "b", "c"][number % 3], begun)
      let longest = [1, 30, 1440, 4000].randomElement(using: &random) ?? 0
      let verdicts = ["succeeded", "failed", "abandoned"].shuffled(using: &random)
      var end = begun
      // An abandoned load can still get a late finish.
      for verdict in verdicts.prefix(verdicts[0] == "abandoned" ? 2 : 1) {
        end += Int.random(in: 0...longest, using: &random)
        ends.append(Self.finish(number, end, verdict))
      }
    }
    try take(starts)
    ends.shuffle(using: &random)
    for part in 0..<3 {
      try take(ends[(part * ends.count / 3)..<((part + 1) * ends.count / 3)].joined())
      let cutoff = Int.random(in: 0..<14 * 1440, using: &random)
      if seed % 2 == 0 { try prune(before: cutoff) } else { try pruneInSteps(before: cutoff) }
    }
    for day in 1...16 {
      try compare(Self.minute(day, 0), Self.minute(day + 1, 0), "day \(day)")
      try compare(Self.minute(day, 6), Self.minute(day + 1, 18), "day \(day) from six")
      try compare(Self.minute(day, 12), nil, "day \(day) from noon")
    }
    try expectSound()
  }
}

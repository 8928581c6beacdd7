import LoadLogCore
@testable import LoadLogReports
import Testing

@Suite struct StatusCheckTests {
  /// Returns the data of the screens.
  private struct Reader: LoadReading {
    var summary = Screens.status
    var times: [Int64] = []

    func feeds() -> [Feed] { summary.feeds.map(\.feed) }
    func dates(of feed: Feed) -> FeedDates? { summary.feeds.first { $0.feed == feed }?.dates }
    func status(_ filter: LoadFilter, runningLimit: Int64?) -> StatusSummary { summary }
    func prunable(before cutoff: Int64) -> [Feed: Int] { [:] }
    func days(_ filter: LoadFilter, listing feeds: Set<Feed>) -> [DayNumbers] { [] }
    func hours(_ filter: LoadFilter) -> [HourNumbers] { [] }
    func busy(_ filter: LoadFilter, progress: (Int64, Int64) -> Void) -> BusySummary { BusySummary() }
    func history(_ filter: LoadFilter) -> LoadPage { Screens.history }
    func loads(endingIn tail: String) -> [LoadingSession] {
      Screens.history.loads.filter { $0.id.description.hasSuffix(tail) }
    }
    func unbalanced(_ filter: LoadFilter) -> [Imbalance] { Screens.imbalances.imbalances }
    func successes(of feed: Feed, limit: Int) -> [Int64] { Array(times.prefix(limit)) }
  }

  private func offenders(_ check: StatusCheck, _ reader: Reader = Reader()) throws -> [String] {
    try check.offenders(in: reader, LoadFilter(), zone: Screens.cet)
  }

  @Test func withoutLimitsItFindsImbalancesAndOverrunningLoads() throws {
    #expect(
      try offenders(StatusCheck()) == [
        "backup/db: 1 unbalanced, not acknowledged", "network: 3 unbalanced, not acknowledged",
        "reviews: 3 unbalanced, not acknowledged",
        "reviews: 1 overrunning, running since 06:29; 99 % take under 8.80 s",
      ])
  }

  @Test func orphansWithoutAFeedAreReported() throws {
    var reader = Reader()
    reader.summary.feeds = []
    #expect(try offenders(StatusCheck(), reader) == ["(feed unknown): 7 unbalanced, not acknowledged"])
  }

  @Test func aLimitChecksOnlyItself() throws {
    let day = Screens.seconds(86_400)
    #expect(
      try offenders(StatusCheck(maximumAge: day)) == [
        "archive: never updated", "backup/db: updated 1 d 7 h ago; the limit is 1 d",
        "network: never updated",
      ])
  }

  @Test func anAgeNearItsLimitSaysByHowMuchItExceedsIt() throws {
    var reader = Reader()
    reader.summary.feeds = [Screens.feeds[3]]
    reader.summary.feeds[0].dates.lastUpdated = Screens.now - 90_723 * 1_000_000
    #expect(
      try offenders(StatusCheck(maximumAge: Screens.seconds(90_000)), reader) == [
        "images: updated 1 d 1 h ago; the limit is 25 h, exceeded by 12 m 03 s"
      ])
  }

  @Test func anUpdateInTheFutureIsNoUpdate() throws {
    var reader = Reader()
    reader.summary.feeds = [Screens.feeds[3]]
    let limit = StatusCheck(maximumAge: Screens.seconds(60))
    // The answer of a store that records at the same time may be a little older than its last update.
    reader.summary.feeds[0].dates.lastUpdated = Screens.now + 1_000_000
    #expect(try offenders(limit, reader).isEmpty)
    reader.summary.feeds[0].dates.lastUpdated = Screens.now + 3 * UTCDay.length
    #expect(
      try offenders(limit, reader) == [
        "images: last updated 24 Nov 09:41, which is in the future; check the clock"
      ])
    reader.summary.feeds[0].dates.lastUpdated = .max
    #expect(try offenders(limit, reader).count == 1)
  }

  @Test func lateIsNotGuessedFromPastSuccesses() throws {
    var reader = Reader()
    reader.times = [4000, 4001, 4002].map { Screens.now - $0 * 3_600_000_000 }
    #expect(try offenders(StatusCheck(findsLate: true), reader).isEmpty)
    #expect(
      try offenders(StatusCheck(maximumAge: Screens.seconds(86_400), findsLate: true), reader)
        == offenders(StatusCheck(maximumAge: Screens.seconds(86_400))))
  }

  @Test func feedsAndIdsAreLookedUp() throws {
    let reader = Reader()
    #expect(throws: Never.self) { try reader.expectFeeds(["reviews", "back*"]) }
    #expect { try reader.expectFeeds(["revews"]) } throws: { error in
      "\(error)".contains("Did you mean \"reviews\"?")
    }
    #expect(try reader.load(matching: IDTail("41B6C1E")).id == Screens.dropped.id)
    #expect { try reader.load(matching: IDTail("ffff")) } throws: { ($0 as? LoadLogError)?.code == .notFound }
    #expect { try IDTail("b6e") } throws: { ($0 as? LoadLogError)?.code == .invalidInput }
    #expect { try IDTail("xyzzy") } throws: { ($0 as? LoadLogError)?.code == .invalidInput }
    #expect(try reader.imbalances(matching: [IDTail("b7f2e80")]).count == 1)
  }

  @Test(arguments: [
    ("revews", "reviews"), ("REVIEWS", "reviews"), ("backup", "backup/db"), ("db", nil), ("zzzzzz", nil),
    ("", nil),
    ("netwrok", "network"),
  ])
  func aSimilarNameIsSuggested(name: String, meant: String?) {
    #expect(SimilarName.of(name, among: ["backup/db", "network", "reviews"]) == meant)
  }
}

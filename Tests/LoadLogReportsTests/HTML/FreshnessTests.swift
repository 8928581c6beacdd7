import LoadLogCore
@testable import LoadLogReports
import ReportExamples
import Testing

@Suite struct FreshnessTests {
  private static let minute: Int64 = 60_000_000
  private static let day = 24 * 60 * minute

  private func freshness(
    ages minutes: [Int64],
    change: (inout FeedStatus) -> Void = { $0.dates.lastUpdated = Screens.now - minute }
  ) -> Freshness {
    let status = Screens.feed("f", loads: 9, failed: 0, Screens.statistics(1, 2, 3), change: change)
    let habit = UpdateHabit(of: minutes.map { Screens.now - $0 * Self.minute })
    return Freshness(FeedRow(status, summary: Screens.status), habit: habit, now: Screens.now)
  }

  @Test(
    arguments: [
      ([5, 15, 25], .recent, "every 10 m 00 s"), ([15, 25, 35], .older, "1.5 gaps of 10 m 00 s"),
      ([30, 40, 50], .older, "3 gaps of 10 m 00 s"), ([31, 41, 51], .oldest, "3.1 gaps of 10 m 00 s"),
      ([101, 201, 301], .older, "1 gap of 1 h 40 m"), ([31, 41], .irregular, nil),
    ] as [([Int64], Freshness.Class, String?)])
  func isTheAgeInUsualGaps(ages: [Int64], kind: Freshness.Class, words: String?) {
    #expect(freshness(ages: ages).kind == kind)
    #expect(freshness(ages: ages).words == words)
  }

  @Test func aFeedWithoutSuccessHasNoAge() {
    #expect(freshness(ages: []) { _ in }.kind == .never)
    let pushed = freshness(ages: []) {
      $0.numbers.succeeded = 0
      $0.numbers.ended = 9
    }
    #expect(pushed.kind == .unreported)
  }

  /// Successes of `loads` loads in every night, one minute apart, the last of which ended at 0.
  private func nights(_ nights: Int64, loads: Int64) -> [Int64] {
    (0..<nights).flatMap { night in (0..<loads).map { -night * Self.day - $0 * Self.minute } }
  }

  @Test(arguments: [4, 10, 90]) func twentyLoadsANightAreOneBurst(count: Int64) {
    #expect(UpdateHabit(of: nights(count, loads: 20))?.gap == Self.day * 1000)
    #expect(UpdateHabit(of: nights(count, loads: 20))?.last == 0)
  }

  @Test func aSteadyFeedHasNoBursts() {
    let steady = (0..<200).map { -Int64($0) * 10 * Self.minute }
    #expect(UpdateHabit(of: steady)?.gap == 600_000_000_000)
    // Two outages, of 40 and 20 days, are no rhythm.
    let outages = steady.map {
      $0 - ($0 < -500 * Self.minute ? 40 : $0 < -300 * Self.minute ? 20 : 0) * Self.day
    }
    #expect(UpdateHabit(of: outages)?.gap == 600_000_000_000)
  }

  @Test(arguments: [[], [1], [1, 2], [.min, 0, .max], [7, 7, 7, 7]] as [[Int64]])
  func fewOrAbsurdTimesAreNoRhythm(times: [Int64]) {
    #expect(UpdateHabit(of: times).map { $0.gap > 0 } != false)
    if times.count < 3 { #expect(UpdateHabit(of: times) == nil) }
  }

  /// A feed whose last success is far older than usual: only an expectation calls it late.
  @Test(arguments: [nil, 600] as [Int64?])
  func noSurfaceCallsAFeedFineAndLate(every seconds: Int64?) throws {
    var summary = Screens.status
    let expected = seconds.map {
      FeedExpectation(
        pattern: "images", expectation: Expectation(.every($0 * 1_000_000_000), grace: 0), since: 0)
    }
    summary.feeds = [Screens.feeds[3].judged(at: Screens.now, expecting: expected)]
    let reader = ExampleReader(
      summary, successes: { _ in (0..<9).map { Screens.now - 90 * Self.day - $0 * Self.minute } })
    let contents = try ReportContents(reading: reader, LoadFilter(), store: "x")
    let words = PageText(contents).words
    #expect(words.contains("1 over 3 usual gaps"))
    let report = StatusReport(summary, store: "x")
    let condition = try #require(report.rows.first).word
    #expect(condition == (expected == nil ? "fine" : "late"))
    // The chip, the row of the table, the heading of the charts and the legend; of a late feed also the reason.
    #expect(words.ranges(of: /✓ (1 )?fine\b/).count == (expected == nil ? 4 : 1))
    #expect(words.ranges(of: /! (1 )?late\b/).count == (expected == nil ? 1 : 5))
    let text = report.text(Screens.page())
    #expect(text.contains("late") == (expected != nil) && text.contains("✓") == (expected == nil))
  }
}

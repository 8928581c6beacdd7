import LoadLogCore
@testable import LoadLogReports
import Testing

@Suite struct DaySeriesTests {
  private func bins(_ first: Int64, _ last: Int64) -> DayBins {
    DayBins(from: UTCDay(number: first), to: UTCDay(number: last))
  }

  @Test(
    arguments: [(1, 1, 1), (53, 53, 1), (54, 27, 2), (100, 50, 2), (366, 53, 7)] as [(Int64, Int, Int64)])
  func daysAreMergedIntoAtMost53Points(span: Int64, count: Int, each: Int64) {
    let bins = bins(1000, 999 + span)
    #expect(bins.count == count)
    #expect(bins.daysPerBin == each)
    #expect(bins.firstDay(of: 0).number == 1000)
    #expect(bins.lastDay(of: count - 1).number == 999 + span)
  }

  @Test(arguments: [1, 53, 55, 200, 366] as [Int64]) func eachDayBelongsToOnePoint(span: Int64) {
    let bins = bins(1000, 999 + span)
    var covered: [Int64] = []
    for index in 0..<bins.count {
      covered += bins.firstDay(of: index).number...bins.lastDay(of: index).number
    }
    #expect(covered == Array(1000..<1000 + span))
    for number in covered {
      let index = bins.index(of: UTCDay(number: number))
      #expect(
        index.map { bins.firstDay(of: $0).number <= number && number <= bins.lastDay(of: $0).number } == true)
    }
    #expect(bins.index(of: UTCDay(number: 999)) == nil)
    #expect(bins.index(of: UTCDay(number: 1000 + span)) == nil)
  }

  @Test func onlyTheLastYearIsShownInOrder() {
    #expect(bins(-4_000_000, 20_000).first.number == 20_000 - DayBins.longest + 1)
    #expect(bins(20_005, 20_000).first.number == 20_000)
    #expect(bins(20_005, 20_000).count == 1)
  }

  private func day(_ number: Int64, succeeded: [Double], others: [Double] = [], failed: Int = 0) -> DayNumbers
  {
    var day = DayNumbers(feed: "f", day: UTCDay(number: number))
    day.numbers.loads = succeeded.count + others.count
    day.numbers.failed = failed
    for seconds in succeeded { day.succeeded.add(Screens.seconds(seconds)) }
    for seconds in others { day.others.add(Screens.seconds(seconds)) }
    return day
  }

  @Test func daysOfOnePointAreAddedUp() throws {
    let bins = bins(1001, 1060)
    var series = DaySeries(bins)
    series.add(
      [
        day(1001, succeeded: [1]), day(1002, succeeded: [3], others: [100], failed: 1),
        day(1060, succeeded: [7]),
        day(2000, succeeded: [9]),
      ], in: bins)
    #expect(series.loads.prefix(2) == [3, 0])
    #expect(series.loads.last == 1)
    #expect(series.failed.first == 1)
    let first = try #require(series.statistics.first ?? nil)
    #expect(abs(first.p50 - 2e9) / 2e9 < 0.011)
    #expect(first.max == 3_000_000_000)
    #expect(series.statistics[1] == nil)
    #expect(series.durations.count == 3)
    #expect(series.isOfSuccesses)
  }

  @Test func allDurationsCountIfNoLoadSucceeded() {
    let bins = bins(1001, 1002)
    var series = DaySeries(bins)
    series.add([day(1001, succeeded: [], others: [2, 4])], in: bins)
    #expect(!series.isOfSuccesses)
    #expect(series.durations.count == 2)
    #expect(series.statistics[0]?.max == 4_000_000_000)
    #expect(SpreadChart(series: series, quantiles: nil).chart("x").caption == "Loads by duration")
  }

  @Test func sparklinesHaveGapsWhereNoLoadFinished() {
    let bins = bins(1001, 1004)
    var series = DaySeries(bins)
    series.add([day(1001, succeeded: [1]), day(1002, succeeded: [2]), day(1004, succeeded: [2])], in: bins)
    let line = Sparkline(series: series)
    #expect(line.line.count { $0 == "M" } == 2)
    #expect(line.words == "1.00 s to 2.00 s")
    #expect(Sparkline(series: DaySeries(bins)).words == nil)
  }

  @Test func freshnessIsTheAgeInUsualGaps() throws {
    let now = Screens.now
    func freshness(_ change: (inout FeedStatus) -> Void, ages minutes: [Int64]) -> Freshness {
      let status = Screens.feed("f", loads: 9, failed: 0, Screens.statistics(1, 2, 3), change: change)
      let habit = UpdateHabit(of: minutes.map { now - $0 * 60_000_000 })
      return Freshness(FeedRow(status, summary: Screens.status), habit: habit, now: now)
    }
    let updated: (inout FeedStatus) -> Void = { $0.dates.lastUpdated = now - 60_000_000 }
    #expect(freshness(updated, ages: [5, 15, 25]).kind == .onTime)
    #expect(freshness(updated, ages: [5, 15, 25]).words == "every 10 m 00 s")
    #expect(freshness(updated, ages: [15, 25, 35]).kind == .due)
    #expect(freshness(updated, ages: [30, 40, 50]).words == "due, every 10 m 00 s")
    #expect(freshness(updated, ages: [31, 41, 51]).words == "late, every 10 m 00 s")
    #expect(freshness(updated, ages: [31, 41]).kind == .irregular)
    #expect(freshness({ _ in }, ages: []).kind == .never)
    #expect(
      freshness(
        {
          $0.numbers.succeeded = 0; $0.numbers.ended = 9
        }, ages: []
      ).kind == .unreported)
  }
}

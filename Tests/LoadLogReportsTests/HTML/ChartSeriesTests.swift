import LoadLogCore
@testable import LoadLogReports
import Testing

@Suite struct ChartSeriesTests {
  private func bins(_ first: Int64, _ last: Int64) -> ChartBins {
    ChartBins(from: UTCDay(number: first).start, to: UTCDay(number: last).end, recorded: .min ..< .max)
  }

  @Test(
    arguments: [(1, 1, 1), (53, 53, 1), (54, 27, 2), (100, 50, 2), (366, 53, 7)] as [(Int64, Int, Int64)])
  func daysAreMergedIntoAtMost53Points(span: Int64, count: Int, each: Int64) {
    let bins = bins(1000, 999 + span)
    #expect(bins.count == count)
    #expect(bins.unitsPerBin == each)
    #expect(bins.span == UTCDay(number: 1000).start..<UTCDay(number: 999 + span).end)
  }

  @Test(arguments: [1, 53, 55, 200, 366] as [Int64]) func eachDayBelongsToOnePoint(span: Int64) {
    let bins = bins(1000, 999 + span)
    var covered: [Int64] = []
    for index in 0..<bins.count {
      covered += UTCDay(of: bins.start(of: index)).number..<UTCDay(of: bins.end(of: index)).number
    }
    #expect(covered == Array(1000..<1000 + span))
    for number in covered {
      for wall in [UTCDay(number: number).start, UTCDay(number: number).end - 1] {
        let index = bins.index(of: wall)
        #expect(index.map { (bins.start(of: $0)..<bins.end(of: $0)).contains(wall) } == true)
      }
    }
    #expect(bins.index(of: UTCDay(number: 1000).start - 1) == nil)
    #expect(bins.index(of: UTCDay(number: 1000 + span).start) == nil)
  }

  @Test func onlyTheLastYearIsShownInOrder() {
    #expect(bins(-4_000_000, 20_000).span.lowerBound == UTCDay(number: 20_000 - ChartBins.longest + 1).start)
    #expect(bins(20_005, 20_000).span.lowerBound == UTCDay(number: 20_000).start)
    #expect(bins(20_005, 20_000).count == 1)
  }

  private static let dayLength = UTCDay.length, hourLength = HourNumbers.length

  @Test(arguments: [
    (3 * dayLength - 1, true, true, 72), (3 * dayLength, true, false, 3), (2 * dayLength, false, false, 2),
    (1, true, true, 1), (hourLength + 1, true, true, 2),
  ])
  func lessThanThreeDaysAreDividedIntoHours(length: Int64, isAllowed: Bool, isHourly: Bool, count: Int) {
    let start = 20_000 * Self.dayLength
    let bins = ChartBins(from: start, to: start + length, recorded: .min ..< .max, isHourly: isAllowed)
    #expect(bins.isHourly == isHourly && bins.count == count)
    #expect(bins.end(of: 0) - bins.start(of: 0) == (isHourly ? Self.hourLength : Self.dayLength))
    #expect(bins.index(of: start + length - 1) == count - 1)
  }

  @Test func pointsAtTheEndsOfTheRecordArePartial() {
    let start = 1000 * Self.dayLength
    func partial(_ recorded: Range<Int64>, days: Int64 = 4) -> [Int] {
      let bins = ChartBins(from: start, to: start + days * Self.dayLength, recorded: recorded)
      return (0..<bins.count).filter(bins.isPartial)
    }
    #expect(partial(start..<start + 4 * Self.dayLength) == [])
    #expect(partial(start + 1..<start + 4 * Self.dayLength) == [0])
    #expect(partial(start - 1..<start + 4 * Self.dayLength - 1) == [3])
    // 55 days are 27 points of two days, and one of a single day.
    #expect(partial(start..<start + 55 * Self.dayLength, days: 55) == [0])
  }

  @Test func loadsThatFailedOrNeverFinishedAreCounted() {
    let bins = bins(1001, 1001)
    var series = ChartSeries(bins)
    var day = day(1001, succeeded: [1, 1, 1], failed: 2)
    for state in [SessionState.crashed, .rebooted, .abandoned] {
      day.numbers.unbalanced.add(.unfinishedStart(state), acknowledged: true)
    }
    day.numbers.unbalanced.add(.unmatchedFinish(.extraPop), acknowledged: false)
    day.numbers.loads = 8
    series.add([day], in: bins)
    #expect(series.unfinished == [3] && series.failed == [2] && series.bad(0) == 5)
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
    var series = ChartSeries(bins)
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
    var series = ChartSeries(bins)
    series.add([day(1001, succeeded: [], others: [2, 4])], in: bins)
    #expect(!series.isOfSuccesses)
    #expect(series.durations.count == 2)
    #expect(series.statistics[0]?.max == 4_000_000_000)
    #expect(SpreadChart(series: series, quantiles: nil).chart.caption == "Loads by duration")
  }

  @Test func sparklinesHaveGapsWhereNoLoadFinished() {
    let bins = bins(1001, 1004)
    var series = ChartSeries(bins)
    series.add([day(1001, succeeded: [1]), day(1002, succeeded: [2]), day(1004, succeeded: [2])], in: bins)
    let line = Sparkline(series: series)
    #expect(line.line.count { $0 == "M" } == 2)
    #expect(line.words == "1.00 s to 2.00 s")
    #expect(Sparkline(series: ChartSeries(bins)).words == nil)
  }
}

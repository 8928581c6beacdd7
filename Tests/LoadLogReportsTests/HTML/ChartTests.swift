import LoadLogCore
@testable import LoadLogReports
import Testing

@Suite struct ChartTests {
  private static let hour: Int64 = 3_600_000_000
  private static let day = 0..<24 * hour
  private let utc = LocalTime(zone: .fixed(hours: 0, "UTC"))

  private func load(from start: Double, hours: Double, _ state: SessionState = .succeeded) -> LoadingSession {
    var load = Screens.load("1234567", "f", "2026-11-20", state, hours * 3600)
    load.started = LoadInstant(wall: Int64(start * Double(Self.hour)), boot: 0)
    return load
  }

  private func depth(
    _ loads: [LoadingSession], total: Int? = nil, window: Range<Int64> = day, now: Int64 = day.upperBound
  ) -> DepthChart {
    DepthChart(
      page: LoadPage(loads: loads, total: total ?? loads.count), window: window, time: utc, now: now)
  }

  @Test func theTimelineNamesItsTimeRange() {
    #expect(depth([]).chart.caption == "Loads open at once, last 24 hours, UTC")
    #expect(
      depth([], now: Self.day.upperBound + 1).chart.caption
        == "Loads open at once, 01 Jan 00:00 – 02 Jan 00:00, UTC")
    #expect(
      depth([], window: 18 * Self.hour..<24 * Self.hour).chart.caption
        == "Loads open at once, 01 Jan 18:00 – 02 Jan 00:00, UTC")
  }

  @Test func axesShowTheirUnit() {
    #expect(depth([load(from: 1, hours: 2)]).chart.drawing.contains(">open</text>"))
    let bins = Self.bins(days: 1)
    var day = DayNumbers(feed: "f", day: UTCDay(number: 1))
    day.numbers.loads = 1
    day.succeeded.add(1_000_000_000)
    var series = ChartSeries(bins)
    series.add([day], in: bins)
    let axis = TimeAxis(bins: bins, frame: ChartFrame(), time: utc)
    let spread = SpreadChart(series: series, quantiles: day.succeeded.statistics()).chart
    for chart in [spread, ActivityChart(series: series, axis: axis).chart] {
      #expect(chart.drawing.contains(">loads</text>"))
    }
    #expect(DurationsChart(series: series, axis: axis).chart.drawing.contains(" s</text>"))
  }

  /// A damaged store can contain any counts.
  @Test func theSpreadOfImpossibleCountsIsDrawn() throws {
    let buckets = [(0, Int.max), (1, Int.max), (100, 1)].map {
      DurationHistogram.Bucket(index: $0, count: $1)
    }
    let histogram = try #require(DurationHistogram(zeroCount: 0, buckets: buckets))
    let tally = DurationTally(histogram: histogram, sum: .max, least: 0, greatest: .max)
    #expect(spread(tally).hasPrefix("9,223,372,036,854,775,807 loads between "))
  }

  @Test func durationsOf0AreNotInTheRangeOfTheOthers() {
    func summary(_ seconds: Double...) -> String {
      var tally = DurationTally()
      for second in seconds { tally.add(Screens.seconds(second)) }
      return spread(tally)
    }
    #expect(summary() == "No durations are known.")
    #expect(summary(0, 0, 0) == "3 loads took no measurable time.")
    #expect(summary(1, 2).hasPrefix("2 loads between ") && !summary(1, 2).contains("measurable"))
    let mixed = summary(0, 1, 2, 2)
    #expect(mixed.hasPrefix("3 loads between "))
    #expect(mixed.contains(", and 1 load of no measurable time: half take no longer than "), "\(mixed)")
  }

  /// The words of the chart that shows how durations of successes are spread.
  private func spread(_ tally: DurationTally) -> String {
    let bins = Self.bins(days: 1)
    var day = DayNumbers(feed: "f", day: UTCDay(number: 1))
    day.succeeded = tally
    var series = ChartSeries(bins)
    series.add([day], in: bins)
    return SpreadChart(series: series, quantiles: tally.statistics()).chart.summary
  }

  @Test(
    arguments: [
      (1, ["02"]), (2, ["02", "03"]), (4, ["02", "03", "04", "05"]), (6, ["02", "05", "07"]),
      (7, ["02", "04", "06", "08"]), (10, ["02", "05", "08", "11"]),
    ] as [(Int64, [String])])
  func datesDoNotTouch(days: Int64, labels: [String]) {
    var drawing = Drawing()
    TimeAxis(bins: Self.bins(days: days), frame: ChartFrame(), time: utc).draw(in: &drawing)
    #expect(drawing.markup.matches(of: />(\d\d) Jan</).map { String($0.1) } == labels)
  }

  @Test func theTimelineSummaryGivesTheMaximumDepth() {
    let chart = depth([
      load(from: 12, hours: 6, .running), load(from: 2, hours: 2, .failed), load(from: 1, hours: 2),
      load(from: -5, hours: 6.5), load(from: 20, hours: 1, .crashed),
    ]).chart
    #expect(
      chart.summary
        == "5 loads, 1 failed, 1 never finished, 1 still running; open 45.8 % of the time, at most 2 at once."
    )
    #expect(chart.keys.map(\.word) == ["mean", "peak", "failed", "never finished", "running"])
  }

  @Test func aLoadOfAnOwnerOutOfSightIsNotDrawnAsRunning() {
    var unknown = load(from: 12, hours: 6, .running)
    unknown.isUnknown = true
    let chart = depth([unknown]).chart
    #expect(chart.summary == "1 load, 1 unknown; open 25 % of the time, at most 1 at once.")
    #expect(chart.keys.map(\.word) == ["mean", "peak"])
  }

  @Test func theTimelineNamesLoadsThatAreOnlyCounted() {
    func chart(_ loads: [LoadingSession], pruned: Int) -> DepthChart {
      var page = LoadPage(loads: loads, total: loads.count)
      page.pruned = pruned
      page.prunedDays = UTCDay(number: 0)...UTCDay(number: 0)
      return DepthChart(page: page, window: Self.day, time: utc, now: Self.day.upperBound)
    }
    let none = chart([], pruned: 30)
    #expect(
      none.chart.summary
        == "No loads can be drawn: 30 loads that started on 01 Jan (UTC) were only counted.")
    #expect(
      none.remark == "The timeline lacks loads: 30 loads that started on 01 Jan (UTC) were only counted.")
    let some = chart([load(from: 2, hours: 2, .failed)], pruned: 1)
    #expect(some.chart.summary == "1 load, 1 failed; others were only counted.")
    #expect(
      some.remark == "The timeline lacks loads: 1 load that started on 01 Jan (UTC) was only counted.")
    #expect(depth([]).remark == nil && depth([]).chart.summary == "No loads were open in this period.")
  }

  @Test func theTimelineIsDrawnToScale() throws {
    let frame = ChartFrame()
    // From 06:00 to 12:00 one load, from 12:00 to 18:00 two.
    let drawing = depth([load(from: 12, hours: 6), load(from: 6, hours: 12)]).chart.drawing
    let area = try #require(drawing.firstMatch(of: /<path class="depth" d="(M[^"]*)"/)).1
    let (quarter, half, low) = (frame.left + frame.width / 4, frame.left + frame.width / 2, frame.bottom)
    let (one, two) = ((frame.top + low) / 2, frame.top)
    let numbers = area.matches(of: /[\d.]+/).compactMap { Double($0.output) }
    let expected = [quarter, low, one, half, two, frame.left + frame.width * 0.75, low]
    #expect(numbers.count == expected.count)
    for (number, wanted) in zip(numbers, expected) { #expect(abs(number - wanted) <= 1, "\(area)") }
  }

  /// One load of a second in every quarter of an hour, so busy 0.1 % of the day.
  @Test func theTimelineDrawsTheShareOfTime() throws {
    let chart = depth((0..<96).map { load(from: Double($0) / 4, hours: 1.0 / 3600) }).chart
    #expect(chart.summary == "96 loads; open 0.1 % of the time, at most 1 at once.")
    let frame = ChartFrame()
    let area = try #require(chart.drawing.firstMatch(of: /<path class="depth" d="(M[^"]*)"/)).1
    let tops = area.matches(of: /V([\d.]+)/).compactMap { Double($0.1) }
    #expect(!tops.isEmpty && tops.allSatisfy { $0 > frame.bottom - frame.height / 50 }, "\(area)")
    let peak = try #require(chart.drawing.firstMatch(of: /<path class="peak" d="M48 ([\d.]+)H323"/)).1
    #expect(Double(peak) == frame.top)
  }

  private static func bins(days: Int64, recorded: Range<Int64> = .min ..< .max) -> ChartBins {
    ChartBins(from: UTCDay.length, to: (1 + days) * UTCDay.length, recorded: recorded)
  }

  /// Five days with ten loads each, of which the day's number failed; the last day is not over.
  private func chart(_ make: (ChartSeries, TimeAxis) -> Chart) -> Chart {
    let bins = Self.bins(days: 5, recorded: 0..<6 * UTCDay.length - 1)
    var series = ChartSeries(bins)
    series.add(
      (0..<5).map { index in
        var day = DayNumbers(feed: "f", day: UTCDay(number: Int64(index) + 1))
        day.numbers.loads = 10
        day.numbers.failed = index
        return day
      }, in: bins)
    return make(series, TimeAxis(bins: bins, frame: ChartFrame(), time: utc))
  }

  /// The heights of the bars of a class, in order.
  private func heights(_ style: String, in drawing: String) -> [Double] {
    drawing.matches(of: /<path class="([a-z ]+)" d="([^"]*)"/).filter { $0.1 == style }.flatMap { path in
      path.2.matches(of: /M[\d.]+ ([\d.]+)V([\d.]+)/).compactMap { box in
        Double(box.1).flatMap { bottom in Double(box.2).map { bottom - $0 } }
      }
    }
  }

  @Test func failuresAreStackedOnTheBars() {
    let chart = chart { ActivityChart(series: $0, axis: $1).chart }
    let load = ChartFrame().height / 10
    for (found, wanted) in [("bar", [10, 9, 8, 7]), ("bar part", [6]), ("fault", [1, 2, 3, 4])] {
      let heights = heights(found, in: chart.drawing).map { ($0 / load * 10).rounded() / 10 }
      #expect(heights == wanted.map(Double.init), "\(found)")
    }
    #expect(chart.keys.map(\.word) == ["loads", "failed", "incomplete day"])
    #expect(chart.summary.hasSuffix("per day: 50 loads, 10 failed; at most 10 loads."))
    #expect(chart.drawing.contains("<title>06 Jan: 10 loads, 4 failed</title>"))
  }

  @Test func theLegendNamesOnlyWhatIsDrawn() {
    let bins = Self.bins(days: 1, recorded: 0..<2 * UTCDay.length - 1)
    var day = DayNumbers(feed: "f", day: UTCDay(number: 1))
    (day.numbers.loads, day.numbers.failed) = (3, 3)
    var series = ChartSeries(bins)
    series.add([day], in: bins)
    let axis = TimeAxis(bins: bins, frame: ChartFrame(), time: utc)
    #expect(ActivityChart(series: series, axis: axis).chart.keys.map(\.word) == ["failed"])
  }

  @Test func theStripHasACellForEveryPoint() {
    let chart = chart { CalendarStrip(series: $0, axis: $1).chart }
    #expect(chart.drawing.contains("<path class=\"calm\" d=\"M191 50.5H199\"/>"))
    // Each failed point is one shape: its part of the bar, and its cell, which is taller than a green one.
    #expect(heights("fault", in: chart.drawing) == [3, 14, 7, 14, 10, 14, 14, 14])
    #expect(chart.drawing.ranges(of: "<title>").count == 4)
    #expect(chart.summary.hasSuffix("per day: 10 failed, on 4 days; no failures on 1 day with loads."))
    #expect(chart.caption == "Loads per day, at most 10")
  }

  @Test(arguments: [
    (0.0, "0 %"), (0.0001, "<0.1 %"), (0.985, "98.5 %"), (0.87879, "87.9 %"), (0.9996, "99.9 %"),
    (1, "100 %"), (0.5, "50 %"),
  ])
  func sharesAreNeverRoundedToAllOrNothing(share: Double, text: String) {
    #expect(Words.percent(share) == text)
  }

  @Test func aPeriodWithoutLoadsSaysSo() {
    let bins = Self.bins(days: 2)
    let (series, axis) = (ChartSeries(bins), TimeAxis(bins: bins, frame: ChartFrame(), time: utc))
    let strip = CalendarStrip(series: series, axis: axis).chart
    for chart in [ActivityChart(series: series, axis: axis).chart, strip] {
      #expect(chart.summary == "No loads started in this period.")
      #expect(!chart.isDrawn)
    }
  }

  @Test func hoursHaveTicksAtRoundLocalTimes() {
    let day = Self.day.lowerBound..<3 * Self.day.upperBound
    let ticks = HourTicks.in(day, time: LocalTime(zone: .fixed(hours: 1, "CET")), most: 6)
    #expect(ticks.map(\.label) == ["12:00", "02 Jan", "12:00", "03 Jan", "12:00", "04 Jan"])
    #expect(ticks.first?.wall == 11 * Self.hour)
    #expect(HourTicks.in(0..<Self.hour, time: utc, most: 5).map(\.label) == ["01 Jan", "01:00"])
  }

  @Test func aLoadWithoutDurationIsVisibleAndAnEmptyDaySaysSo() {
    #expect(depth([load(from: 3, hours: 0)]).chart.drawing.contains("class=\"depth\""))
    #expect(depth([]).chart.summary == "No loads were open in this period.")
    #expect(!depth([]).chart.isDrawn)
  }

  @Test func aTruncatedTimelineNamesItsStart() {
    let chart = depth([load(from: 20, hours: 1), load(from: 7.5, hours: 1)], total: 9)
    #expect(chart.remark == "The timeline shows the newest 2 of the day’s 9 loads, starting at 07:30.")
    #expect(chart.chart.drawing.contains("class=\"edge\""))
    #expect(depth([load(from: 20, hours: 1)]).remark == nil)
  }

  @Test(arguments: [
    (0, 1), (1, 1), (3, 3), (4, 4), (5, 6), (9, 10), (101, 150), (9_999, 10_000),
    (Int.max, 1_000_000_000_000),
  ])
  func countAxesHaveRoundSteps(count: Int, greatest: Int) {
    let ticks = CountTicks.values(reaching: count)
    #expect(ticks.first == 0)
    #expect(ticks.last == greatest)
    #expect((2...5).contains(ticks.count))
  }

  @Test(arguments: [(0, "0"), (9_999, "9,999"), (12_000, "12k"), (1_500_000, "1.5M")])
  func largeCountsAreAbbreviated(count: Int, label: String) {
    #expect(CountTicks.label(count) == label)
  }

  @Test(arguments: [1.0, 300, 5e4, 2e6, 0.4e9, 1.2e9, 59e9, 90e9, 4e12, 9e13, 4e15, 9e18])
  func aLinearAxisHasTwoToFiveTicksWithDistinctLabels(greatest: Double) {
    let scale = DurationScale(upTo: greatest, from: 152, to: 22)
    let ticks = scale.ticks(gap: 26)
    #expect((2...7).contains(ticks.count), "\(ticks)")
    #expect(Set(ticks.map(\.label)).count == ticks.count, "\(ticks)")
    #expect(ticks.first?.label == "0")
    #expect(ticks.allSatisfy { (22...152.01).contains($0.position) })
  }

  @Test(arguments: [(1.0, 2.0), (1e6, 4e6), (0.9e9, 1.1e9), (2e8, 3e10), (1.0, 9e18), (280e9, 310e9)])
  func ticksOnALogarithmicAxisKeepTheirDistance(low: Double, high: Double) {
    let ticks = DurationScale(logarithmic: low...high, from: 48, to: 324).ticks(gap: 44)
    #expect((2...7).contains(ticks.count), "\(ticks)")
    #expect(Set(ticks.map(\.label)).count == ticks.count, "\(ticks)")
    for (one, next) in zip(ticks, ticks.dropFirst()) {
      #expect(next.position - one.position > 30, "\(ticks)")
    }
  }

  @Test(arguments: [
    (0, "0"), (1e3, "1 µs"), (2e6, "2 ms"), (1.5e9, "1.5 s"), (90e9, "1.5 m"), (43_200e9, "12 h"),
    (172_800e9, "2 d"), (60e9, "1 m"), (66e9, "1.1 m"), (80e9, "80 s"), (4_800e9, "80 m"), (93_600e9, "26 h"),
  ])
  func tickLabelsUseTheLargestUnitInWhichTheyAreExact(nanoseconds: Double, label: String) {
    #expect(DurationTicks.label(nanoseconds) == label)
  }

  @Test func pathNumbersAreShortAndValid() {
    let numbers = [0, 1, -1.25, 0.04, 99.96, 1e300, .infinity, .nan].map { DrawnPath.number($0) }
    #expect(numbers == ["0", "1", "-1.3", "0", "100", "0", "0", "0"])
  }
}

import Foundation
import LoadLogCore
import Testing

@Suite struct StatisticsTests {
  /// A generator that returns the same numbers in each run.
  struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  enum Distribution: String, CaseIterable {
    case uniform, exponential, twoPeaks, constant, powersOfTwo, withZeros, tiny, huge

    func durations(_ count: Int) -> [Int64] {
      var generator = Generator(state: 42)
      return (0..<count).map { number in
        let share = Double.random(in: 0..<1, using: &generator)
        return switch self {
        case .uniform: Int64(share * 1e9) + 1
        case .exponential: Int64(-log(1 - share) * 2e8) + 1
        case .twoPeaks: share < 0.5 ? Int64(1e6 + share * 1e5) : Int64(3e9 + share * 1e8)
        case .constant: 1_234_567_890
        case .powersOfTwo: 1 << (number % 60)
        case .withZeros: share < 0.3 ? 0 : Int64(share * 1e9)
        case .tiny: Int64(share * 5) + 1
        case .huge: Int64.max - Int64(share * 1e18)
        }
      }
    }
  }

  @Test(arguments: Distribution.allCases)
  func histogramQuantilesAreWithinTheirErrorOfSortedDurations(_ distribution: Distribution) {
    let durations = distribution.durations(5000)
    var histogram = DurationHistogram()
    durations.forEach { histogram.add($0) }
    let sorted = durations.sorted()
    #expect(histogram.count == 5000)
    let worst =
      sorted.indices.map { rank in
        abs(histogram.orderStatistic(rank) - Double(sorted[rank])) / max(Double(sorted[rank]), 1)
      }.max() ?? 1
    #expect(worst <= 0.011)
  }

  @Test(arguments: Distribution.allCases)
  func quantilesAreExactForFewDurationsAndEstimatedForMany(_ distribution: Distribution) throws {
    for count in [1, 2, 999, 1000, 1001, 5000] {
      let durations = distribution.durations(count)
      var tally = DurationTally()
      durations.forEach { tally.add($0) }
      let sorted = durations.sorted()
      let isExact = count <= DurationStatistics.exactLimit
      let found = try #require(tally.statistics(sorted: isExact ? sorted : nil))
      #expect(found.count == count && found.min == sorted.first && found.max == sorted.last)
      let sum = durations.reduce(Int64(0)) { $0.addingReportingOverflow($1).overflow ? .max : $0 &+ $1 }
      #expect(found.sum == sum)
      #expect(found.quantiles == (isExact ? .exact : .sketch))
      for (fraction, value) in [(0.5, found.p50), (0.9, found.p90), (0.95, found.p95), (0.99, found.p99)] {
        // Hyndman and Fan's type 7, computed from the sorted durations.
        let position = fraction * Double(count - 1)
        let (low, high) = (sorted[Int(position)], sorted[min(Int(position) + 1, count - 1)])
        let exact = Double(low) + (position - position.rounded(.down)) * (Double(high) - Double(low))
        let tolerance = isExact ? 1e-9 : 0.011
        #expect(abs(value - exact) <= max(tolerance * exact, 1e-6), "\(distribution) \(count) \(fraction)")
      }
    }
    #expect(DurationTally().statistics(sorted: []) == nil)
  }

  @Test(arguments: Distribution.allCases)
  func talliesMergeWithoutLoss(_ distribution: Distribution) throws {
    let durations = distribution.durations(3000)
    var (whole, first, second) = (DurationTally(), DurationTally(), DurationTally())
    for (index, duration) in durations.enumerated() {
      whole.add(duration)
      if index.isMultiple(of: 3) { first.add(duration) } else { second.add(duration) }
    }
    first.merge(second)
    first.merge(DurationTally())
    #expect(first == whole && whole.count == 3000)
    let histogram = whole.histogram
    #expect(DurationHistogram(zeroCount: histogram.zeroCount, buckets: histogram.buckets) == histogram)
    #expect(DurationHistogram(zeroCount: -1, buckets: []) == nil)
    #expect(DurationHistogram(zeroCount: 0, buckets: [.init(index: 2, count: 0)]) == nil)
    #expect(
      DurationHistogram(zeroCount: 0, buckets: [.init(index: 2, count: 1), .init(index: 2, count: 1)]) == nil)
    #expect(DurationTally().statistics() == nil)
  }

  @Test(
    arguments: [(-1, -1), (0, 0), (86_399_999_999, 0), (86_400_000_000, 1), (-86_400_000_001, -2)]
      as [(Int64, Int64)])
  func daysBeginAtMidnightUTC(wall: Int64, number: Int64) {
    let day = UTCDay(of: wall)
    #expect(day.number == number && day.start <= wall && wall < day.end)
  }

  @Test(
    arguments: [(1, -1), (2, 31), (3, 50), (4, 63), (1024, 319), (1025, 320), (Int64.max, 2015)]
      as [(Int64, Int)])
  func bucketsAreOpenBelowAndClosedAbove(duration: Int64, index: Int) {
    #expect(DurationHistogram.index(of: duration) == index)
    let (lower, upper) = (exp2(Double(index) / 32), exp2(Double(index + 1) / 32))
    #expect(lower < Double(duration) && Double(duration) <= upper)
  }

  @Test(
    arguments: [
      (0, 1), (0.25, 1.75), (0.5, 2.5), (0.9, 3.7), (1, 4),
    ] as [(Double, Double)])
  func quantilesInterpolateBetweenRanks(fraction: Double, expected: Double) {
    let values = [1.0, 2, 3, 4]
    #expect(abs(Quantiles.quantile(fraction, count: 4) { values[$0] } - expected) < 1e-12)
    #expect(Quantiles.quantile(fraction, count: 1) { _ in 7 } == 7)
  }

  @Test(
    arguments: [
      ([], nil, 0, 0), ([(0, 3), (0, 5)], nil, 5, 2), ([(0, 2), (2, 4)], nil, 4, 1),
      ([(0, 0), (1, 1)], nil, 0, 0),
      ([(0, 10), (1, 2), (1, 3), (4, 6)], nil, 10, 3), ([(0, 2), (5, 7)], nil, 4, 1),
      ([(0, 10), (4, 6)], 5..<8, 3, 2), ([(0, 10), (4, 6)], 6..<8, 2, 1), ([(0, 10)], 20..<30, 0, 0),
      ([(0, 10), (5, 20)], 0..<0, 0, 0), ([(5, 3)], nil, 0, 0),
      ([(.min, .max), (.min, .max)], nil, .max, 2), ([(.min, 5), (-5, .max)], nil, .max, 2),
      ([(.max - 1, .max)], nil, 1, 1), ([(.min, .min + 1), (0, .max)], nil, .max, 1),
    ] as [([(Int64, Int64)], Range<Int64>?, Int64, Int)])
  func theSweepFindsUnionAndPeak(
    intervals: [(Int64, Int64)], window: Range<Int64>?, busy: Int64, peak: Int
  ) {
    let found = sweep(intervals, window ?? .min ..< .max)
    #expect(found.busy == busy && found.peakDepth == peak)
  }

  private func sweep(_ intervals: [(Int64, Int64)], _ window: Range<Int64>) -> BusyTime {
    var (found, sweep) = (BusyTime(), DepthSweep())
    for (start, end) in intervals {
      sweep.add(.init(start: start, end: end)) { found.add($0, within: window) }
    }
    sweep.advance(to: .max) { found.add($0, within: window) }
    return found
  }

  @Test func theSweepAgreesWithCountingEachInstant() {
    var generator = Generator(state: 7)
    for _ in 0..<50 {
      let intervals = (0..<40).map { _ in
        let start = Int64.random(in: 0..<100, using: &generator)
        return (start, start + Int64.random(in: 0..<20, using: &generator))
      }.sorted { $0.0 < $1.0 }
      let depths = (10..<90).map { instant in intervals.count { $0.0 <= instant && instant < $0.1 } }
      let found = sweep(intervals, 10..<90)
      #expect(found.busy == depths.count { $0 > 0 } && found.peakDepth == depths.max())
    }
  }

  struct Timing: Sendable {
    let wall: (Int64, Int64)
    let boot: (Int64, Int64)
    let sameBoot: Bool
    let duration: Int64?
    let drift: Int64
    let jump: Int64?
  }

  @Test(arguments: [
    Timing(
      wall: (0, 5_000_000), boot: (0, 5_000_000_000), sameBoot: true, duration: 5_000_000_000, drift: 0,
      jump: nil),
    Timing(
      wall: (0, 6_000_000), boot: (0, 5_000_000_000), sameBoot: true, duration: 5_000_000_000,
      drift: 1_000_000,
      jump: nil),
    Timing(
      wall: (0, 6_000_001), boot: (0, 5_000_000_000), sameBoot: true, duration: 5_000_000_000,
      drift: 1_000_001,
      jump: 1_000_001),
    Timing(
      wall: (9_000_000, 0), boot: (0, 1000), sameBoot: true, duration: 1000, drift: -9_000_001,
      jump: -9_000_001),
    Timing(wall: (0, 0), boot: (1000, 0), sameBoot: true, duration: 0, drift: 0, jump: nil),
    Timing(wall: (0, 7), boot: (900, 0), sameBoot: false, duration: 7000, drift: 0, jump: nil),
    Timing(wall: (7, 0), boot: (0, 900), sameBoot: false, duration: nil, drift: -7, jump: nil),
    Timing(wall: (.min, .max), boot: (0, 1), sameBoot: false, duration: nil, drift: 0, jump: nil),
    Timing(wall: (0, .min), boot: (0, .max), sameBoot: true, duration: .max, drift: 0, jump: nil),
    Timing(wall: (0, 0), boot: (.min, .max), sameBoot: true, duration: nil, drift: 0, jump: nil),
  ])
  func durationsAndClockStepsAreComputed(_ test: Timing) {
    let timing = SessionTiming(
      from: LoadInstant(wall: test.wall.0, boot: test.boot.0),
      to: LoadInstant(wall: test.wall.1, boot: test.boot.1),
      sameBootClock: test.sameBoot)
    #expect(timing.duration == test.duration && timing.wallDrift == test.drift)
    #expect(timing.isWall == !test.sameBoot)
    #expect(SessionTiming.clockJump(drift: timing.wallDrift, isWall: timing.isWall) == test.jump)
  }

  @Test func runningLimitsAreFinite() {
    #expect(OverrunRule.limit(p99: 1e9) == 3_000_000_000)
    #expect(OverrunRule.limit(p99: 1e300) == .max && OverrunRule.limit(p99: .infinity) == .max)
  }
}

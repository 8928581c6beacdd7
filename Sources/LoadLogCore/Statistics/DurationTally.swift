/// What is kept of any number of durations: their count, sum, extremes and histogram. Two of them merge into
/// one without loss.
public struct DurationTally: Sendable, Hashable {
  /// How the durations are spread; knows their count.
  public private(set) var histogram = DurationHistogram()
  /// Their sum in nanoseconds; at most `Int64.max`.
  public private(set) var sum: Int64 = 0
  /// The least, in nanoseconds; `Int64.max` if there is none.
  public private(set) var least = Int64.max
  /// The greatest, in nanoseconds; 0 if there is none.
  public private(set) var greatest: Int64 = 0

  /// Nothing counted yet.
  public init() {}

  /// Makes a tally of its parts.
  public init(histogram: DurationHistogram, sum: Int64, least: Int64, greatest: Int64) {
    self.histogram = histogram
    self.sum = sum
    self.least = least
    self.greatest = greatest
  }

  /// How many durations.
  public var count: Int { histogram.count }

  /// Counts a duration in nanoseconds.
  public mutating func add(_ duration: Int64) {
    histogram.add(duration)
    sum = sum.addingClamping(duration)
    least = min(least, duration)
    greatest = max(greatest, duration)
  }

  /// Counts all that another tally has counted.
  public mutating func merge(_ other: DurationTally) {
    histogram.merge(other.histogram)
    sum = sum.addingClamping(other.sum)
    least = min(least, other.least)
    greatest = max(greatest, other.greatest)
  }

  /// The statistics; nil if nothing was counted.
  ///
  /// - Parameter durations: the durations themselves, sorted, if they are all at hand: quantiles are exact
  ///   then, else from the histogram.
  public func statistics(sorted durations: [Int64]? = nil) -> DurationStatistics? {
    guard count > 0 else { return nil }
    let value: (Int) -> Double
    if let durations {
      value = { Double(durations[$0]) }
    } else {
      let (lowest, highest) = (Double(min(least, greatest)), Double(greatest))
      value = { min(max(histogram.orderStatistic($0), lowest), highest) }
    }
    func quantile(_ fraction: Double) -> Double {
      Quantiles.quantile(fraction, count: durations?.count ?? count, value: value)
    }
    return DurationStatistics(
      count: count, sum: sum, min: least, max: greatest, p50: quantile(0.5), p90: quantile(0.9),
      p95: quantile(0.95), p99: quantile(0.99), quantiles: durations == nil ? .sketch : .exact)
  }
}

/// The count, sum, extremes and histogram of any number of durations. Tallies can be merged without loss.
public struct DurationTally: Sendable, Hashable {
  /// The distribution of the durations.
  public private(set) var histogram = DurationHistogram()
  /// The sum of the durations in nanoseconds; at most `Int64.max`.
  public private(set) var sum: Int64 = 0
  /// The shortest duration in nanoseconds; `Int64.max` if there is none.
  public private(set) var least = Int64.max
  /// The longest duration in nanoseconds; 0 if there is none.
  public private(set) var greatest: Int64 = 0

  /// Creates an empty tally.
  public init() {}

  /// Creates a tally from its parts.
  public init(histogram: DurationHistogram, sum: Int64, least: Int64, greatest: Int64) {
    self.histogram = histogram
    self.sum = sum
    self.least = least
    self.greatest = greatest
  }

  /// The number of durations.
  public var count: Int { histogram.count }

  /// Adds a duration in nanoseconds.
  public mutating func add(_ duration: Int64) {
    histogram.add(duration)
    sum = sum.addingClamping(duration)
    least = min(least, duration)
    greatest = max(greatest, duration)
  }

  /// Adds the durations of another tally.
  public mutating func merge(_ other: DurationTally) {
    histogram.merge(other.histogram)
    sum = sum.addingClamping(other.sum)
    least = min(least, other.least)
    greatest = max(greatest, other.greatest)
  }

  /// Computes the statistics; nil if there are no durations.
  ///
  /// - Parameter durations: all durations, sorted, for exact quantiles; nil to estimate quantiles from the
  ///   histogram.
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
      p95: quantile(0.95), p99: quantile(0.99), quantiles: durations == nil ? .sketch : .exact,
      histogram: histogram)
  }
}

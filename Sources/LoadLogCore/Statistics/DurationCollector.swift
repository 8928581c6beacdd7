/// Takes durations one by one and tells their statistics: exact up to 1,000 of them, from a histogram
/// beyond, so that memory stays bounded.
public struct DurationCollector: Sendable {
  /// Up to so many durations quantiles are exact.
  public static let exactLimit = 1000

  private var exact: [Int64] = []
  private var histogram = DurationHistogram()
  private var sum: Int64 = 0
  private var least = Int64.max
  private var greatest: Int64 = 0

  /// Nothing collected yet.
  public init() {}

  /// How many durations were collected.
  public var count: Int { histogram.count }

  /// Collects a duration in nanoseconds.
  public mutating func add(_ duration: Int64) {
    histogram.add(duration)
    if count <= Self.exactLimit { exact.append(duration) } else { exact = [] }
    let (total, overflow) = sum.addingReportingOverflow(duration)
    sum = overflow ? .max : total
    least = min(least, duration)
    greatest = max(greatest, duration)
  }

  /// The statistics; nil if nothing was collected.
  public var statistics: DurationStatistics? {
    guard count > 0 else { return nil }
    let isExact = count <= Self.exactLimit
    let value: (Int) -> Double
    if isExact {
      let sorted = exact.sorted()
      value = { Double(sorted[$0]) }
    } else {
      let estimates = histogram.orderStatistics()
      let bounds = Double(least)...Double(greatest)
      value = { min(max(estimates.value($0), bounds.lowerBound), bounds.upperBound) }
    }
    func quantile(_ fraction: Double) -> Double {
      Quantiles.quantile(fraction, count: count, value: value)
    }
    return DurationStatistics(
      count: count, sum: sum, min: least, max: greatest, p50: quantile(0.5), p90: quantile(0.9),
      p95: quantile(0.95), p99: quantile(0.99), quantiles: isExact ? .exact : .sketch)
  }
}

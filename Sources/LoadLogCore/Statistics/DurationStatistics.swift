/// Statistics of durations, in nanoseconds.
public struct DurationStatistics: Sendable, Hashable {
  /// How quantiles are computed.
  public enum Quantiles: String, Sendable, Hashable {
    /// From the durations.
    case exact
    /// From a histogram, with a relative error of at most 1.1 %.
    case sketch
  }

  /// The maximum number of durations for which quantiles are exact.
  package static let exactLimit = 1000

  /// The number of durations.
  public var count: Int
  /// The sum of the durations; at most `Int64.max`.
  public var sum: Int64
  /// The shortest duration.
  public var min: Int64
  /// The longest duration.
  public var max: Int64
  /// The median.
  public var p50: Double
  /// The 90th percentile.
  public var p90: Double
  /// The 95th percentile.
  public var p95: Double
  /// The 99th percentile.
  public var p99: Double
  /// How the quantiles were computed.
  public var quantiles: Quantiles
  /// The distribution of the durations.
  public var histogram = DurationHistogram()

  /// The arithmetic mean.
  public var mean: Double { Double(sum) / Double(Swift.max(count, 1)) }
}

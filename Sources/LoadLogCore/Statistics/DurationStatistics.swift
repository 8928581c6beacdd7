/// Numbers over a set of durations, all in nanoseconds.
public struct DurationStatistics: Sendable, Hashable {
  /// How the quantiles were found.
  public enum Quantiles: String, Sendable, Hashable {
    /// From the durations themselves.
    case exact
    /// From a histogram, within 1.1 % relative error.
    case sketch
  }

  /// How many durations.
  public var count: Int
  /// Their sum; at most `Int64.max`.
  public var sum: Int64
  /// The least.
  public var min: Int64
  /// The greatest.
  public var max: Int64
  /// Half take no longer.
  public var p50: Double
  /// 90 % take no longer.
  public var p90: Double
  /// 95 % take no longer.
  public var p95: Double
  /// 99 % take no longer.
  public var p99: Double
  /// How the quantiles were found.
  public var quantiles: Quantiles

  /// The arithmetic mean.
  public var mean: Double { Double(sum) / Double(Swift.max(count, 1)) }
}

/// When a running load is overdue: longer than 3 × p99 of its feed, once 20 loads of it have finished.
public enum OverdueRule {
  /// With fewer finished loads than this there is no measure.
  public static let leastFinished = 20

  /// Longer than this is overdue, in nanoseconds.
  public static func limit(p99: Double) -> Int64 { Int64(exactly: (3 * p99).rounded()) ?? .max }
}

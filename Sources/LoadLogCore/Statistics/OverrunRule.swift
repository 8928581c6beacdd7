/// Decides when a running load is overrunning: after 3 × p99 of its feed, once 20 of the feed's loads have
/// finished.
public enum OverrunRule {
  /// The minimum number of finished loads that a limit needs.
  public static let leastFinished = 20

  /// Returns the duration after which a load is overrunning, in nanoseconds.
  public static func limit(p99: Double) -> Int64 { Int64(exactly: (3 * p99).rounded()) ?? .max }
}

/// The duration between two instants, and by how much the wall clock was stepped in between.
public struct SessionTiming: Sendable, Hashable {
  /// The minimum disagreement between wall and boot clock that counts as a step of the wall clock, in
  /// microseconds.
  public static let jumpThreshold: Int64 = 1_000_000

  /// The duration in nanoseconds, never negative; nil if it is unknown.
  public let duration: Int64?
  /// The wall time between start and end minus the duration, in microseconds.
  public let wallDrift: Int64
  /// Whether the duration is a difference of wall times.
  public let isWall: Bool

  /// Computes the time between two instants.
  ///
  /// - Parameters:
  ///   - start: both clocks at the start.
  ///   - end: both clocks at the end.
  ///   - sameBootClock: whether both instants have the same boot clock. If not, the duration is the
  ///     difference of the wall times, or nil if that is negative.
  public init(from start: LoadInstant, to end: LoadInstant, sameBootClock: Bool) {
    let (wall, wallOverflow) = end.wall.subtractingReportingOverflow(start.wall)
    isWall = !sameBootClock
    if sameBootClock {
      let (boot, overflow) = end.boot.subtractingReportingOverflow(start.boot)
      duration = overflow ? nil : max(0, boot)
    } else {
      let (nanoseconds, overflow) = wall.multipliedReportingOverflow(by: 1000)
      duration = overflow || wallOverflow || wall < 0 ? nil : nanoseconds
    }
    let (drift, driftOverflow) = wall.subtractingReportingOverflow((duration ?? 0) / 1000)
    wallDrift = wallOverflow || driftOverflow ? 0 : drift
  }

  /// Returns a drift that counts as a step of the wall clock; nil for a small one.
  public static func clockJump(drift: Int64?, isWall: Bool) -> Int64? {
    guard let drift, !isWall, drift.magnitude > jumpThreshold.magnitude else { return nil }
    return drift
  }
}

/// How long something took, and what the two clocks said about it.
public struct SessionTiming: Sendable, Hashable {
  /// More disagreement than this between wall and boot clock is a step of the wall clock; microseconds.
  public static let jumpThreshold: Int64 = 1_000_000

  /// Nanoseconds, never negative; nil if it cannot be known.
  public let duration: Int64?
  /// Wall time between start and end beyond the duration, in microseconds.
  public let wallDrift: Int64
  /// The duration is a difference of wall times.
  public let isWall: Bool

  /// Takes the time from a start to an end.
  ///
  /// - Parameters:
  ///   - start: both clocks at the start.
  ///   - end: both clocks at the end.
  ///   - sameBootClock: whether the two boot readings can be subtracted. If not, the difference of wall times
  ///     stands in, unless it is negative.
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

  /// A drift that counts as a step of the wall clock; nil for a small one.
  public static func clockJump(drift: Int64?, isWall: Bool) -> Int64? {
    guard let drift, !isWall, drift.magnitude > jumpThreshold.magnitude else { return nil }
    return drift
  }
}

import LoadLogCore

/// How regularly a feed succeeds, derived from its last successes.
public struct UpdateHabit: Sendable, Hashable {
  /// The number of usual gaps after which a feed without a new success is late.
  public static let lateFactor: Int64 = 3
  /// The number of last successes from which the usual gap is computed.
  public static let successes = 20

  /// Wall time of the last success, in microseconds since 1970.
  public let last: Int64
  /// The median gap between successes, in nanoseconds.
  public let gap: Int64

  /// Computes the habit; nil for fewer than three successes.
  ///
  /// - Parameter successes: wall times in microseconds, newest first.
  public init?(of successes: [Int64]) {
    guard successes.count >= 3, let last = successes.first else { return nil }
    let sorted = successes.sorted()
    let gaps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }.sorted()
    let middle = gaps.count / 2
    let median = gaps.count.isMultiple(of: 2) ? gaps[middle - 1] / 2 + gaps[middle] / 2 : gaps[middle]
    self.last = last
    gap = median.multipliedClamping(by: 1000)
  }

  /// Whether the last success is older than three usual gaps.
  ///
  /// - Parameter now: wall time in microseconds.
  public func isLate(at now: Int64) -> Bool {
    Age(of: last, at: now).exceeds(gap.multipliedClamping(by: Self.lateFactor))
  }
}

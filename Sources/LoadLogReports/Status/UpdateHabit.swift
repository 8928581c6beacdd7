import LoadLogCore

/// How regularly a feed succeeds, as its last successes tell it.
public struct UpdateHabit: Sendable, Hashable {
  /// A feed is late when its last success is older than so many usual gaps.
  public static let lateFactor: Int64 = 3
  /// How many of the last successes tell the usual gap.
  public static let successes = 20

  /// The last success, wall time in microseconds.
  public let last: Int64
  /// Half the gaps between successes are no longer, in nanoseconds.
  public let gap: Int64

  /// Finds the habit in the times of successes, the newest first, wall times in microseconds; nil for fewer
  /// than three, which have no habit yet.
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

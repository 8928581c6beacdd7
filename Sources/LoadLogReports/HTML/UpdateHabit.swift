import LoadLogCore

/// How regularly a feed succeeds, derived from its last successes.
///
/// Successes that come close together are one burst: a job that loads twenty items every night succeeds once a
/// night. The usual gap is the median distance between bursts, measured from last success to last success, so
/// that it can be compared with the age of the last success.
///
/// What is close depends on the feed. Half of the time that a feed was observed lies in gaps that are at least
/// as long as the *typical* gap; successes closer than a tenth of that belong to one burst. No gap counts as
/// longer than the third longest, so that one or two outages do not look like the rhythm of the feed.
struct UpdateHabit: Sendable, Hashable {
  /// The number of last successes from which the usual gap is computed.
  static let successes = 2000
  /// The minimum number of bursts that show a rhythm.
  private static let leastBursts = 3

  /// Wall time of the last success, in microseconds since 1970.
  let last: Int64
  /// The median distance between bursts of successes, in nanoseconds.
  let gap: Int64
  /// The distance that nine tenths of them do not exceed, in nanoseconds.
  let longGap: Int64

  /// Computes the habit; nil for fewer than three bursts.
  ///
  /// - Parameter successes: wall times in microseconds, in any order.
  init?(of successes: [Int64]) {
    let sorted = successes.sorted()
    guard let last = sorted.last else { return nil }
    let close = Self.typicalGap(of: sorted) / 10
    let ends = zip(sorted, sorted.dropFirst()).filter { $1.subtractingClamping($0) > close }.map(\.0) + [last]
    guard ends.count >= Self.leastBursts else { return nil }
    let distances = zip(ends.dropFirst(), ends).map { $0.subtractingClamping($1) }.sorted()
    let middle = distances.count / 2
    let median =
      distances.count.isMultiple(of: 2)
      ? distances[middle - 1] / 2 + distances[middle] / 2 : distances[middle]
    self.last = last
    gap = median.multipliedClamping(by: 1000)
    longGap = distances[(9 * distances.count + 9) / 10 - 1].multipliedClamping(by: 1000)
  }

  /// The length at which half of the time lies in longer gaps, in microseconds.
  private static func typicalGap(of sorted: [Int64]) -> Int64 {
    var gaps = zip(sorted.dropFirst(), sorted).map { $0.subtractingClamping($1) }.sorted(by: >)
    let most = gaps.dropFirst(2).first ?? .max
    gaps = gaps.map { min($0, most) }
    var rest = gaps.reduce(0) { $0.addingClamping($1) } / 2
    return gaps.first { gap in
      rest -= gap
      return rest <= 0
    } ?? 0
  }
}

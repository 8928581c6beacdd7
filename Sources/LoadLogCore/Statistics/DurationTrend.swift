/// How long a feed's successes have taken lately, compared with before. Medians come from histograms, with a relative error
/// of at most 1.1 %.
public struct DurationTrend: Sendable, Hashable {
  /// The number of UTC days that count as lately; today is the last of them.
  public static let recentDays: Int64 = 7
  /// The number of UTC days before them that they are compared with.
  public static let earlierDays: Int64 = 30
  /// The minimum number of successes in either span.
  public static let leastSuccesses = 20
  /// The greatest number of feeds whose days are read to compare them.
  package static let mostFeeds = 500
  /// The ratio from which on a feed is slower.
  private static let slowerRatio = 1.5

  /// The median duration of the recent days, in nanoseconds.
  public let recentMedian: Double
  /// The median duration of the days before, in nanoseconds.
  public let earlierMedian: Double

  /// Compares two spans; nil if either has too few successes.
  ///
  /// - Parameters:
  ///   - recent: the durations of the recent days' successes.
  ///   - earlier: the durations of the successes of the days before.
  public init?(recent: DurationTally, earlier: DurationTally) {
    guard min(recent.count, earlier.count) >= Self.leastSuccesses,
      let now = recent.statistics(), let before = earlier.statistics()
    else { return nil }
    (recentMedian, earlierMedian) = (now.p50, before.p50)
  }

  /// How many times as long as before a load takes; at most the largest finite number.
  public var ratio: Double { min(recentMedian / max(earlierMedian, 1), .greatestFiniteMagnitude) }

  /// Whether loads take at least 1.5 times as long as before.
  public var isSlower: Bool { ratio >= Self.slowerRatio }
}

extension DurationTrend {
  /// The recent days as of a wall time in microseconds.
  package static func recent(at now: Int64) -> Range<UTCDay> {
    let end = UTCDay(of: now).next
    return UTCDay(number: end.number - recentDays)..<end
  }

  /// The days before the recent ones.
  package static func earlier(at now: Int64) -> Range<UTCDay> {
    let end = recent(at: now).lowerBound
    return UTCDay(number: end.number - earlierDays)..<end
  }
}

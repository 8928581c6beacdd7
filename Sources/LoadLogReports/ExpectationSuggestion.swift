public import LoadLogCore

/// An expectation that fits how regularly a feed has succeeded so far.
public struct ExpectationSuggestion: Sendable, Hashable {
  /// The feed.
  public let feed: Feed
  /// The suggested interval in nanoseconds: the usual gap between bursts of successes, rounded.
  public let interval: Int64
  /// The usual gap as it was measured, in nanoseconds.
  public let gap: Int64

  /// Suggests an expectation; nil if the feed shows no rhythm, or if more than a tenth of its gaps would have made it late.
  ///
  /// - Parameters:
  ///   - status: the feed and its numbers of all time.
  ///   - successes: wall times of its last successes in microseconds, in any order.
  public init?(_ status: FeedStatus, successes: [Int64]) {
    guard let habit = UpdateHabit(of: successes), habit.gap >= Self.second else { return nil }
    feed = status.feed
    gap = habit.gap
    interval = Self.rounded(habit.gap)
    let numbers = status.numbers
    let areEnough = numbers.duration?.count ?? 0 >= OverrunRule.leastFinished
    let grace = FeedCondition.grace(
      usualMaximum: areEnough ? numbers.typicalDuration?.p99 : nil, interval: interval)
    guard habit.longGap <= interval.addingClamping(grace) else { return nil }
  }

  /// Suggests expectations for those feeds that show a rhythm, in their order.
  ///
  /// - Parameters:
  ///   - reader: the store.
  ///   - feeds: the feeds to consider, with their numbers of all time.
  /// - Throws: what the reader throws.
  public static func all(
    in reader: any LoadReading, of feeds: [FeedStatus]
  ) throws(LoadLogError) -> [ExpectationSuggestion] {
    var found: [ExpectationSuggestion] = []
    for status in feeds {
      // One by one: the times of thousands of feeds are many.
      let successes = try reader.successes(of: [status.feed], limit: UpdateHabit.successes)[status.feed]
      if let suggestion = ExpectationSuggestion(status, successes: successes ?? []) {
        found.append(suggestion)
      }
    }
    return found
  }

  /// The command that sets the expectation, for the default store.
  public var command: String { "loadlog \(words)" }

  /// The words of the command, without the store.
  package var words: String {
    "expect \(PageStyle.shellWord(feed.name)) --every \(DurationText.limit(interval).filter { $0 != " " })"
  }

  /// How the interval was found: "succeeded every 23 h 59 m".
  public var reason: String { "succeeded every \(DurationText.measured(gap))" }

  private static let second: Int64 = 1_000_000_000

  /// Rounds a gap to a usual interval if one is within a tenth of it, otherwise up to a whole number of the largest unit
  /// of which it has at least ten.
  private static func rounded(_ gap: Int64) -> Int64 {
    let minute = 60 * second
    let usual: [Int64] =
      [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440, 2880, 10_080].map { $0 * minute }
    if let near = usual.first(where: { abs($0 - gap) <= $0 / 10 }) { return near }
    let units: [Int64] = [1440 * minute, 60 * minute, minute, second]
    let unit = units.first { gap >= 10 * $0 } ?? second
    return (gap + unit - 1) / unit * unit
  }
}

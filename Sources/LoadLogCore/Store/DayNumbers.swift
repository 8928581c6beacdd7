/// The numbers of a feed, or of several together, on one UTC day.
public struct DayNumbers: Sendable, Hashable {
  /// The feed; nil for several together.
  public var feed: Feed?
  /// The day on which the loads started.
  public var day: UTCDay
  /// The counts of the day. `running`, `unknown`, `overrunning` and `runningSince` are not set, because they
  /// describe the present, and neither are statistics of durations, which ``succeeded`` and ``others`` give.
  public var numbers: LoadNumbers
  /// The durations of loads that succeeded or were unchanged.
  public var succeeded: DurationTally
  /// The durations of all other finished loads.
  public var others: DurationTally

  /// Creates the numbers of a day from their parts.
  public init(
    feed: Feed?, day: UTCDay, numbers: LoadNumbers = LoadNumbers(),
    succeeded: DurationTally = DurationTally(),
    others: DurationTally = DurationTally()
  ) {
    self.feed = feed
    self.day = day
    self.numbers = numbers
    self.succeeded = succeeded
    self.others = others
  }
}

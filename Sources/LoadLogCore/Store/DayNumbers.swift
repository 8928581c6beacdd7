/// A feed's numbers on one day.
public struct DayNumbers: Sendable, Hashable {
  /// The feed; nil for the store as a whole.
  public var feed: Feed?
  /// The day on which the loads started.
  public var day: UTCDay
  /// What was counted. `running`, `unknown`, `overdue` and `runningSince` are left out: they are of now.
  public var numbers: LoadNumbers
  /// The durations of loads that succeeded or were unchanged.
  public var succeeded: DurationTally
  /// The durations of all other loads that finished.
  public var others: DurationTally

  /// Makes them of their parts.
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

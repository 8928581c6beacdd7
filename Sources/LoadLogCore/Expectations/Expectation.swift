/// What the owner of a feed expects of it: how often it succeeds, how long it may run, and how many failures in a row are
/// a problem.
///
/// A value that is nil leaves what the store has for the feed unchanged when the expectation is set, and means the
/// default when it is read.
public struct Expectation: Sendable, Hashable {
  /// When successes are due.
  public enum Schedule: Sendable, Hashable {
    /// This many nanoseconds after the start of the last success.
    case interval(nanoseconds: Int64)
    /// At the times of a cron expression.
    case cron(CronSchedule)

    /// This long after the start of the last success.
    public static func every(_ interval: Duration) -> Schedule { .every(interval.wholeNanoseconds) }

    /// For the package itself, whose times are in nanoseconds.
    package static func every(_ interval: Int64) -> Schedule { .interval(nanoseconds: interval) }
  }

  /// When successes are due; nil if the feed is never late.
  public var schedule: Schedule?
  /// How long after its due time a success may come before the feed is late, in nanoseconds. By default the 99th
  /// percentile of the feed's durations plus 5 minutes, at most half the interval; 1 hour while too few loads are known.
  public var grace: Int64?
  /// How long a load may run before it is overrunning, in nanoseconds. By default three times the 99th percentile of the
  /// feed's durations.
  public var maxRunning: Int64?
  /// How many finished loads in a row must have failed before the feed is failing; 1 by default.
  public var maxFailures: Int?
  /// Whether a success on any host of a fleet is enough, as for a job that runs on one host of several; by default each
  /// host is expected to succeed. One host cannot know whether another one has succeeded, so only a fleet says that the
  /// feed is late.
  public var anywhere: Bool?
  /// A text for people, such as whom to call.
  public var note: String?

  /// Creates an expectation; see the properties.
  ///
  ///     Expectation(.every(.seconds(3600)), grace: .seconds(600), maxFailures: 3)
  public init(
    _ schedule: Schedule? = nil, grace: Duration? = nil, maxRunning: Duration? = nil, maxFailures: Int? = nil,
    anywhere: Bool? = nil, note: String? = nil
  ) {
    self.init(
      schedule, grace: grace?.wholeNanoseconds, maxRunning: maxRunning?.wholeNanoseconds,
      maxFailures: maxFailures, anywhere: anywhere, note: note)
  }

  /// For the package itself, whose times are in nanoseconds.
  @_disfavoredOverload
  package init(
    _ schedule: Schedule? = nil, grace: Int64? = nil, maxRunning: Int64? = nil, maxFailures: Int? = nil,
    anywhere: Bool? = nil, note: String? = nil
  ) {
    self.schedule = schedule
    self.grace = grace
    self.maxRunning = maxRunning
    self.maxFailures = maxFailures
    self.anywhere = anywhere
    self.note = note
  }

  /// Whether the feed's durations say how long after its due time a success may come.
  package var learnsGrace: Bool { schedule != nil && grace == nil }
}

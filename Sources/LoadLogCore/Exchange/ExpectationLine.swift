/// The ndjson line `{"event":"expectation","feed":…,"cron":…,"timezone":…,"since":…}`: what is expected of a feed, in the
/// form in which stores keep it. Another machine may not know the time zone.
public struct ExpectationLine: Sendable, Hashable {
  /// The name of the feed, or the pattern. Key: `feed`.
  public var pattern: String
  /// Whether it is a pattern. Key: `glob`.
  public var isGlob = false
  /// The interval between successes, in nanoseconds. Key: `every_ns`.
  public var every: Int64?
  /// The cron expression and the name of its time zone; both or none.
  public var cron: String?, timezone: String?
  /// The grace in nanoseconds. Key: `grace_ns`.
  public var grace: Int64?
  /// The longest running time in nanoseconds. Key: `max_running_ns`.
  public var maxRunning: Int64?
  /// The number of failures in a row that are a problem.
  public var maxFailures: Int64?
  /// Whether a success on any host of a fleet is enough.
  public var anywhere = false
  /// A text for people.
  public var note: String?
  /// When the schedule was set, in microseconds since 1970.
  public var since: Int64
  /// When the pause began, and when it ends by itself, in microseconds since 1970.
  public var pausedAt: Int64?, pausedUntil: Int64?

  /// Creates a line with its required values.
  package init(pattern: String, since: Int64) {
    self.pattern = Feed(pattern).name
    self.since = since
  }

  /// Creates the line of an expectation.
  package init(_ expected: FeedExpectation) {
    let expectation = expected.expectation
    self.init(pattern: expected.pattern.text, since: expected.since)
    isGlob = expected.pattern.isGlob
    switch expectation.schedule {
    case .interval(let interval): every = interval
    case .cron(let schedule): (cron, timezone) = (schedule.expression, schedule.timezone)
    case nil: break
    }
    grace = expectation.grace
    maxRunning = expectation.maxRunning
    maxFailures = expectation.maxFailures.map(Int64.init)
    anywhere = expectation.anywhere ?? false
    note = expectation.note
    (pausedAt, pausedUntil) = (expected.pause?.from, expected.pause?.until)
  }

  /// Returns the expectation.
  ///
  /// - Throws: `invalidInput` if it is not possible, or if this machine does not know its time zone.
  package func checked() throws(LoadLogError) -> FeedExpectation {
    guard every == nil || cron == nil else {
      throw LoadLogError(.invalidInput, what: "schedule", why: "it has an interval and a cron expression")
    }
    let expected = expected(try schedule())
    try expected.pattern.validated()
    try expected.expectation.validated()
    return expected
  }

  /// Returns the expectation; if its schedule cannot be read on this machine, with the reason.
  ///
  /// - Parameter schedules: the schedules that were read already, because many feeds share one.
  package func read(_ schedules: inout [String: Expectation.Schedule]) -> FeedExpectation {
    let key = cron.map { "\($0) \(timezone ?? "")" }
    if let known = key.flatMap({ schedules[$0] }) { return expected(known) }
    do throws(LoadLogError) {
      let schedule = try schedule()
      if let key { schedules[key] = schedule }
      return expected(schedule)
    } catch {
      var expected = expected(nil)
      expected.fault = error.description
      return expected
    }
  }

  private func schedule() throws(LoadLogError) -> Expectation.Schedule? {
    if let cron { return .cron(try CronSchedule(cron, timezone: timezone ?? "UTC")) }
    return every.map { .every($0) }
  }

  private func expected(_ schedule: Expectation.Schedule?) -> FeedExpectation {
    FeedExpectation(
      pattern: FeedPattern(pattern, isGlob: isGlob),
      expectation: Expectation(
        schedule, grace: grace, maxRunning: maxRunning, maxFailures: maxFailures.map { Int(clamping: $0) },
        anywhere: anywhere ? true : nil, note: note),
      since: since, pause: pausedAt.map { FeedExpectation.Pause(from: $0, until: pausedUntil) })
  }
}

public import Foundation

// What apps read as dates and durations. The values below them are whole microseconds and nanoseconds, as they are stored.

private func date(_ microseconds: Int64?) -> Date? { microseconds.map(Date.init(microseconds:)) }

private func time(_ nanoseconds: Int64?) -> Duration? { nanoseconds.map { .nanoseconds($0) } }

extension LoadingSession {
  /// When the load started.
  public var startDate: Date { started.date }

  /// When the load finished or was abandoned; nil while it is running and after a crash or reboot.
  public var finishDate: Date? { date(finished) }

  /// How long the load took; nil if it did not finish or if the duration is unknown.
  public var timeTaken: Duration? { time(duration) }

  /// The minimum time that the load was open: until now while it is running.
  public var timeOpen: Duration { .nanoseconds(openAtLeast) }

  /// How long an indicator was visible for this load and the loads right before it; nil if no indicator displayed it or
  /// would have.
  public var timeVisible: Duration? { time(visibleTime) }
}

extension OwnerRecord {
  /// When the owner closed the store cleanly; nil if it has not.
  public var closedDate: Date? { date(closed) }
}

extension RunFacts {
  /// The processor time that the command and the processes that it waited for spent in their own code; nil if unknown.
  public var userCPUTime: Duration? { time(userTime) }

  /// The processor time that the kernel spent for them; nil if unknown.
  public var systemCPUTime: Duration? { time(systemTime) }
}

extension Receipt {
  /// How long the finished load took; nil if it did not finish or if the duration is unknown.
  public var timeTaken: Duration? { time(duration) }
}

extension FeedDates {
  /// The date of the last success, whether it found something new or not; or an adopted date.
  public var lastUpdatedDate: Date? { date(lastUpdated) }

  /// The date of the last success that found something new.
  public var lastChangedDate: Date? { date(lastChanged) }

  /// The date of the last start.
  public var lastAttemptedDate: Date? { date(lastAttempted) }

  /// The date of the last failure.
  public var lastFailedDate: Date? { date(lastFailed) }

  /// The date at which the last success started.
  public var lastSuccessStartDate: Date? { date(lastSuccessStarted) }
}

extension LoadNumbers {
  /// The time during which at least one load was open; nil unless requested, and nil in the totals of
  /// selected feeds.
  public var timeBusy: Duration? { time(busy) }

  /// The start of the oldest running load.
  public var runningSinceDate: Date? { date(runningSince) }
}

extension DurationStatistics {
  /// The sum of the durations; at most some 292 years.
  public var totalTime: Duration { .nanoseconds(sum) }

  /// The shortest duration.
  public var shortestTime: Duration { .nanoseconds(min) }

  /// The longest duration.
  public var longestTime: Duration { .nanoseconds(max) }

  /// The arithmetic mean.
  public var meanTime: Duration { .nanoseconds(mean) }

  /// The median.
  public var medianTime: Duration { .nanoseconds(p50) }
}

extension BusyTime {
  /// The time during which at least one load was open.
  public var timeBusy: Duration { .nanoseconds(busy) }
}

extension UTCDay {
  /// The first instant of the day.
  public var startDate: Date { Date(microseconds: start) }

  /// The first instant after the day.
  public var endDate: Date { Date(microseconds: end) }
}

extension HourNumbers {
  /// The start of the hour.
  public var startDate: Date { Date(microseconds: start) }
}

extension FeedStatus {
  /// A load that runs for longer than this is overrunning; see ``runningLimit``.
  public var runningTimeLimit: Duration? { time(runningLimit) }

  /// The 99th percentile of the feed's durations over all time; see ``usualMaximum``.
  public var usualMaximumDuration: Duration? { time(usualMaximum) }

  /// When a success is due, or was due and missed; nil if none is expected, or if ``isJudgedByFleet``.
  public var dueDate: Date? { date(dueTime) }

  /// How long after its due date a success may come before the feed is late; nil without a due date.
  public var gracePeriod: Duration? { time(graceUsed) }
}

extension StatusSummary {
  /// When the numbers were read.
  public var generatedDate: Date { Date(microseconds: generated) }

  /// The start of the window; nil for no limit.
  public var sinceDate: Date? { date(since) }

  /// The end of the window, which is not included; nil for no limit.
  public var untilDate: Date? { date(until) }

  /// The date of the first start in the record.
  public var firstStartDate: Date? { date(firstStart) }

  /// When a notifier checked the feeds last; nil if none ever did.
  public var lastCheckDate: Date? { date(lastCheck) }
}

extension UndeliveredFlips {
  /// When it will be tried again at the earliest.
  public var nextAttemptDate: Date? { date(nextAttempt) }

  /// When the notifier checked the feeds last.
  public var lastCheckDate: Date { Date(microseconds: lastCheck) }
}

extension Expectation {
  /// How long after its due date a success may come before the feed is late; nil for the default. See ``grace``.
  public var gracePeriod: Duration? { time(grace) }

  /// How long a load may run before it is overrunning; nil for the default. See ``maxRunning``.
  public var runningTimeLimit: Duration? { time(maxRunning) }
}

extension FeedExpectation {
  /// When the schedule was set.
  public var sinceDate: Date { Date(microseconds: since) }
}

extension FeedExpectation.Pause {
  /// When the pause began.
  public var startDate: Date { Date(microseconds: from) }

  /// When the pause ends by itself; nil if it lasts until it is ended.
  public var endDate: Date? { date(until) }
}

extension FeedFlip {
  /// When the change was noticed.
  public var date: Date { Date(microseconds: at) }

  /// Since when the feed has been in the new state; see ``since``.
  public var sinceDate: Date { Date(microseconds: since) }

  /// How long the outage lasted that this flip ends; nil if it ends none.
  public var downtime: Duration? { time(down) }
}

extension Imbalance {
  /// When the load started or the finish arrived.
  public var date: Date { Date(microseconds: at) }
}

extension Acknowledgement {
  /// When the imbalance was acknowledged.
  public var date: Date { Date(microseconds: at) }
}

extension CallSiteCount {
  /// The date of the last imbalance.
  public var lastDate: Date { Date(microseconds: last) }
}

extension ImbalanceSummary {
  /// When the imbalances were read.
  public var generatedDate: Date { Date(microseconds: generated) }

  /// The start of the window; nil for no limit.
  public var sinceDate: Date? { date(since) }

  /// The end of the window, which is not included; nil for no limit.
  public var untilDate: Date? { date(until) }
}

extension ImbalanceSummary.OverrunningLoad {
  /// A load of the feed that runs for longer than this is overrunning.
  public var runningTimeLimit: Duration { .nanoseconds(limit) }

  /// The 99th percentile of the feed's durations; nil if the limit is that of an expectation.
  public var usualMaximumDuration: Duration? { time(usualMaximum) }
}

extension LoadFilter {
  /// Creates a filter with a window of dates.
  ///
  /// - Parameters:
  ///   - feeds: patterns, one of which must match the feed; empty to match all feeds.
  ///   - since: the start of the window; nil for no limit.
  ///   - until: the end of the window, which is not included; nil for no limit.
  ///   - states: the states to match; empty to match all.
  ///   - tag: the tag to match in `history`; nil to match all loads.
  ///   - text: a text that the message or the reason contains; see ``text``.
  ///   - minimumDuration: the minimum duration in `history`; see the property of this name.
  ///   - limit: the maximum number of loads; nil for no limit.
  public init(
    feeds: [FeedPattern] = [], since: Date? = nil, until: Date? = nil, states: Set<ShownState> = [],
    tag: String? = nil, text: String? = nil, minimumDuration: Duration? = nil, limit: Int? = nil
  ) {
    self.init(
      feeds: feeds, since: since.map(Self.microseconds), until: until.map(Self.microseconds), states: states,
      tag: tag, text: text, minimumDuration: minimumDuration?.wholeNanoseconds, limit: limit)
  }

  /// Converts a date to microseconds. Clamps a date that does not fit into 64 bits: it stays before or after
  /// every recorded time.
  private static func microseconds(_ date: Date) -> Int64 {
    date.microseconds ?? (date.timeIntervalSince1970 < 0 ? .min : .max)
  }
}

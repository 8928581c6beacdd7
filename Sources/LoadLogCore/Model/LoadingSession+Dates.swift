public import Foundation

extension LoadingSession {
  /// When the load started.
  public var startDate: Date { started.date }

  /// When the load finished or was abandoned; nil while it is running and after a crash or reboot.
  public var finishDate: Date? { finished.map(Date.init(microseconds:)) }

  /// How long the load took; nil if it did not finish or if the duration is unknown.
  public var timeTaken: Duration? { duration.map { .nanoseconds($0) } }

  /// The minimum time that the load was open: until now while it is running.
  public var timeOpen: Duration { .nanoseconds(openAtLeast) }
}

extension FeedDates {
  /// The date of the last success, whether it found something new or not; or an adopted date.
  public var lastUpdatedDate: Date? { lastUpdated.map(Date.init(microseconds:)) }

  /// The date of the last success that found something new.
  public var lastChangedDate: Date? { lastChanged.map(Date.init(microseconds:)) }

  /// The date of the last start.
  public var lastAttemptedDate: Date? { lastAttempted.map(Date.init(microseconds:)) }

  /// The date of the last failure.
  public var lastFailedDate: Date? { lastFailed.map(Date.init(microseconds:)) }
}

extension Imbalance {
  /// When the load started or the finish arrived.
  public var date: Date { Date(microseconds: at) }
}

extension Acknowledgement {
  /// When the imbalance was acknowledged.
  public var date: Date { Date(microseconds: at) }
}

extension LoadNumbers {
  /// The time during which at least one load was open; nil unless requested, and nil in the totals of
  /// selected feeds.
  public var timeBusy: Duration? { busy.map { .nanoseconds($0) } }

  /// The start of the oldest running load.
  public var runningSinceDate: Date? { runningSince.map(Date.init(microseconds:)) }
}

extension LoadFilter {
  /// Creates a filter with a window of dates.
  ///
  /// - Parameters:
  ///   - feeds: patterns, one of which must match the feed; empty to match all feeds.
  ///   - since: the start of the window; nil for no limit.
  ///   - until: the end of the window, which is not included; nil for no limit.
  ///   - states: the states to match; empty to match all.
  ///   - limit: the maximum number of loads; nil for no limit.
  public init(
    feeds: [FeedPattern] = [], since: Date?, until: Date? = nil, states: Set<ShownState> = [],
    limit: Int? = nil
  ) {
    self.init(
      feeds: feeds, since: since.map(Self.microseconds), until: until.map(Self.microseconds), states: states,
      limit: limit)
  }

  /// Converts a date to microseconds. Clamps a date that does not fit into 64 bits: it stays before or after
  /// every recorded time.
  private static func microseconds(_ date: Date) -> Int64 {
    date.microseconds ?? (date.timeIntervalSince1970 < 0 ? .min : .max)
  }
}

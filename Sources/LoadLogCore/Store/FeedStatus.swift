/// The dates that a feed keeps whatever window is asked for, in wall time, microseconds.
public struct FeedDates: Sendable, Hashable {
  /// The last success, changed or not; or a date that was taken over from elsewhere.
  public var lastUpdated: Int64?
  /// The last success that brought something new.
  public var lastChanged: Int64?
  /// The last start.
  public var lastAttempted: Int64?
  /// The last failure.
  public var lastFailed: Int64?
  /// The last failure's reason.
  public var lastFailure: String?
  /// The last verdict that told of success or failure: succeeded, unchanged or failed.
  public var lastVerdict: SessionState?

  /// No dates yet.
  public init() {}
}

/// What is unbalanced, by kind.
public struct ImbalanceCounts: Sendable, Hashable {
  /// Unfinished starts and unmatched finishes by their words.
  public var crashed = 0, rebooted = 0, abandoned = 0
  /// Unmatched finishes by their words.
  public var orphanFinish = 0, duplicateFinish = 0, extraPop = 0
  /// Those among them that nobody has acknowledged.
  public var unacknowledged = 0

  /// All of them.
  public var total: Int { crashed + rebooted + abandoned + orphanFinish + duplicateFinish + extraPop }

  /// No imbalance.
  public init() {}

  /// Counts all that others have counted.
  public mutating func add(_ other: ImbalanceCounts) {
    crashed += other.crashed
    rebooted += other.rebooted
    abandoned += other.abandoned
    orphanFinish += other.orphanFinish
    duplicateFinish += other.duplicateFinish
    extraPop += other.extraPop
    unacknowledged += other.unacknowledged
  }

  /// Counts one more.
  public mutating func add(_ kind: Imbalance.Kind, acknowledged: Bool) {
    switch kind {
    case .unfinishedStart(.crashed): crashed += 1
    case .unfinishedStart(.rebooted): rebooted += 1
    case .unfinishedStart: abandoned += 1
    case .unmatchedFinish(.orphanFinish): orphanFinish += 1
    case .unmatchedFinish(.duplicateFinish): duplicateFinish += 1
    case .unmatchedFinish(.extraPop): extraPop += 1
    case .unmatchedFinish(.popAfterReset), .unmatchedFinish(.withdrawn): return
    }
    if !acknowledged { unacknowledged += 1 }
  }
}

/// The numbers of a feed, or of all feeds together, over a window.
public struct LoadNumbers: Sendable, Hashable {
  /// Loads that started in the window.
  public var loads = 0
  /// Of these, by state.
  public var running = 0, unknown = 0
  /// Of these, by verdict.
  public var succeeded = 0, unchanged = 0, failed = 0, cancelled = 0, ended = 0
  /// Running far beyond usual; nil if there is no measure for it yet.
  public var overdue: Int?
  /// The start of the oldest load that runs now, wall time in microseconds.
  public var runningSince: Int64?
  /// The most loads open at one instant of the window; nil unless it was asked for, and in the totals of a selection.
  public var peakDepth: Int?
  /// How long at least one load was open, in nanoseconds; nil unless it was asked for, and in the totals of a selection.
  public var busy: Int64?
  /// Numbers are approximate, because rows they need were pruned.
  public var isApproximate = false
  /// What is unbalanced.
  public var unbalanced = ImbalanceCounts()
  /// Pops that a reset had made superfluous; not unbalanced.
  public var popsAfterReset = 0
  /// The durations of all finished loads; nil if none finished.
  public var duration: DurationStatistics?
  /// The durations of those that succeeded or were unchanged; nil if none did.
  public var durationSucceeded: DurationStatistics?

  /// Nothing counted yet.
  public init() {}

  /// What tables and estimates use: fast failures must not pull a median down.
  public var typicalDuration: DurationStatistics? { durationSucceeded ?? duration }
}

/// A feed's dates and numbers.
public struct FeedStatus: Sendable, Hashable {
  /// The feed.
  public var feed: Feed
  /// Its dates, whatever the window.
  public var dates: FeedDates
  /// Its numbers in the window.
  public var numbers: LoadNumbers
  /// The oldest load that runs now and, if any is overdue, is.
  public var oldestRunning: LoadingSession?
  /// Where the newest failed load was started, if known.
  public var failedCallSite: String?
  /// The newest load, if it cannot finish any more and nobody has acknowledged that.
  public var lostLoad: LoadingSession?
  /// Longer than this is overdue, in nanoseconds; nil if nothing runs, or if there is no measure for it yet.
  public var overdueLimit: Int64?
  /// 99 % of its loads take less, in nanoseconds; over all time, behind ``overdueLimit``.
  public var usualMaximum: Int64?

  /// Makes a status of its parts.
  public init(feed: Feed, dates: FeedDates = FeedDates(), numbers: LoadNumbers = LoadNumbers()) {
    self.feed = feed
    self.dates = dates
    self.numbers = numbers
  }
}

/// How often one call site is unbalanced in one way.
public struct CallSiteCount: Sendable, Hashable {
  /// The feed, if known.
  public var feed: Feed?
  /// The call site, if known.
  public var callSite: String?
  /// The call site is likely, not proven.
  public var isLikely: Bool
  /// In which way.
  public var kind: Imbalance.Kind
  /// How often.
  public var count: Int
  /// The last time, wall time in microseconds.
  public var last: Int64

  /// Makes a count of its parts.
  public init(
    feed: Feed?, callSite: String?, isLikely: Bool, kind: Imbalance.Kind, count: Int, last: Int64
  ) {
    self.feed = feed
    self.callSite = callSite
    self.isLikely = isLikely
    self.kind = kind
    self.count = count
    self.last = last
  }
}

/// The answer to `status`.
public struct StatusSummary: Sendable, Hashable {
  /// When it was asked, wall time in microseconds.
  public var generated: Int64
  /// The window, wall times in microseconds.
  public var since: Int64?, until: Int64?
  /// The feeds, by name.
  public var feeds: [FeedStatus]
  /// All of them together; orphans without a feed are counted here alone.
  public var totals: LoadNumbers
  /// What is unbalanced and not acknowledged, by call site, the most frequent first.
  public var callSites: [CallSiteCount]
  /// The first start in the record, wall time in microseconds.
  public var firstStart: Int64?

  /// Makes a summary of its parts.
  public init(
    generated: Int64, since: Int64?, until: Int64?, feeds: [FeedStatus], totals: LoadNumbers,
    callSites: [CallSiteCount], firstStart: Int64?
  ) {
    self.generated = generated
    self.since = since
    self.until = until
    self.feeds = feeds
    self.totals = totals
    self.callSites = callSites
    self.firstStart = firstStart
  }
}

/// The answer to `history`: loads, newest first.
public struct LoadPage: Sendable, Hashable {
  /// The loads.
  public var loads: [LoadingSession]
  /// How many fit without the limit.
  public var total: Int

  /// Makes a page.
  public init(loads: [LoadingSession], total: Int) {
    self.loads = loads
    self.total = total
  }
}

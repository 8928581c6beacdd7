/// The dates of a feed, which do not depend on a window: wall times in microseconds since 1970.
public struct FeedDates: Sendable, Hashable {
  /// The last success, whether it found something new or not; or an adopted date.
  public var lastUpdated: Int64?
  /// The last success that found something new.
  public var lastChanged: Int64?
  /// The last start.
  public var lastAttempted: Int64?
  /// The last failure. A failed attempt of `loadlog run` that was retried moves neither this nor ``lastVerdict``.
  public var lastFailed: Int64?
  /// The last failure's reason.
  public var lastFailure: String?
  /// When the last success started. Of successes that overlapped, the latest start: it clears what failed before it, and
  /// the next due time counts from it.
  public var lastSuccessStarted: Int64?
  /// The last verdict that reports success or failure: succeeded, unchanged or failed.
  public var lastVerdict: SessionState?
  /// The last failure, unless a success has cleared it.
  package var standingFailure: Int64? { lastVerdict == .failed ? lastFailed : nil }

  /// Creates the dates of a feed that was never loaded.
  public init() {}

  /// Moves the dates that a verdict moves.
  ///
  /// - Parameters:
  ///   - state: the verdict.
  ///   - wall: the time of the verdict, in microseconds since 1970.
  ///   - started: the start of the load, in microseconds since 1970.
  ///   - reason: the reason for the verdict.
  public mutating func note(_ state: SessionState, at wall: Int64, started: Int64, reason: String?) {
    switch state {
    case .succeeded: (lastUpdated, lastChanged) = (wall, wall)
    case .unchanged: lastUpdated = wall
    case .failed: (lastFailed, lastFailure) = (wall, reason)
    default: return
    }
    if state.isSuccess { noteSuccess(started: started, at: wall) }
    lastVerdict = state
  }

  /// Moves the start of the last success, unless a success is known that started later. One that started after the time of
  /// this one's verdict gives way: its clock was ahead.
  package mutating func noteSuccess(started: Int64, at wall: Int64) {
    if let known = lastSuccessStarted, known > started, known <= wall { return }
    lastSuccessStarted = started
  }
}

/// The number of imbalances of each kind.
public struct ImbalanceCounts: Sendable, Hashable {
  /// The number of unfinished starts in this state.
  public var crashed = 0, rebooted = 0, abandoned = 0
  /// The number of unmatched finishes of this kind.
  public var orphanFinish = 0, duplicateFinish = 0, extraPop = 0
  /// The number of imbalances that are not acknowledged.
  public var unacknowledged = 0

  /// The number of imbalances of all kinds.
  public var total: Int { crashed + rebooted + abandoned + orphanFinish + duplicateFinish + extraPop }

  /// Creates counts of 0.
  public init() {}

  /// Adds other counts to these.
  public mutating func add(_ other: ImbalanceCounts) {
    crashed += other.crashed
    rebooted += other.rebooted
    abandoned += other.abandoned
    orphanFinish += other.orphanFinish
    duplicateFinish += other.duplicateFinish
    extraPop += other.extraPop
    unacknowledged += other.unacknowledged
  }

  /// Counts an imbalance.
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
  /// The number of loads that started in the window.
  public var loads = 0
  /// The number of loads that are running now, or running with an owner that cannot be checked, whenever they started.
  public var running = 0, unknown = 0
  /// The number of these loads with this verdict.
  public var succeeded = 0, unchanged = 0, failed = 0, cancelled = 0, ended = 0
  /// The number of loads that have been running for longer than ``FeedStatus/runningLimit``; nil if there is
  /// no limit.
  public var overrunning: Int?
  /// The start of the oldest running load, in microseconds since 1970.
  public var runningSince: Int64?
  /// The maximum number of loads open at the same time; nil unless requested, and nil in the totals of
  /// selected feeds.
  public var peakDepth: Int?
  /// The time during which at least one load was open, in nanoseconds; nil unless requested, and nil in the
  /// totals of selected feeds.
  public var busy: Int64?
  /// Whether some numbers are approximate because the loads that they need were pruned.
  public var isApproximate = false
  /// Whether the counts are those of whole UTC days, of which the window contains only a part, because loads of these
  /// days were pruned; see ``StatusSummary/wholeDays``.
  public var countsWholeDays = false
  /// The imbalances.
  public var unbalanced = ImbalanceCounts()
  /// The number of pops at 0 that followed a reset of their pushes. They are not unbalanced.
  public var popsAfterReset = 0
  /// The durations of all finished loads; nil if none finished.
  public var duration: DurationStatistics?
  /// The durations of loads that succeeded or were unchanged; nil if there are none.
  public var durationSucceeded: DurationStatistics?

  /// Creates numbers of 0.
  public init() {}

  /// The durations that tables and estimates use: those of successes if there are any, because fast failures
  /// would lower the median.
  public var typicalDuration: DurationStatistics? { durationSucceeded ?? duration }
}

/// The dates and numbers of a feed.
public struct FeedStatus: Sendable, Hashable {
  /// The feed.
  public var feed: Feed
  /// The dates, which do not depend on the window.
  public var dates: FeedDates
  /// The numbers in the window.
  public var numbers: LoadNumbers
  /// The oldest load that is running; it is overrunning if any load of the feed is.
  public var oldestRunning: LoadingSession? {
    get { oldest.first }
    set { oldest = newValue.map { [$0] } ?? [] }
  }
  /// The call site of the newest failed load, if known.
  public var failedCallSite: String?
  /// The newest unfinished start that is not acknowledged; nil if a load has failed since it started, or if one that
  /// started later has succeeded.
  public var lostLoad: LoadingSession? {
    get { lost.first }
    set { lost = newValue.map { [$0] } ?? [] }
  }
  /// A load that runs for longer than this is overrunning, in nanoseconds: the limit of the question or of the expectation,
  /// otherwise three times ``usualMaximum``; nil if no limit is given, and no load is running or too few have finished.
  public var runningLimit: Int64?
  /// The 99th percentile of the feed's durations over all time, in nanoseconds, of which ``runningLimit`` is three times;
  /// nil if that limit is given, or nil.
  public var usualMaximum: Int64?
  /// How durations have changed lately, whatever the window; nil if too few loads succeeded, or if the question is
  /// about more than 500 feeds with enough of them.
  public var trend: DurationTrend?
  /// The expectation that applies to the feed; nil if there is none.
  public var expectation: FeedExpectation? {
    get { expected.first }
    set { expected = newValue.map { [$0] } ?? [] }
  }
  /// When a success is due, or was due and missed, in microseconds since 1970; nil if none is expected, or if
  /// ``isJudgedByFleet``.
  public var dueTime: Int64?
  /// How long after its due time a success may come before the feed is late, in nanoseconds; nil without a due time.
  public var graceUsed: Int64?
  /// The number of failed loads in a row: those that failed or never finished after the last success.
  public var failures = 0
  /// Whether the expectation is paused.
  public var isPaused = false
  /// Whether a success on any host is enough, and this is the status of one host: then only a fleet can say if the feed is
  /// late.
  public var isJudgedByFleet = false
  /// All that is wrong with the feed, worst first; nothing while its expectation is paused.
  public var problems: [FeedProblem] = []
  /// Whether any load has ended without a result, being only pushed and popped, and whether any was cancelled, whatever
  /// the window.
  public var hasEnded = false, hasCancelled = false
  /// The number of times that `loadlog run --no-overlap` did not run its command because a load was running.
  public var overlaps = 0
  // Of ten thousand feeds few have these, which are large: arrays, since an empty one takes the space of a pointer.
  private var oldest: [LoadingSession] = []
  private var lost: [LoadingSession] = []
  private var expected: [FeedExpectation] = []

  /// Creates a status from its parts.
  public init(feed: Feed, dates: FeedDates = FeedDates(), numbers: LoadNumbers = LoadNumbers()) {
    self.feed = feed
    self.dates = dates
    self.numbers = numbers
  }

  /// Takes over what follows from the facts about the feed.
  package mutating func apply(_ facts: FeedCondition.Facts) {
    let condition = FeedCondition(facts)
    expectation = facts.expectation
    (dueTime, graceUsed) = (condition.dueTime, condition.grace)
    (failures, isPaused, problems) = (condition.failures, condition.isPaused, condition.problems)
    isJudgedByFleet = condition.isJudgedByFleet
  }
}

/// The number of imbalances of one kind at one call site.
public struct CallSiteCount: Sendable, Hashable {
  /// The feed, if known.
  public var feed: Feed?
  /// The call site, if known.
  public var callSite: String?
  /// Whether the call site is only likely, not proven.
  public var isLikely: Bool
  /// The kind of the imbalances.
  public var kind: Imbalance.Kind
  /// The number of imbalances.
  public var count: Int
  /// The time of the last imbalance, in microseconds since 1970.
  public var last: Int64

  /// Creates a count from its parts.
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

  /// The order of call sites: the most frequent first, then the last to cause an imbalance, then by name.
  package static func isMoreFrequent(_ one: Self, _ other: Self) -> Bool {
    guard (one.count, one.last) == (other.count, other.last) else {
      return (one.count, one.last) > (other.count, other.last)
    }
    return (one.feed?.name ?? "", one.callSite ?? "", one.kind.word, one.isLikely ? 0 : 1)
      < (other.feed?.name ?? "", other.callSite ?? "", other.kind.word, other.isLikely ? 0 : 1)
  }
}

/// The answer to `status`.
public struct StatusSummary: Sendable, Hashable {
  /// When the numbers were read, in microseconds since 1970.
  public var generated: Int64
  /// A limit of the window, in microseconds since 1970; `since` is included, `until` is not.
  public var since: Int64?, until: Int64?
  /// The status of each feed, ordered by name.
  public var feeds: [FeedStatus]
  /// The numbers of all feeds together. Orphan finishes, whose feed is unknown, are counted here only.
  public var totals: LoadNumbers
  /// The imbalances that are not acknowledged, by call site, most frequent first.
  public var callSites: [CallSiteCount]
  /// The first start in the record, in microseconds since 1970.
  public var firstStart: Int64?
  /// The UTC days that are counted whole although the window contains only a part of them, because loads of them were
  /// pruned, or because the answer is a fleet's; in their order.
  public var wholeDays: [UTCDay] = []
  /// Whether the answer is a fleet's, whose hosts ship counts of whole days.
  package var isOfFleet = false
  /// When a notifier checked the feeds last, in microseconds since 1970; nil if none ever did.
  public var lastCheck: Int64?
  /// The notifier whose deliveries have failed most often in a row; nil if none has. One that has not been run for a week
  /// after its next delivery was due does not count.
  public var undelivered: UndeliveredFlips?

  /// Creates a summary from its parts.
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

/// A notifier that could not deliver what it noticed.
public struct UndeliveredFlips: Sendable, Hashable {
  /// The name of the notifier.
  public let notifier: String
  /// How often its command has failed in a row.
  public let attempts: Int
  /// When it will be tried again at the earliest, in microseconds since 1970.
  public let nextAttempt: Int64?
  /// When the notifier checked the feeds last, in microseconds since 1970.
  public let lastCheck: Int64
  /// How many other notifiers could not deliver what they noticed.
  public var others: Int

  /// Creates it from its parts.
  public init(notifier: String, attempts: Int, nextAttempt: Int64?, lastCheck: Int64, others: Int = 0) {
    self.notifier = notifier
    self.attempts = attempts
    self.nextAttempt = nextAttempt
    self.lastCheck = lastCheck
    self.others = others
  }
}

/// The answer to `history`: loads, newest first unless the filter reverses the order.
public struct LoadPage: Sendable, Hashable {
  /// The loads.
  public var loads: [LoadingSession]
  /// The number of matching loads without the limit.
  public var total: Int
  /// The number of loads that would match, but were pruned. Of a UTC day that the window contains only in part, all
  /// pruned loads that started on it are counted.
  public var pruned = 0
  /// The first and the last UTC day on which these pruned loads started; nil if there are none, or without a window.
  public var prunedDays: ClosedRange<UTCDay>?
  /// The hosts of a fleet with loads of the same feeds that do not ship every load as a row, by name: ``pruned`` counts
  /// their loads without rows, too. Always empty in the answer of a store.
  public var hostsWithoutRows: [String] = []
  /// The hosts of a fleet that ship no messages, by name, if texts were searched: they may have more loads that match.
  /// Always empty in the answer of a store.
  public var hostsWithoutMessages: [String] = []

  /// Creates a page.
  public init(loads: [LoadingSession], total: Int) {
    self.loads = loads
    self.total = total
  }
}

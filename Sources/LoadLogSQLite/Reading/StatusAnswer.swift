import GRDB
import LoadLogCore

/// Answers `status`: what is counted, what runs now, and how long loads take.
struct StatusAnswer {
  /// The largest number of rows that one question reads to find exact quantiles. Beyond that histograms answer.
  private static let mostRows = 50_000

  private let query: RecordQuery
  private let filter: LoadFilter
  private let window: StatusWindow
  /// The days of the window of which the filter has a part, where only counters of days know all loads.
  private let widened: [Int64]
  private let runningLimit: Int64?
  /// The sessions that the store calls running, by feed, in the order of starts.
  private let running: [Int64: [StoredSession]]
  /// The failures that were to be retried by a command that died, by feed.
  private let unretried: [Int64: [UnretriedFailure]]
  /// The rows of the feeds, and what is known of each so far. The summary takes the latter, which are large.
  private let rows: [Int64]
  private var statuses: [FeedStatus]
  private let current: CurrentSummaries
  private var tally: StatusTally
  private let trends: [Int64: DurationTrend]
  /// Whether quantiles come from rows. If not, from histograms.
  private let readsDurations: Bool
  /// Whether the summary has durations.
  private let hasDurations: Bool

  /// - Parameter hasDurations: false to leave the durations out until ``addDurations(of:to:)``.
  init(
    _ query: RecordQuery, _ filter: LoadFilter, runningLimit: Int64?, hasDurations: Bool = true
  ) throws {
    self.query = query
    self.filter = filter
    self.runningLimit = runningLimit
    self.hasDurations = hasDurations
    window = StatusWindow(query.isImage ? filter.ofWholeDays : filter)
    widened = query.isImage ? StatusWindow(filter).cuts.map { UTCDay(of: $0.lowerBound).number } : []
    let feeds = try query.feeds(filter)
    (rows, statuses) = (feeds.map(\.row), feeds.map(\.status))
    let expectations = ExpectationBook(try ExpectedRows(query.database).all())
    for index in statuses.indices {
      statuses[index].expectation = expectations.expectation(
        of: statuses[index].feed, statuses[index].dates)
    }
    var running: [Int64: [StoredSession]] = [:]
    try query.forEachRunning { running[$0.feedRow, default: []].append($0) }
    self.running = running.mapValues { $0.sorted { $0.startsBefore($1) } }
    let chosen = filter.feeds.isEmpty ? nil : Set(rows)
    // What is usual for a feed says whether its loads overrun, and how late a success may come.
    let learned = zip(rows, statuses).lazy.filter { row, status in
      running[row] != nil || status.expectation?.expectation.learnsGrace == true
    }.map(\.0)
    current = try CurrentSummaries(query.database)
    tally = try StatusTally(
      query.database, current, window, feeds: chosen, widened: widened,
      durationsOf: hasDurations ? nil : Set(learned))
    trends = try tally.trends(at: query.now.wall)
    unretried = try query.unretriedFailures()
    let few = tally.summaries.reduce(0) { few, summary in
      summary.key != SummaryKey.store && summary.value.hasFewDurations
        ? few.addingClamping(summary.value.durationCount) : few
    }
    readsDurations = few <= Self.mostRows
  }

  /// The answer.
  mutating func summary() throws -> StatusSummary {
    let isWhole = filter.feeds.isEmpty
    var totals = Parts(durations: hasDurations ? Durations() : nil)
    var firstStart: Int64?
    var statuses = statuses
    self.statuses = []
    for (index, row) in rows.enumerated() {
      if let first = tally.lifetimes[row]?.firstStart { firstStart = min(firstStart ?? first, first) }
      let parts = try complete(&statuses[index], row)
      totals.add(parts)
      if !isWhole { totals.summary.merge(parts.summary) }
    }
    if isWhole {
      // The store's own counters, which alone know what belongs to no feed.
      totals.summary = tally.summaries[SummaryKey.store] ?? Summary()
      // A damaged store may have lost a feed.
      try totals.durations?.check(totals.summary)
    }
    // A damaged store may have a row twice.
    let names = Dictionary(zip(rows, statuses.lazy.map(\.feed))) { first, _ in first }
    var answer = StatusSummary(
      generated: query.now.wall, since: filter.since, until: filter.until, feeds: statuses,
      totals: hasDurations ? totals.numbersWithDurations : totals.numbers,
      callSites: try tally.sites.callSites(
        feeds: names, withUnknown: isWhole, isComplete: !query.isImage), firstStart: firstStart)
    answer.wholeDays = Set(tally.wholeDays.values.joined()).sorted().map(UTCDay.init(number:))
    answer.isOfFleet = query.isImage
    (answer.lastCheck, answer.undelivered) = try NotifierRows(query.database).summary(at: query.now.wall)
    answer.totals.countsWholeDays = !answer.wholeDays.isEmpty
    return answer
  }

  /// Adds the durations of feeds to a summary that was made without them.
  func addDurations(of chosen: Set<Feed>, to answer: inout StatusSummary) throws {
    let indices = answer.feeds.indices.filter { chosen.contains(answer.feeds[$0].feed) }
    let feeds = Set(indices.map { rows[$0] })
    let summaries = try StatusTally(
      query.database, current, window, feeds: feeds, widened: widened
    ).summaries
    for index in indices {
      var parts = Parts()
      parts.summary = summaries[rows[index]] ?? Summary()
      try readDurations(of: rows[index], &parts)
      parts.addDurations(to: &answer.feeds[index].numbers)
    }
  }
}

// MARK: - A feed

extension StatusAnswer {
  /// Adds the numbers of a feed to its status, which has its dates and its expectation.
  private mutating func complete(_ status: inout FeedStatus, _ row: Int64) throws -> Parts {
    let lifetime = tally.lifetimes[row] ?? Summary()
    var parts = Parts()
    parts.summary = tally.summaries[row] ?? Summary()
    if hasDurations { try readDurations(of: row, &parts) }
    var alive: [(session: StoredSession, elapsed: Int64)] = []
    var mayBeLost = lifetime[.crashed] + lifetime[.rebooted] + lifetime[.abandoned] > 0
    let expectation = status.expectation
    // A success clears what failed or never finished before it, by their starts.
    let success = status.dates.lastSuccessStarted ?? .min
    let unretried = self.unretried[row] ?? []
    let isNewestUnretried = unretried.reduce(false) { status.note($1) || $0 }
    var unfinished = 0
    var inferred: StoredSession?
    for session in running[row] ?? [] {
      let shown = try query.shown(session)
      switch shown.state {
      case .running where shown.isUnknown: parts.now.unknown += 1
      case .running: alive.append((session, shown.length))
      default:
        mayBeLost = true
        // No writer has made the verdict durable yet, so its row does not count.
        if session.started.wall > success {
          unfinished += 1
          inferred = session
        }
        guard filter.contains(session.started.wall) else { continue }
        let site = ImbalanceSite(session, shown.state)
        parts.now.unbalanced.add(site.kind, acknowledged: false)
        tally.add(inferred: site, at: session.started.wall)
      }
    }
    // What runs is current in every window.
    parts.now.running = alive.count
    let hasRhythm = lifetime.durationCount >= OverrunRule.leastFinished
    if let limit = runningLimit ?? expectation?.expectation.maxRunning {
      status.runningLimit = limit
    } else if hasRhythm, !alive.isEmpty {
      try setUsual(&status, row, lifetime)
    }
    if status.runningLimit != nil || hasRhythm {
      parts.now.overrunning = alive.count { $0.elapsed > status.runningLimit ?? .max }
    }
    (status.hasEnded, status.hasCancelled) = (lifetime[.ended] > 0, lifetime[.cancelled] > 0)
    status.trend = trends[row]
    parts.now.runningSince = alive.first?.session.started.wall
    status.numbers = hasDurations ? parts.numbersWithDurations : parts.numbers
    status.numbers.countsWholeDays = tally.wholeDays[row] != nil
    status.oldestRunning = try alive.first.map { try query.session(row: $0.session.row) }
    if status.dates.lastVerdict == .failed, !isNewestUnretried {
      status.failedCallSite = try query.newestFailure(of: row)
    }
    var facts = FeedCondition.Facts(status, expectation: expectation, now: query.now.wall)
    facts.isOfAllHosts = query.isOfAllHosts
    facts.unfinished = unfinished
    facts.runningSince = alive.last { $0.elapsed <= status.runningLimit ?? .max }?.session.started.wall
    // Only feeds in trouble cost a query.
    if status.dates.lastVerdict == .failed || mayBeLost {
      let recent = try query.failures(of: row, after: success)
      facts.failed += recent.failed + unretried.count { $0.session.started.wall > success }
      facts.unfinished += recent.unfinished
    }
    if facts.unfinished > 0 {
      status.lostLoad = try query.lostLoad(
        of: row, after: success, failure: status.dates.standingFailure, inferred: inferred)
    }
    if expectation?.expectation.learnsGrace == true, hasRhythm {
      facts.usualMaximum = (lifetime.succeeded.statistics() ?? lifetime.durations.statistics())?.p99
    }
    status.apply(facts)
    return parts
  }

  /// What is usual for the feed, over all time.
  private func setUsual(_ status: inout FeedStatus, _ row: Int64, _ lifetime: Summary) throws {
    var durations: Durations?
    if readsDurations, lifetime.hasFewDurations {
      durations = try self.durations(of: row, .min ..< .max, counted: lifetime)
    }
    let typical =
      lifetime.succeeded.statistics(sorted: durations?.succeeded.sorted())
      ?? lifetime.durations.statistics(sorted: durations?.all.sorted())
    guard let p99 = typical?.p99 else { return }
    status.usualMaximum = Int64(exactly: p99.rounded()) ?? .max
    status.runningLimit = OverrunRule.limit(p99: p99)
  }

  /// Reads the durations of a feed in the window, if there are few.
  private func readDurations(of feed: Int64, _ parts: inout Parts) throws {
    guard readsDurations, parts.summary.hasFewDurations else { return }
    parts.durations = try durations(of: feed, window.bounds, counted: parts.summary)
  }

  private func durations(
    of feed: Int64, _ bounds: Range<Int64>, counted summary: Summary
  ) throws -> Durations {
    var durations = Durations()
    try RowCount(database: query.database).sessions("state, duration", of: feed, bounds).forEach { row in
      let state = try row.state(0)
      guard state.isFinished, let duration = try row.integer(1) else { return }
      durations.all.append(duration)
      if state.isSuccess { durations.succeeded.append(duration) }
    }
    try durations.check(summary)
    return durations
  }
}

extension FeedStatus {
  /// Notes a failure that was not retried after all, as a writer does who finds its command dead: a verdict that was
  /// recorded later stays the last one.
  ///
  /// - Returns: whether it is the newest failure.
  fileprivate mutating func note(_ failure: UnretriedFailure) -> Bool {
    let (end, verdict) = (failure.session.finishedAt, dates.lastVerdict)
    guard end >= dates.lastFailed ?? .min else { return false }
    let isLast = end >= dates.lastUpdated ?? .min
    dates.note(.failed, at: end, started: failure.session.started.wall, reason: failure.reason)
    if !isLast { dates.lastVerdict = verdict }
    failedCallSite = failure.callSite
    return true
  }
}

extension Summary {
  /// All durations are in rows, and few enough to find exact quantiles in them.
  fileprivate var hasFewDurations: Bool {
    durationCount <= DurationStatistics.exactLimit && !isSealed
  }
}

/// The durations of finished loads, in nanoseconds.
private struct Durations {
  var all: [Int64] = []
  var succeeded: [Int64] = []

  /// - Throws: `damaged` if there are fewer than were counted.
  func check(_ counted: Summary) throws {
    guard all.count >= counted.durationCount, succeeded.count >= counted.succeeded.count else {
      throw Summary.damage("loads that were counted are missing")
    }
  }
}

/// What adds up to the numbers of a feed, or of all of them.
private struct Parts {
  var summary = Summary()
  /// What counters do not know: what runs, and what lost its owner and has no verdict yet.
  var now = LoadNumbers()
  /// The durations in the window; nil if there are too many.
  var durations: Durations?

  var numbers: LoadNumbers {
    var numbers = summary.numbers
    numbers.running = now.running
    numbers.unknown = now.unknown
    numbers.unbalanced.add(now.unbalanced)
    numbers.overrunning = now.overrunning
    numbers.runningSince = now.runningSince
    return numbers
  }

  var numbersWithDurations: LoadNumbers {
    var numbers = numbers
    addDurations(to: &numbers)
    return numbers
  }

  func addDurations(to numbers: inout LoadNumbers) {
    numbers.duration = summary.durations.statistics(sorted: durations?.all.sorted())
    numbers.durationSucceeded = summary.succeeded.statistics(sorted: durations?.succeeded.sorted())
  }

  /// Adds another feed's parts, except for its summary.
  mutating func add(_ other: Parts) {
    now.running += other.now.running
    now.unknown += other.now.unknown
    now.unbalanced.add(other.now.unbalanced)
    if let overrunning = other.now.overrunning { now.overrunning = (now.overrunning ?? 0) + overrunning }
    if let since = other.now.runningSince { now.runningSince = min(now.runningSince ?? since, since) }
    let count = (durations?.all.count ?? 0) + (other.durations?.all.count ?? 0)
    guard let more = other.durations, count <= DurationStatistics.exactLimit else { return durations = nil }
    durations?.all += more.all
    durations?.succeeded += more.succeeded
  }
}

import Foundation
import GRDB
public import LoadLogCore

extension SQLiteLoadReader {
  /// The numbers of the feeds that the filter lets through.
  public func status(_ filter: LoadFilter, overdueLimit: Int64?) throws(LoadLogError) -> StatusSummary {
    try read { query in
      var tally = try StatusTally(query, filter, overdueLimit: overdueLimit)
      try tally.countSessions()
      try tally.countUnmatched()
      return try tally.summary()
    }
  }
}

/// Adds up the record for `status`.
private struct StatusTally {
  private let query: RecordQuery
  private let filter: LoadFilter
  private let overdueLimit: Int64?
  private var feeds: [Int64: FeedTally] = [:]
  private var totals: Tally
  private var sites: [SiteKey: CallSiteCount] = [:]
  private var firstStart: Int64?

  private struct SiteKey: Hashable {
    let feed: Feed?
    let callSite: Int64?
    let isLikely: Bool
    let kind: Imbalance.Kind
  }

  /// A feed's tally, and what is needed to tell what is overdue.
  private struct FeedTally {
    var status: FeedStatus
    var tally: Tally
    var lifetime = DurationCollector()
    var lifetimeSucceeded = DurationCollector()
    /// The newest load, if it is an unacknowledged unfinished start.
    var lost: Int64?
    /// The newest load that failed.
    var failed: Int64?
    var running: [(row: Int64, started: Int64, elapsed: Int64)] = []
  }

  /// What is added up alike for a feed and for all of them.
  private struct Tally {
    var numbers = LoadNumbers()
    var durations = DurationCollector()
    var succeeded = DurationCollector()
    var sweep = DepthSweep()
    var time = BusyTime()
    private let window: Range<Int64>

    init(_ filter: LoadFilter) {
      let start = filter.since?.multipliedClamping(by: 1000) ?? .min
      let end = filter.until?.multipliedClamping(by: 1000) ?? .max
      window = start..<max(start, end)
    }

    mutating func open(from start: Int64, to end: Int64) {
      sweep.add(0, from: start, to: end) { time.add($0, within: window) }
    }

    mutating func count(_ shown: RecordQuery.Shown, duration: Int64?, acknowledged: Bool) {
      numbers.loads += 1
      switch shown.state {
      case .running where shown.isUnknown: numbers.unknown += 1
      case .running: numbers.running += 1
      case .succeeded: numbers.succeeded += 1
      case .unchanged: numbers.unchanged += 1
      case .failed: numbers.failed += 1
      case .cancelled: numbers.cancelled += 1
      case .ended: numbers.ended += 1
      case .crashed, .rebooted, .abandoned:
        numbers.unbalanced.add(.unfinishedStart(shown.state), acknowledged: acknowledged)
      }
      guard shown.state.isFinished, let duration else { return }
      durations.add(duration)
      if shown.state.isSuccess { succeeded.add(duration) }
    }

    mutating func finished() -> LoadNumbers {
      sweep.advance(to: .max) { time.add($0, within: window) }
      numbers.duration = durations.statistics
      numbers.durationSucceeded = succeeded.statistics
      numbers.busy = time.busy
      numbers.peakDepth = time.peakDepth
      return numbers
    }
  }

  init(_ query: RecordQuery, _ filter: LoadFilter, overdueLimit: Int64?) throws {
    self.query = query
    self.filter = filter
    self.overdueLimit = overdueLimit
    totals = Tally(filter)
    let rows = try Row.fetchCursor(
      query.database,
      sql: "SELECT feed.id, feed.name, feed.pops_after_reset, \(FeedDates.columns) FROM \(FeedDates.source)")
    while let row = try rows.next() {
      let feed = Feed(try row.at(1))
      guard filter.admits(feed) else { continue }
      var tally = Tally(filter)
      tally.numbers.popsAfterReset = try row.at(2)
      totals.numbers.popsAfterReset += try row.at(2) as Int
      feeds[try row.at(0)] = FeedTally(
        status: FeedStatus(feed: feed, dates: try FeedDates(row, from: 3)), tally: tally)
    }
  }

  mutating func countSessions() throws {
    let cursor = try Row.fetchCursor(
      query.database,
      sql: """
        SELECT \(StoredSession.columns), session.call_site, acknowledgement.id IS NOT NULL
        FROM session LEFT JOIN acknowledgement ON acknowledgement.id = session.id AND state IN (0, 6, 7, 8)
        ORDER BY started_at
        """)
    while let row = try cursor.next() {
      let session = try StoredSession(row)
      guard feeds[session.feedRow] != nil else { continue }
      try count(
        session, callSite: try row.at(StoredSession.columnCount),
        acknowledged: try row.at(StoredSession.columnCount + 1))
    }
  }

  private mutating func count(_ session: StoredSession, callSite: Int64?, acknowledged: Bool) throws {
    guard var feed = feeds[session.feedRow] else { return }
    let shown = try query.shown(session)
    let start = session.started.wall
    firstStart = firstStart ?? start
    feed.tally.open(from: start.multipliedClamping(by: 1000), to: shown.wallEnd)
    totals.open(from: start.multipliedClamping(by: 1000), to: shown.wallEnd)
    if shown.state.isFinished, let duration = session.duration {
      feed.lifetime.add(duration)
      if shown.state.isSuccess { feed.lifetimeSucceeded.add(duration) }
    }
    if shown.state == .running, !shown.isUnknown {
      feed.running.append((session.row, start, shown.length))
    }
    if shown.state == .failed { feed.failed = session.row }
    feed.lost = shown.state.isUnfinishedStart && !acknowledged ? session.row : nil
    if filter.contains(start) {
      feed.tally.count(shown, duration: session.duration, acknowledged: acknowledged)
      totals.count(shown, duration: session.duration, acknowledged: acknowledged)
      if shown.state.isUnfinishedStart, !acknowledged {
        let kind = Imbalance.Kind.unfinishedStart(shown.state)
        addSite(feed.status.feed, callSite, isLikely: session.isAnonymous, kind, at: start)
      }
    }
    feeds[session.feedRow] = feed
  }

  mutating func countUnmatched() throws {
    let cursor = try Row.fetchCursor(
      query.database,
      sql: """
        SELECT kind, feed, unmatched.at, call_site, acknowledgement.id IS NOT NULL
        FROM unmatched LEFT JOIN acknowledgement ON acknowledgement.id = unmatched.id
        """)
    while let row = try cursor.next() {
      guard let code = UnmatchedKind(code: try row.at(0)), filter.contains(try row.at(2)) else { continue }
      let kind = Imbalance.Kind.unmatchedFinish(code)
      let acknowledged: Bool = try row.at(4)
      let feed: Int64? = try row.at(1)
      if let feed {
        guard feeds[feed] != nil else { continue }
        feeds[feed]?.tally.numbers.unbalanced.add(kind, acknowledged: acknowledged)
      } else if !filter.feeds.isEmpty {
        continue
      }
      totals.numbers.unbalanced.add(kind, acknowledged: acknowledged)
      guard !acknowledged else { continue }
      addSite(
        feed.flatMap { feeds[$0]?.status.feed }, try row.at(3), isLikely: false, kind, at: try row.at(2))
    }
  }

  private mutating func addSite(
    _ feed: Feed?, _ callSite: Int64?, isLikely: Bool, _ kind: Imbalance.Kind, at: Int64
  ) {
    let key = SiteKey(feed: feed, callSite: callSite, isLikely: isLikely, kind: kind)
    var site =
      sites[key]
      ?? CallSiteCount(feed: feed, callSite: nil, isLikely: isLikely, kind: kind, count: 0, last: at)
    site.count += 1
    site.last = max(site.last, at)
    sites[key] = site
  }

  mutating func summary() throws -> StatusSummary {
    var statuses: [FeedStatus] = []
    for feed in feeds.values {
      let status = try finished(feed)
      if let overdue = status.numbers.overdue {
        totals.numbers.overdue = (totals.numbers.overdue ?? 0) + overdue
      }
      if let since = status.numbers.runningSince {
        totals.numbers.runningSince = min(totals.numbers.runningSince ?? since, since)
      }
      statuses.append(status)
    }
    var all = totals.finished()
    if !filter.feeds.isEmpty {
      all.busy = nil
      all.peakDepth = nil
    }
    return StatusSummary(
      generated: query.now.wall, since: filter.since, until: filter.until,
      feeds: statuses.sorted { $0.feed < $1.feed }, totals: all, callSites: try callSites(),
      firstStart: firstStart)
  }

  private func finished(_ feed: FeedTally) throws -> FeedStatus {
    var feed = feed
    var status = feed.status
    status.numbers = feed.tally.finished()
    let oldest = feed.running.min { ($0.started, $0.row) < ($1.started, $1.row) }
    status.numbers.runningSince = oldest?.started
    status.failedCallSite = try feed.failed.flatMap { try query.session(row: $0).callSite }
    status.lostLoad = try feed.lost.map(query.session(row:))
    status.oldestRunning = try oldest.map { try query.session(row: $0.row) }
    if feed.lifetime.count >= OverdueRule.leastFinished,
      let typical = feed.lifetimeSucceeded.statistics ?? feed.lifetime.statistics
    {
      status.usualMaximum = Int64(exactly: typical.p99.rounded()) ?? .max
      status.overdueLimit = OverdueRule.limit(p99: typical.p99)
    }
    status.overdueLimit = overdueLimit ?? status.overdueLimit
    status.numbers.overdue = status.overdueLimit.map { limit in
      feed.running.count { $0.elapsed > limit }
    }
    return status
  }

  private func callSites() throws -> [CallSiteCount] {
    var named: [CallSiteCount] = []
    for (key, site) in sites {
      var site = site
      site.callSite = try key.callSite.flatMap { row in
        try String.fetchOne(query.database, sql: "SELECT value FROM text WHERE id = ?", arguments: [row])
      }
      named.append(site)
    }
    return named.sorted {
      ($1.count, $1.last, $0.feed?.name ?? "", $0.callSite ?? "", $0.kind.word)
        < ($0.count, $0.last, $1.feed?.name ?? "", $1.callSite ?? "", $1.kind.word)
    }
  }
}

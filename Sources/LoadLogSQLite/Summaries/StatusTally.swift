import GRDB
import LoadLogCore

/// Adds up the record for `status`: whole days from the summaries, the cut days at the window's ends and what
/// runs now from rows.
struct StatusTally {
  private let query: RecordQuery
  private let filter: LoadFilter
  private let window: StatusWindow
  private let overdueLimit: Int64?
  /// What the store calls running, by feed, in the order of starts.
  private let running: [Int64: [StoredSession]]
  private let summaries: CurrentSummaries
  private var sweeps: DaySweeps
  private var sites: CallSiteTally
  /// What the feeds' rows of each cut day add up to.
  private var cutSums: [Summary]

  /// What is added up alike for a feed and for all of them.
  private struct Tally {
    var summary = Summary()
    /// What the summaries do not know: what runs, and what lost its owner and has no verdict yet.
    var now = LoadNumbers()
    var time = BusyTime()
    /// All durations in the window, while they are few; otherwise nil.
    var durations: Durations?

    struct Durations {
      var all: [Int64] = []
      var succeeded: [Int64] = []

      /// - Throws: ``LoadLogError/Code/damaged`` if there are fewer than were counted.
      func check(_ counted: Summary) throws {
        guard all.count >= counted.durationCount, succeeded.count >= counted.succeeded.count else {
          throw Summary.damage("loads that were counted are not there")
        }
      }
    }

    var numbers: LoadNumbers {
      var numbers = summary.numbers
      numbers.running = now.running
      numbers.unknown = now.unknown
      numbers.unbalanced.add(now.unbalanced)
      numbers.overdue = now.overdue
      numbers.runningSince = now.runningSince
      numbers.popsAfterReset = now.popsAfterReset
      numbers.busy = time.busy
      numbers.peakDepth = time.peakDepth
      numbers.duration = summary.durations.statistics(sorted: durations?.all.sorted())
      numbers.durationSucceeded = summary.succeeded.statistics(sorted: durations?.succeeded.sorted())
      return numbers
    }

    /// Adds all of another but its summary.
    mutating func add(_ other: Tally) {
      now.running += other.now.running
      now.unknown += other.now.unknown
      now.popsAfterReset = now.popsAfterReset.addingClamping(other.now.popsAfterReset)
      now.unbalanced.add(other.now.unbalanced)
      if let overdue = other.now.overdue { now.overdue = (now.overdue ?? 0) + overdue }
      if let since = other.now.runningSince { now.runningSince = min(now.runningSince ?? since, since) }
      let count = (durations?.all.count ?? 0) + (other.durations?.all.count ?? 0)
      guard let more = other.durations, count <= DurationCollector.exactLimit else { return durations = nil }
      durations?.all += more.all
      durations?.succeeded += more.succeeded
    }
  }

  init(_ query: RecordQuery, _ filter: LoadFilter, overdueLimit: Int64?) throws {
    self.query = query
    self.filter = filter
    self.overdueLimit = overdueLimit
    window = StatusWindow(filter)
    cutSums = window.cuts.map { _ in Summary() }
    sweeps = try query.sweeps()
    summaries = try CurrentSummaries(query.database)
    sites = CallSiteTally(query.database, summaries.uncountedSites)
    var running: [Int64: [StoredSession]] = [:]
    try query.forEachRunning(summaries.newLoads) { running[$0.feedRow, default: []].append($0) }
    self.running = running.mapValues { $0.sorted { $0.startsBefore($1) } }
  }

  /// The answer.
  mutating func summary() throws -> StatusSummary {
    let feeds = try query.feeds(filter)
    let isWhole = filter.feeds.isEmpty
    if window.isAllTime {
      try sites.add(days: SummaryKey.allTime..<0)
    } else {
      try sites.add(days: window.days)
    }
    var totals = Tally(durations: Tally.Durations())
    var firstStart: Int64?
    var statuses: [FeedStatus] = []
    for (row, status) in feeds {
      let lifetime = try lifetime(of: row)
      if let first = lifetime.firstStart { firstStart = min(firstStart ?? first, first) }
      let (feed, tally) = try self.status(status, row, lifetime)
      statuses.append(feed)
      totals.add(tally)
      if !isWhole { totals.summary.merge(tally.summary) }
    }
    if isWhole {
      // The store's own rows count all feeds, and alone what belongs to none.
      let store = try tally(of: SummaryKey.store, lifetime(of: SummaryKey.store))
      (totals.summary, totals.time) = (store.summary, store.time)
      // A damaged store may have lost a feed.
      try totals.durations?.check(totals.summary)
    }
    var numbers = totals.numbers
    if !isWhole {
      numbers.busy = nil
      numbers.peakDepth = nil
    }
    // A damaged store may have a row twice.
    let names = Dictionary(feeds.map { ($0.row, $0.status.feed) }) { first, _ in first }
    return StatusSummary(
      generated: query.now.wall, since: filter.since, until: filter.until, feeds: statuses, totals: numbers,
      callSites: try sites.counts(feeds: names, withUnknown: isWhole), firstStart: firstStart)
  }
}

// MARK: - A feed

extension StatusTally {
  /// All that is counted of a feed.
  private func lifetime(of feed: Int64) throws -> Summary {
    try summaries.fetch(SummaryKey(feed: feed, day: SummaryKey.allTime)) ?? Summary()
  }

  private mutating func status(
    _ status: FeedStatus, _ row: Int64, _ lifetime: Summary
  ) throws -> (FeedStatus, Tally) {
    var status = status
    var tally = try tally(of: row, lifetime)
    tally.now.popsAfterReset = status.numbers.popsAfterReset
    if tally.summary.durationCount <= DurationCollector.exactLimit, !tally.summary.isSealed {
      tally.durations = try durations(of: row, window.bounds, counted: tally.summary)
    }
    var alive: [(session: StoredSession, elapsed: Int64)] = []
    var mayBeLost = lifetime[.crashed] + lifetime[.rebooted] + lifetime[.abandoned] > 0
    for session in running[row] ?? [] {
      let shown = try query.shown(session)
      if shown.state == .running, !shown.isUnknown { alive.append((session, shown.length)) }
      if shown.state.isUnfinishedStart { mayBeLost = true }
      if filter.contains(session.started.wall) { count(session, shown, &tally) }
    }
    if lifetime.durationCount >= OverdueRule.leastFinished {
      try setUsual(&status, row, lifetime, isAsked: !alive.isEmpty)
    }
    status.overdueLimit = overdueLimit ?? status.overdueLimit
    if overdueLimit != nil || lifetime.durationCount >= OverdueRule.leastFinished {
      tally.now.overdue = alive.count { $0.elapsed > status.overdueLimit ?? .max }
    }
    tally.now.runningSince = alive.first?.session.started.wall
    status.numbers = tally.numbers
    status.oldestRunning = try alive.first.map { try query.session(row: $0.session.row) }
    if status.dates.lastVerdict == .failed {
      status.failedCallSite = try query.newestFailure(of: row, summaries.newLoads)
    }
    if mayBeLost { status.lostLoad = try query.lostLoad(of: row, summaries.newLoads) }
    return (status, tally)
  }

  /// What `status` calls usual: of all time, and only asked for where something runs.
  private func setUsual(
    _ status: inout FeedStatus, _ row: Int64, _ lifetime: Summary, isAsked: Bool
  ) throws {
    guard isAsked else { return }
    var durations: Tally.Durations?
    if lifetime.durationCount <= DurationCollector.exactLimit, !lifetime.isSealed {
      durations = try self.durations(of: row, .min ..< .max, counted: lifetime)
    }
    let typical =
      lifetime.succeeded.statistics(sorted: durations?.succeeded.sorted())
      ?? lifetime.durations.statistics(sorted: durations?.all.sorted())
    guard let p99 = typical?.p99 else { return }
    status.usualMaximum = Int64(exactly: p99.rounded()) ?? .max
    status.overdueLimit = OverdueRule.limit(p99: p99)
  }

  /// A load that the summaries count as started only.
  private mutating func count(
    _ session: StoredSession, _ shown: RecordQuery.Shown, _ tally: inout Tally
  ) {
    switch shown.state {
    case .running where shown.isUnknown: tally.now.unknown += 1
    case .running: tally.now.running += 1
    default:
      let site = session.site(shown.state)
      tally.now.unbalanced.add(site.kind, acknowledged: false)
      sites.add(site, at: session.started.wall)
    }
  }

  /// A feed's summary, busy time and depth over the window; of the store, after all feeds.
  private mutating func tally(of feed: Int64, _ lifetime: Summary) throws -> Tally {
    var tally = Tally()
    guard !window.isAllTime else {
      tally.summary = lifetime
      tally.time = try sweeps.allTime(feed)
      return tally
    }
    for (_, day) in try summaries.days(of: feed, window.days) { tally.summary.merge(day) }
    tally.time = try sweeps.time(of: feed, days: window.days)
    for (index, cut) in window.cuts.enumerated() {
      let key = SummaryKey(feed: feed, day: SummaryKey.day(of: cut.lowerBound))
      // Of a sealed day some rows are gone: all of it has to stand for its part.
      let sealed = try summaries.fetch(key).flatMap { $0.isSealed ? $0 : nil }
      tally.time.merge(try sealed == nil ? sweeps.time(of: feed, within: cut) : sweeps.day(key).time)
      var part: Summary
      if feed == SummaryKey.store {
        // What its feeds say, so that they agree; some of their days may be sealed, and others not.
        part = try count(nil, cut).merging(cutSums[index])
        part.isSealed = part.isSealed || sealed != nil
      } else if let sealed {
        part = sealed
        try sites.add(days: key.day..<key.day + 1, of: feed)
      } else {
        part = try count(feed, cut)
      }
      tally.summary.merge(part)
      cutSums[index].merge(part)
    }
    return tally
  }

  /// Counts the rows of a part of a day: a feed's, or what belongs to none.
  private mutating func count(_ feed: Int64?, _ bounds: Range<Int64>) throws -> Summary {
    let rows = RowCount(database: query.database, newLoads: summaries.newLoads)
    var (part, sites) = (Summary(), sites)
    let listener: RowCount.Listener = { _, wall, unbalanced, count in
      count(&part)
      if let unbalanced { sites.add(unbalanced, at: wall) }
    }
    if let feed { try rows.sessions(of: feed, bounds, listener) }
    try RowCount.unmatched(of: feed, bounds, in: query.database, listener)
    self.sites = sites
    return part
  }

  /// The durations of a feed's rows.
  private func durations(
    of feed: Int64, _ bounds: Range<Int64>, counted summary: Summary
  ) throws -> Tally.Durations {
    var durations = Tally.Durations()
    func add(_ state: SessionState, _ duration: Int64?) {
      guard state.isFinished, let duration else { return }
      durations.all.append(duration)
      if state.isSuccess { durations.succeeded.append(duration) }
    }
    let rows = RowCount(database: query.database, newLoads: summaries.newLoads)
    try rows.indexedSessions("state, duration", of: feed, bounds).forEach {
      try add($0.state(0), $0.integer(1))
    }
    for load in summaries.newLoads.of(feed, bounds) { add(load.state, load.duration) }
    try durations.check(summary)
    return durations
  }
}

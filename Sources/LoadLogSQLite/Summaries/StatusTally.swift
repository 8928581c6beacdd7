import GRDB
import LoadLogCore

/// The counted part of `status`: summaries of feeds and of the store over a window, and imbalances by call site.
///
/// Whole days come from the counters, parts of days from rows. Where rows of a part were pruned, the whole day stands
/// for it, and its summary is marked as sealed. Imbalances are never pruned: rows know those of each part. The image of a
/// fleet has not every row, so there the window has whole days only.
struct StatusTally {
  private let database: Database
  private let current: CurrentSummaries
  private let window: StatusWindow
  /// Counters of all time, by feed.
  private(set) var lifetimes: [Int64: Summary] = [:]
  /// Summaries over the window, by feed.
  private(set) var summaries: [Int64: Summary] = [:]
  private(set) var sites: CallSiteTally
  /// The days that stand for their parts, by feed, and those of the store.
  private(set) var wholeDays: [Int64: Set<Int64>] = [:]

  /// - Parameters:
  ///   - feeds: rows of feeds; nil for all, and the store.
  ///   - widened: the days of the window that stand for their parts, by number, although rows of these parts may be there.
  ///   - detailed: rows of feeds whose durations are read; nil for all, and the store.
  init(
    _ database: Database, _ current: CurrentSummaries, _ window: StatusWindow, feeds: Set<Int64>?,
    widened: [Int64], durationsOf detailed: Set<Int64>? = nil
  ) throws {
    self.database = database
    self.current = current
    self.window = window
    sites = CallSiteTally(database)
    lifetimes = try current.sums(days: SummaryKey.allTime..<0, of: feeds, durationsOf: detailed)
    sites.add(try current.sites(days: window.days), within: window.bounds)
    guard !window.isAllTime else {
      summaries = lifetimes
      return
    }
    summaries = try current.sums(days: window.days, of: feeds, durationsOf: detailed)
    for cut in window.cuts { try add(cut, of: feeds) }
    for day in widened {
      try current.forEach(days: day..<day + 1, of: feeds, durationsOf: []) { key, _ in
        wholeDays[key.feed, default: []].insert(day)
      }
    }
  }

  /// Adds a part of a day.
  private mutating func add(_ cut: Range<Int64>, of feeds: Set<Int64>?) throws {
    let day = SummaryKey.day(of: cut.lowerBound)
    var days: [Int64: Summary] = [:]
    try current.forEach(days: day..<day + 1, of: feeds) { days[$0.feed] = $1 }
    var store = Summary()
    for (feed, whole) in days where feed != SummaryKey.store {
      var part = try count(feed, cut)
      // What is pruned began before the sealed time ends: rows know everything that began later.
      if cut.lowerBound < whole.sealedUntil {
        part = whole.withImbalances(of: part)
        if whole.loads > 0 { wholeDays[feed, default: []].insert(day) }
      }
      summaries[feed, default: Summary()].merge(part)
      store.merge(part)
    }
    guard feeds == nil else { return }
    // The store is the sum of its feeds, so that they agree, and of what belongs to none.
    store.merge(try count(nil, cut))
    store.isSealed = store.isSealed || cut.lowerBound < days[SummaryKey.store]?.sealedUntil ?? .min
    summaries[SummaryKey.store, default: Summary()].merge(store)
  }

  /// Counts the rows of a part of a day: a feed's, or with nil those of unknown feeds.
  private mutating func count(_ feed: Int64?, _ bounds: Range<Int64>) throws -> Summary {
    let rows = RowCount(database: database)
    var changes = CounterChanges()
    if let feed { try rows.addSessions(of: feed, bounds, to: &changes) }
    try rows.addUnmatched(of: feed, bounds, to: &changes)
    let counts = changes.sites.counts.filter { $0.key.day == SummaryKey.allTime }
    sites.add(
      Dictionary(uniqueKeysWithValues: counts.map { ($0.key.site, $0.value) }), within: bounds)
    return changes.summaries[SummaryKey(feed: feed ?? SummaryKey.store, day: SummaryKey.allTime)] ?? Summary()
  }

  /// How the durations of feeds have changed, by feed.
  ///
  /// - Parameter now: wall time in microseconds.
  func trends(at now: Int64) throws -> [Int64: DurationTrend] {
    let wanted = lifetimes.filter {
      $0.key != SummaryKey.store && $0.value.successCount >= 2 * DurationTrend.leastSuccesses
    }
    guard wanted.count <= DurationTrend.mostFeeds else { return [:] }
    let (earlier, recent) = (DurationTrend.earlier(at: now), DurationTrend.recent(at: now))
    var tallies: [Int64: (earlier: DurationTally, recent: DurationTally)] = [:]
    let days = max(0, earlier.lowerBound.number)..<max(0, recent.upperBound.number)
    try current.forEach(days: days, of: Set(wanted.keys)) { key, summary in
      if key.day < recent.lowerBound.number {
        tallies[key.feed, default: (DurationTally(), DurationTally())].earlier.merge(summary.succeeded)
      } else {
        tallies[key.feed, default: (DurationTally(), DurationTally())].recent.merge(summary.succeeded)
      }
    }
    return tallies.compactMapValues { DurationTrend(recent: $0.recent, earlier: $0.earlier) }
  }

  /// Adds an imbalance that no row says yet.
  mutating func add(inferred site: ImbalanceSite, at wall: Int64) { sites.add(inferred: site, at: wall) }
}

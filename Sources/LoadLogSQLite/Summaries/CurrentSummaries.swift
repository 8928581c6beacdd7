import GRDB
import LoadLogCore

/// The counters as of now: the stored ones, and what waits in the journal. Valid for one read transaction.
struct CurrentSummaries {
  private let database: Database
  private let waiting: [SummaryKey: Summary]
  private let waitingSites: ImbalanceSiteCounts

  init(_ database: Database) throws {
    self.database = database
    let changes = try ChangeJournal.waiting(in: database)
    waiting = changes.summaries
    waitingSites = changes.sites
  }

  /// The summary of a day or of all time; nil if nothing was counted.
  func fetch(_ key: SummaryKey) throws -> Summary? {
    let stored = try Summary.fetch(key, in: database)
    guard let more = waiting[key] else { return stored }
    return stored?.merging(more) ?? more
  }

  /// The summaries of days, by day and feed. ``SummaryKey/allTime`` as a day gives those of all time.
  ///
  /// - Parameters:
  ///   - feeds: rows of feeds; nil for all, and the store.
  ///   - detailed: rows of feeds whose durations are read, which takes longer than all else; nil for all, and the store.
  ///     Of the others, summaries have only the numbers of durations.
  ///   - lost: called for each stored one whose numbers are impossible or cannot be read; nil to throw for the latter.
  ///   - body: called for each, without an order.
  func forEach(
    days: Range<Int64>, of feeds: Set<Int64>? = nil, durationsOf detailed: Set<Int64>? = nil,
    onlySealed: Bool = false, lost: ((SummaryKey) -> Void)? = nil,
    _ body: (SummaryKey, Summary) throws -> Void
  ) throws {
    // The index names the feed: the rows of others are not read.
    let chosen = feeds == nil ? "" : " AND feed IN (SELECT value FROM json_each(?))"
    let sealed = onlySealed ? " AND is_sealed <> 0" : ""
    let rows = try RawStatement(
      database, "SELECT \(Summary.columns) FROM summary WHERE day >= ? AND day < ?\(sealed)\(chosen)",
      days.lowerBound, days.upperBound)
    if let feeds { rows.bind(3, "[\(feeds.map(String.init).joined(separator: ","))]") }
    var rest = waiting.filter { days.contains($0.key.day) && feeds?.contains($0.key.feed) ?? true }
    try rows.forEach { row in
      let key = try Summary.key(row)
      let hasDurations = detailed?.contains(key.feed) ?? true
      let stored = try lost == nil ? Summary(row, hasDurations: hasDurations) : Summary.ifPossible(row)
      guard let stored else {
        rest.removeValue(forKey: key)
        lost?(key)
        return
      }
      try body(key, rest.removeValue(forKey: key).map(stored.merging) ?? stored)
    }
    guard !onlySealed else { return }
    for (key, summary) in rest { try body(key, summary) }
  }

  /// The first counted day from a day on; nil if there is none.
  func firstDay(from day: Int64) throws -> Int64? {
    let stored = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT min(day) FROM summary WHERE day >= ? AND feed = 0"),
      arguments: [day])
    return [stored, waitingDays.filter { $0 >= day }.min()].compactMap(\.self).min()
  }

  /// The last counted day; nil if there is none.
  func lastDay() throws -> Int64? {
    let stored = try Int64.fetchOne(database, sql: "SELECT max(day) FROM summary WHERE day >= 0 AND feed = 0")
    return [stored, waitingDays.max()].compactMap(\.self).max()
  }

  private var waitingDays: [Int64] {
    waiting.keys.filter { $0.feed == SummaryKey.store && $0.day >= 0 }.map(\.day)
  }

  /// The summaries of whole days, added up by feed.
  func sums(
    days: Range<Int64>, of feeds: Set<Int64>? = nil, durationsOf detailed: Set<Int64>? = nil
  ) throws -> [Int64: Summary] {
    var sums: [Int64: Summary] = [:]
    try forEach(days: days, of: feeds, durationsOf: detailed) { sums[$0.feed, default: Summary()].merge($1) }
    return sums
  }

  /// The counts of unacknowledged imbalances on whole days, by call site.
  func sites(days: Range<Int64>) throws -> [ImbalanceSite: Int] {
    let rows = try RawStatement(
      database, "SELECT \(ImbalanceSiteCounts.columns) FROM imbalance_site WHERE day >= ? AND day < ?",
      days.lowerBound, days.upperBound)
    var sites: [ImbalanceSite: Int] = [:]
    try rows.forEach { row in
      if let (key, count) = try ImbalanceSiteCounts.entry(row) { sites[key.site, default: 0] += count }
    }
    for (key, count) in waitingSites.counts where days.contains(key.day) {
      sites[key.site, default: 0] += count
    }
    return sites
  }
}

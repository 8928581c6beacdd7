import GRDB
import LoadLogCore

/// Counts the record again, row by row: to check the counters, and to repair them.
///
/// Days with pruned rows keep what they have: they cannot be counted again. If that cannot be read, or is impossible, it
/// is lost, and the rows that remain are counted. So it is with what only the row of a feed counts.
struct SummaryRecount {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Fills the counters from the rows. The caller is in a transaction.
  ///
  /// - Returns: the sealed days that lost what was kept of their pruned loads.
  func rebuild() throws -> Set<SummaryKey> {
    // What waits belongs to sealed days, too. If the journal's position is lost, what it counted is unknown, and
    // sealed days are taken to be complete.
    if try !ChangeJournal.isSound(in: database) { try ChangeJournal.empty(in: database) }
    let counted = try count()
    // What counts nothing any longer stays, as 0: rows that are gone would keep their old counts in a fleet's database.
    for key in try Summary.keys(in: database) where counted.summaries[key] == nil {
      try Summary().write(key, to: database)
    }
    for (key, summary) in counted.summaries { try summary.write(key, to: database) }
    for column in Self.feedCounts {
      try database.execute(sql: "UPDATE feed SET \(column) = 0 WHERE \(Self.isImpossible(column))")
    }
    try ImbalanceSiteCounts.reset(in: database)
    try counted.sites.write(to: database)
    try ChangeJournal.empty(in: database)
    return counted.lost
  }

  /// The number of counters that disagree with the rows.
  func faults() throws -> Int {
    let counted = try count()
    var faults = counted.lost.count + (try ChangeJournal.isSound(in: database) ? 0 : 1)
    for column in Self.feedCounts {
      let feeds = "SELECT count(*) FROM feed WHERE \(Self.isImpossible(column))"
      faults += try Int.fetchOne(database, sql: feeds) ?? 0
    }
    let current = try CurrentSummaries(database)
    var rest = counted.summaries.filter { $0.value != Summary() }
    try current.forEach(days: SummaryKey.allTime..<Int64.max) { key, summary in
      if (rest.removeValue(forKey: key) ?? Summary()) != summary { faults += 1 }
    }
    faults += rest.count
    var sites: [ImbalanceSiteCounts.Key: Int] = [:]
    let rows = try RawStatement(database, "SELECT \(ImbalanceSiteCounts.columns) FROM imbalance_site")
    try rows.forEach { row in
      if let (key, count) = try ImbalanceSiteCounts.entry(row) { sites[key] = count } else { faults += 1 }
    }
    for (key, count) in try ChangeJournal.waiting(in: database).sites.counts {
      sites[key, default: 0] += count
    }
    return faults
      + Set(sites.keys).union(counted.sites.counts.keys)
      .count { sites[$0, default: 0] != counted.sites.counts[$0, default: 0] }
  }

  /// Counts of feeds that no rows are left to check.
  private static let feedCounts = ["pruned_failures", "overlaps"]

  private static func isImpossible(_ column: String) -> String {
    "\(column) NOT BETWEEN 0 AND \(Summary.most)"
  }

  /// What the counters should be.
  private func count() throws -> (
    summaries: [SummaryKey: Summary], sites: ImbalanceSiteCounts, lost: Set<SummaryKey>
  ) {
    let current = try CurrentSummaries(database)
    var sealed: [SummaryKey: Summary] = [:]
    var lost: Set<SummaryKey> = []
    try current.forEach(days: 0..<Int64.max, onlySealed: true, lost: { lost.insert($0) }) { sealed[$0] = $1 }
    var days: [SummaryKey: Summary] = [:]
    var sites = ImbalanceSiteCounts()
    let rows = RowCount(database: database)
    let all = Int64.min..<Int64.max
    for feed in try Int64.fetchAll(database, sql: "SELECT id FROM feed") {
      var changes = CounterChanges()
      try rows.addSessions(of: feed, all, to: &changes)
      try rows.addUnmatched(of: feed, all, to: &changes)
      add(changes, of: feed)
    }
    var changes = CounterChanges()
    try rows.addUnmatched(of: nil, all, to: &changes)
    add(changes, of: SummaryKey.store)

    func add(_ changes: CounterChanges, of feed: Int64) {
      for (key, summary) in changes.summaries where key.feed == feed && key.day != SummaryKey.allTime {
        // What belongs to no feed is never pruned.
        days[key] = feed == SummaryKey.store ? summary : sealed[key] ?? summary
      }
      for (key, count) in changes.sites.counts { sites.add(count, key) }
    }
    for (key, summary) in sealed where key.feed != SummaryKey.store { days[key] = summary }
    for key in lost {
      if key.feed == SummaryKey.store {
        sealed[key] = Summary()
      } else {
        days[key, default: Summary()].isSealed = true
      }
    }
    return (withStore(days, sealed), sites, lost)
  }

  /// Adds what follows from the days of feeds: the store, and all time. Of the store's own row of a sealed day only
  /// busy time and depth are its own.
  private func withStore(
    _ days: [SummaryKey: Summary], _ sealed: [SummaryKey: Summary]
  ) -> [SummaryKey: Summary] {
    var all: [SummaryKey: Summary] = [:]
    for (key, summary) in days {
      var counts = summary
      counts.sealedTime = nil
      for total in key.totals { all[total, default: Summary()].merge(total == key ? summary : counts) }
    }
    for (key, summary) in sealed where key.feed == SummaryKey.store {
      all[key, default: Summary()].isSealed = true
      all[key]?.sealedTime = summary.sealedTime
      all[SummaryKey(feed: SummaryKey.store, day: SummaryKey.allTime), default: Summary()].isSealed = true
    }
    return all
  }
}

import GRDB
import LoadLogCore

/// Counts the record anew, row by row: to fill the summaries of an old store, to check them, to mend them.
///
/// Days with pruned rows are taken as they are: nobody can count them again.
struct SummaryRecount {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Fills the summaries anew. The caller is in a transaction.
  func rebuild() throws {
    if try !SettlementMarks.areSound(in: database) {
      // Nobody knows what was counted; days that cannot be counted again are taken for complete.
      try SettlementMarks.noteCounted(in: database)
      try SettlementMarks.noteSwept(upTo: SettlementMarks.lastSession(in: database), in: database)
    }
    try SettlementMarks.index(after: .min, upTo: .max, in: database)
    // Sealed days keep what the sweeps have found, up to now, unless that is damaged itself.
    do {
      try database.inSavepoint {
        try Settlement.settle(database)
        return .commit
      }
    } catch is LoadLogError {}
    let summaries = try CurrentSummaries(database)
    try database.execute(sql: "DELETE FROM imbalance_site; DELETE FROM sweep")
    try SettlementMarks.noteSwept(upTo: 0, in: database)
    var sites = ImbalanceSiteChanges()
    var store: [Int64: Summary] = [:]
    for feed in try feeds() {
      let days = try days(of: feed, summaries, &sites)
      try replace(feed, days)
      for (day, summary) in days { store[day, default: Summary()].merge(summary) }
    }
    try replace(SummaryKey.store, adding(unknown: &sites, to: store))
    try sites.write(to: database)
    try SettlementMarks.noteCounted(in: database)
    var sweeps = try sweeps { $0.state == .running ? .max : $0.keptEnd }
    try sweeps.write(to: database)
  }

  /// How many rows of the summaries do not say what the record does.
  ///
  /// - Parameter end: the end of a session's interval now.
  func faults(end: @escaping (StoredSession) throws -> Int64) throws -> Int {
    var faults = try SettlementMarks.areSound(in: database) ? 0 : 1
    faults += try SettlementMarks.lostSessions(in: database)
    var sites = ImbalanceSiteChanges()
    var store: [Int64: Summary] = [:]
    var all: [SummaryKey] = []
    var sealed: Set<Int64> = []
    let summaries = try CurrentSummaries(database)
    for feed in try feeds() {
      let days = try days(of: feed, summaries, &sites)
      faults += try compare(feed, days, summaries)
      all += days.keys.map { SummaryKey(feed: feed, day: $0) }
      for (day, summary) in days { store[day, default: Summary()].merge(summary) }
    }
    store = try adding(unknown: &sites, to: store)
    faults += try compare(SummaryKey.store, store, summaries)
    all += store.keys.map { SummaryKey(feed: SummaryKey.store, day: $0) }
    faults += try sites.differences(in: database, with: summaries.uncountedSites)
    var kept = try DaySweeps(database, end: end)
    try kept.settle(upTo: nil)
    try kept.finish()
    var fresh = try sweeps(end: end)
    try fresh.finish()
    for key in all {
      let (day, anew) = (try kept.day(key), try fresh.day(key))
      if day.isSealed { sealed.insert(key.feed) } else if day.time != anew.time { faults += 1 }
    }
    for feed in Set(all.map(\.feed)).subtracting(sealed)
    where try kept.allTime(feed) != fresh.allTime(feed) { faults += 1 }
    return faults
  }
}

extension SummaryRecount {
  private func feeds() throws -> [Int64] { try Int64.fetchAll(database, sql: "SELECT id FROM feed") }

  private func sweeps(end: @escaping (StoredSession) throws -> Int64) throws -> DaySweeps {
    var sweeps = try DaySweeps(database, from: .scratch, end: end)
    try sweeps.settle(upTo: nil)
    return sweeps
  }

  /// A feed's days from its rows; sealed ones as they are kept.
  private func days(
    of feed: Int64, _ summaries: CurrentSummaries, _ sites: inout ImbalanceSiteChanges
  ) throws -> [Int64: Summary] {
    let sealed = Dictionary(
      uniqueKeysWithValues: try summaries.days(of: feed, 0..<Int64.max, isSealed: true))
    var days: [Int64: Summary] = [:]
    var found = sites
    let rows = RowCount(database: database, newLoads: summaries.newLoads)
    let listener: RowCount.Listener = { _, wall, unbalanced, count in
      let day = SummaryKey.day(of: wall)
      if sealed[day] == nil { count(&days[day, default: Summary()]) }
      if let unbalanced { found.add(1, unbalanced, at: wall) }
    }
    try rows.sessions(of: feed, .min ..< .max, listener)
    try RowCount.unmatched(of: feed, in: database, listener)
    sites = found
    return days.merging(sealed) { $1 }
  }

  /// The store's days: all feeds', and what belongs to none.
  private func adding(
    unknown sites: inout ImbalanceSiteChanges, to days: [Int64: Summary]
  ) throws -> [Int64: Summary] {
    var (days, found) = (days, sites)
    try RowCount.unmatched(of: nil, in: database) { _, wall, unbalanced, count in
      count(&days[SummaryKey.day(of: wall), default: Summary()])
      if let unbalanced { found.add(1, unbalanced, at: wall) }
    }
    sites = found
    return days
  }

  private func replace(_ feed: Int64, _ days: [Int64: Summary]) throws {
    try database.execute(
      sql: "DELETE FROM summary WHERE feed = ? AND (is_sealed = 0 OR day = ?)",
      arguments: [feed, SummaryKey.allTime])
    for (day, summary) in days { try summary.write(SummaryKey(feed: feed, day: day), to: database) }
    try allTime(days).write(SummaryKey(feed: feed, day: SummaryKey.allTime), to: database)
  }

  private func compare(_ feed: Int64, _ days: [Int64: Summary], _ summaries: CurrentSummaries) throws -> Int {
    var kept = Dictionary(
      uniqueKeysWithValues: try summaries.days(of: feed, SummaryKey.allTime..<Int64.max))
    var faults = 0
    if days.isEmpty, kept.isEmpty { return 0 }
    if (kept.removeValue(forKey: SummaryKey.allTime) ?? Summary()) != allTime(days) { faults += 1 }
    for day in Set(days.keys).union(kept.keys) where (days[day] ?? Summary()) != (kept[day] ?? Summary()) {
      faults += 1
    }
    return faults
  }

  private func allTime(_ days: [Int64: Summary]) -> Summary {
    days.values.reduce(into: Summary()) { $0.merge($1) }
  }
}

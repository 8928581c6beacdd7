import GRDB
import LoadLogCore

/// Adds up unacknowledged imbalances by call site.
struct CallSiteTally {
  private struct Tally {
    var count = 0
    /// Where the imbalances that were counted can be: wall times in microseconds.
    var since = Int64.max, until = Int64.min
    /// The last imbalance that no row says yet: of a session whose owner the judge found dead.
    var inferred: Int64?
  }

  private let database: Database
  private var tallies: [ImbalanceSite: Tally] = [:]

  init(_ database: Database) { self.database = database }

  /// Adds counts of imbalances within bounds, wall times in microseconds.
  mutating func add(_ sites: [ImbalanceSite: Int], within bounds: Range<Int64>) {
    for (site, count) in sites {
      var tally = tallies[site] ?? Tally()
      tally.count += count
      tally.since = min(tally.since, bounds.lowerBound)
      tally.until = max(tally.until, bounds.upperBound)
      tallies[site] = tally
    }
  }

  /// Adds an imbalance that no row says yet, at a wall time in microseconds.
  mutating func add(inferred site: ImbalanceSite, at wall: Int64) {
    var tally = tallies[site] ?? Tally()
    tally.count += 1
    tally.inferred = max(tally.inferred ?? wall, wall)
    tallies[site] = tally
  }

  /// The call sites, the most frequent first.
  ///
  /// - Parameters:
  ///   - feeds: the feeds that were asked for, by row.
  ///   - withUnknown: whether imbalances of unknown feeds count too.
  ///   - isComplete: whether each imbalance has a row, as in every store. Without it, the day of a counter stands for it.
  func callSites(
    feeds: [Int64: Feed], withUnknown: Bool, isComplete: Bool
  ) throws -> [CallSiteCount] {
    var found: [CallSiteCount] = []
    for (site, tally) in tallies where tally.count > 0 {
      let feed = feeds[site.feed]
      guard feed != nil || (site.feed == SummaryKey.store && withUnknown) else { continue }
      let callSite = try RowCache.text(site.callSite, in: database)
      var last = [try last(of: site, tally), tally.inferred].compactMap(\.self).max()
      if last == nil, !isComplete { last = try lastDay(of: site).start }
      guard let last else {
        throw Summary.damage("an imbalance that was counted is not there")
      }
      found.append(
        CallSiteCount(
          feed: feed, callSite: callSite, isLikely: site.isLikely, kind: site.kind, count: tally.count,
          last: last))
    }
    return found.sorted(by: CallSiteCount.isMoreFrequent)
  }

  /// The last time that a call site was unbalanced in this way, from the index of such rows.
  private func last(of site: ImbalanceSite, _ tally: Tally) throws -> Int64? {
    guard tally.since < tally.until else { return nil }
    let rows: RawStatement
    switch site.kind {
    case .unfinishedStart(let state):
      // With ?1 alone SQLite would compare each value that is bound with the condition of the index, and compile the
      // statement again for it.
      rows = try RawStatement(
        database,
        """
        SELECT started_at FROM session
        WHERE state >= 6 AND state = +?1 AND feed = ?2 AND call_site IS nullif(?3, 0)
          AND started_at >= ?4 AND started_at < ?5 AND is_anonymous = ?6
          AND NOT EXISTS (SELECT 1 FROM acknowledgement WHERE acknowledgement.id = session.id)
        ORDER BY started_at DESC LIMIT 1
        """, state.code, site.feed, site.callSite, tally.since, tally.until, site.isLikely)
    case .unmatchedFinish(let kind):
      rows = try RawStatement(
        database,
        """
        SELECT at FROM unmatched
        WHERE kind = ?1 AND feed IS nullif(?2, 0) AND call_site IS nullif(?3, 0) AND at >= ?4 AND at < ?5
          AND NOT EXISTS (SELECT 1 FROM acknowledgement WHERE acknowledgement.id = unmatched.id)
        ORDER BY at DESC LIMIT 1
        """, kind.code, site.feed, site.callSite, tally.since, tally.until)
    }
    return try rows.first { try $0.number(0) }
  }

  /// The last day on which a call site was counted; the first of all if no counter says it.
  private func lastDay(of site: ImbalanceSite) throws -> UTCDay {
    let rows = try RawStatement(
      database,
      """
      SELECT max(day, 0) FROM imbalance_site
      WHERE feed = ? AND kind = ? AND call_site = ? AND is_likely = ? AND count > 0 ORDER BY day DESC LIMIT 1
      """, site.feed, site.kind.siteCode, site.callSite, site.isLikely)
    return UTCDay(number: try rows.first { try $0.number(0) } ?? 0)
  }
}

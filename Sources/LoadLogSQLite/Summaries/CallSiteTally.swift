import GRDB
import LoadLogCore

/// Adds up what is unbalanced and not acknowledged, by call site.
struct CallSiteTally {
  private let database: Database
  private let uncounted: ImbalanceSiteChanges
  private var sites: [ImbalanceSite: SiteCount] = [:]

  /// - Parameter uncounted: what the kept counts lack.
  init(_ database: Database, _ uncounted: ImbalanceSiteChanges) {
    self.database = database
    self.uncounted = uncounted
  }

  /// One more, at a wall time in microseconds.
  mutating func add(_ site: ImbalanceSite, at wall: Int64) { add(SiteCount(count: 1, last: wall), site) }

  /// What is kept of whole days, or of all time with its own number; of one feed, or of all.
  mutating func add(days: Range<Int64>, of feed: Int64? = nil) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT feed, kind, call_site, is_likely, count, last FROM imbalance_site
      WHERE day >= ? AND day < ? AND feed = ifnull(?, feed)
      """)
    rows.bind(1, days.lowerBound)
    rows.bind(2, days.upperBound)
    rows.bind(3, feed)
    try rows.forEach { row in
      guard let kind = Imbalance.Kind(siteCode: try row.number(1)) else { return }
      let site = ImbalanceSite(
        feed: try row.number(0), kind: kind, callSite: try row.number(2), isLikely: try row.number(3) != 0)
      add(SiteCount(count: Int(try row.number(4)), last: try row.number(5)), site)
    }
    uncounted.forEach { day, site, count in
      if days.contains(day), feed == nil || feed == site.feed { add(count, site) }
    }
  }

  private mutating func add(_ count: SiteCount, _ site: ImbalanceSite) {
    let old = sites[site] ?? SiteCount()
    sites[site] = SiteCount(
      count: old.count.addingClamping(count.count), last: max(old.last, count.last))
  }

  /// The most frequent first.
  ///
  /// - Parameters:
  ///   - feeds: those that are asked for.
  ///   - withUnknown: what belongs to no known feed counts too.
  func counts(feeds: [Int64: Feed], withUnknown: Bool) throws -> [CallSiteCount] {
    var counts: [CallSiteCount] = []
    let text = try RawStatement(database, "SELECT value FROM text WHERE id = ?")
    for (site, count) in sites where count.count > 0 {
      let feed = feeds[site.feed]
      guard feed != nil || (site.feed == 0 && withUnknown) else { continue }
      text.bind(1, site.callSite)
      let callSite = try text.first { try $0.text(0) } ?? nil
      counts.append(
        CallSiteCount(
          feed: feed, callSite: callSite, isLikely: site.isLikely, kind: site.kind, count: count.count,
          last: count.last))
    }
    return counts.sorted {
      // Names matter where the numbers are the same, and only then they are looked at.
      guard ($0.count, $0.last) == ($1.count, $1.last) else {
        return ($1.count, $1.last) < ($0.count, $0.last)
      }
      return ($0.feed?.name ?? "", $0.callSite ?? "", $0.kind.word)
        < ($1.feed?.name ?? "", $1.callSite ?? "", $1.kind.word)
    }
  }
}

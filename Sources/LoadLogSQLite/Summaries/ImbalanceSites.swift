import GRDB
import LoadLogCore

/// Where something unbalanced was, and in which way.
struct ImbalanceSite: Hashable {
  /// The row of its feed; 0 if unknown.
  var feed: Int64
  var kind: Imbalance.Kind
  /// The row of its text; 0 if unknown.
  var callSite: Int64
  var isLikely: Bool
}

/// How often, and when last.
struct SiteCount: Hashable {
  var count = 0
  /// Wall time in microseconds.
  var last = Int64.min
}

extension Imbalance.Kind {
  /// Unmatched finishes come after the states.
  static let firstUnmatched: Int64 = 16

  /// The number that call sites are kept under.
  var siteCode: Int64 {
    switch self {
    case .unfinishedStart(let state): state.code
    case .unmatchedFinish(let kind): Self.firstUnmatched + kind.code
    }
  }

  init?(siteCode: Int64) {
    if let kind = UnmatchedKind(code: siteCode - Self.firstUnmatched) {
      self = .unmatchedFinish(kind)
    } else if let state = SessionState(code: siteCode), state.isUnfinishedStart {
      self = .unfinishedStart(state)
    } else {
      return nil
    }
  }
}

/// Changes of what is unbalanced and not acknowledged, by call site.
struct ImbalanceSiteChanges {
  private struct Key: Hashable {
    var day: Int64
    var site: ImbalanceSite
  }

  private struct Change {
    var added = SiteCount()
    var mayHaveLostLast = false
  }

  private var changes: [Key: Change] = [:]

  mutating func add(_ count: Int, _ site: ImbalanceSite, at wall: Int64) {
    for day in [SummaryKey.day(of: wall), SummaryKey.allTime] {
      var change = changes[Key(day: day, site: site)] ?? Change()
      change.added.count += count
      if count > 0 { change.added.last = max(change.added.last, wall) } else { change.mayHaveLostLast = true }
      changes[Key(day: day, site: site)] = change
    }
  }

  /// Goes through the days, all time among them, and what came there.
  func forEach(_ body: (_ day: Int64, _ site: ImbalanceSite, _ added: SiteCount) -> Void) {
    for (key, change) in changes { body(key.day, key.site, change.added) }
  }

  /// How many rows of an empty table these changes would fill otherwise than the kept ones and others do.
  func differences(in database: Database, with others: ImbalanceSiteChanges) throws -> Int {
    var kept: [Key: SiteCount] = [:]
    let rows = try Row.fetchCursor(
      database, sql: "SELECT day, feed, kind, call_site, is_likely, count, last FROM imbalance_site")
    var strange = 0
    while let row = try rows.next() {
      guard let kind = Imbalance.Kind(siteCode: try row.at(2)) else {
        strange += 1
        continue
      }
      let site = ImbalanceSite(
        feed: try row.at(1), kind: kind, callSite: try row.at(3), isLikely: try row.at(4))
      kept[Key(day: try row.at(0), site: site)] = SiteCount(count: try row.at(5), last: try row.at(6))
    }
    others.forEach { day, site, added in
      let before = kept[Key(day: day, site: site)] ?? SiteCount()
      kept[Key(day: day, site: site)] = SiteCount(
        count: before.count.addingClamping(added.count), last: max(before.last, added.last))
    }
    return strange + Set(kept.keys).union(changes.keys).count { kept[$0] != changes[$0]?.added }
  }

  mutating func write(to database: Database) throws {
    // Days first: all time is taken from them.
    for (key, change) in changes.sorted(by: { $0.key.day > $1.key.day }) {
      try write(key, change, to: database)
    }
    changes = [:]
  }

  private func write(_ key: Key, _ change: Change, to database: Database) throws {
    let site = key.site
    let columns: StatementArguments = [
      key.day, site.feed, site.kind.siteCode, site.callSite, site.isLikely,
    ]
    let upsert = try database.cachedStatement(
      sql: """
        INSERT INTO imbalance_site (day, feed, kind, call_site, is_likely, count, last) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last)
        """)
    try upsert.execute(arguments: columns + [change.added.count, change.added.last])
    guard change.mayHaveLostLast else { return }
    let this = "day = ? AND feed = ? AND kind = ? AND call_site = ? AND is_likely = ?"
    try database.execute(sql: "DELETE FROM imbalance_site WHERE \(this) AND count <= 0", arguments: columns)
    guard database.changesCount == 0, let last = try last(of: key, in: database) else { return }
    try database.execute(
      sql: "UPDATE imbalance_site SET last = ? WHERE \(this)", arguments: [last] + columns)
  }

  /// Looks it up, after something was taken away, among what is counted.
  private func last(of key: Key, in database: Database) throws -> Int64? {
    let site = key.site
    let columns: StatementArguments = [site.feed, site.kind.siteCode, site.callSite, site.isLikely]
    guard key.day != SummaryKey.allTime else {
      return try Int64.fetchOne(
        database,
        sql: """
          SELECT max(last) FROM imbalance_site
          WHERE feed = ? AND kind = ? AND call_site = ? AND is_likely = ? AND day >= 0
          """,
        arguments: columns)
    }
    let (table, time, state): (String, String, Int64)
    switch site.kind {
    case .unfinishedStart(let verdict): (table, time, state) = ("session", "started_at", verdict.code)
    case .unmatchedFinish(let kind): (table, time, state) = ("unmatched", "at", kind.code)
    }
    let condition =
      table == "session"
      ? "state = ? AND is_anonymous = \(site.isLikely ? 1 : 0) AND seq <= (SELECT counted FROM settlement)"
      : "kind = ?"
    return try Int64.fetchOne(
      database,
      sql: """
        SELECT max(\(time)) FROM \(table)
        WHERE feed IS nullif(?, 0) AND \(time) < ? AND (\(time) >= ? OR ? = 0) AND \(condition)
          AND call_site IS nullif(?, 0)
          AND NOT EXISTS (SELECT 1 FROM acknowledgement WHERE acknowledgement.id = \(table).id)
        """,
      arguments: [
        site.feed, UTCDay(number: key.day).end, UTCDay(number: key.day).start, key.day, state, site.callSite,
      ])
  }
}

import GRDB
import LoadLogCore

/// A call site that is unbalanced in one way.
struct ImbalanceSite: Hashable {
  /// The row of its feed; 0 if unknown.
  var feed: Int64
  var kind: Imbalance.Kind
  /// The row of its text; 0 if unknown.
  var callSite: Int64
  var isLikely: Bool
}

extension ImbalanceSite {
  /// The site of a session that is unfinished in a state.
  init(_ session: StoredSession, _ state: SessionState) {
    self.init(
      feed: session.feedRow, kind: .unfinishedStart(state), callSite: session.callSite ?? 0,
      isLikely: session.isAnonymous)
  }

  init(_ site: UnmatchedSite) {
    self.init(
      feed: site.feed ?? SummaryKey.store, kind: .unmatchedFinish(site.kind), callSite: site.callSite ?? 0,
      isLikely: false)
  }
}

extension Imbalance.Kind {
  /// The codes of unmatched kinds come after those of states.
  private static let firstUnmatched: Int64 = 16

  /// The number that ``ImbalanceSite`` rows keep.
  var siteCode: Int64 {
    switch self {
    case .unfinishedStart(let state): state.code
    case .unmatchedFinish(let kind): Self.firstUnmatched + kind.code
    }
  }

  /// All numbers that ``ImbalanceSite`` rows keep.
  static var siteCodes: [Int64] {
    (SessionState.allCases.filter(\.isUnfinishedStart).map(Self.unfinishedStart)
      + UnmatchedKind.allCases.filter(\.isUnbalanced).map(Self.unmatchedFinish)).map(\.siteCode)
  }

  init?(siteCode: Int64) {
    if let kind = UnmatchedKind(code: siteCode - Self.firstUnmatched), kind.isUnbalanced {
      self = .unmatchedFinish(kind)
    } else if let state = SessionState(code: siteCode), state.isUnfinishedStart {
      self = .unfinishedStart(state)
    } else {
      return nil
    }
  }
}

/// Counts of unacknowledged imbalances, or changes of such counts, by day and call site.
struct ImbalanceSiteCounts {
  struct Key: Hashable {
    var day: Int64
    var site: ImbalanceSite
  }

  private(set) var counts: [Key: Int] = [:]

  /// Counts an imbalance at a wall time, for its day and for all time; -1 takes one away.
  mutating func add(_ count: Int, _ site: ImbalanceSite, at wall: Int64) {
    for day in [SummaryKey.day(of: wall), SummaryKey.allTime] {
      counts[Key(day: day, site: site), default: 0] += count
    }
  }

  mutating func add(_ count: Int, _ key: Key) { counts[key, default: 0] += count }

  enum Column: Int32, ColumnList { case day, feed, kind, callSite, isLikely, count }

  static let columns = Column.list(of: "imbalance_site")

  /// Reads ``columns``; nil for a kind that is not known.
  static func entry(_ row: RawStatement) throws -> (key: Key, count: Int)? {
    guard let kind = Imbalance.Kind(siteCode: try row.number(Column.kind)) else { return nil }
    let site = ImbalanceSite(
      feed: try row.number(Column.feed), kind: kind, callSite: try row.number(Column.callSite),
      isLikely: try row.flag(Column.isLikely))
    let count = min(max(try row.number(Column.count), -Summary.most), Summary.most)
    return (Key(day: try row.number(Column.day), site: site), Int(count))
  }

  /// Sets all counts of the table to 0, and deletes damaged rows, which count nothing.
  static func reset(in database: Database) throws {
    let codes = Imbalance.Kind.siteCodes.map(String.init).joined(separator: ", ")
    try RawStatement.run(
      """
      DELETE FROM imbalance_site WHERE kind NOT IN (\(codes)) OR is_likely NOT IN (0, 1);
      UPDATE imbalance_site SET count = 0
      """, in: database)
  }

  /// Adds the changes to the table.
  func write(to database: Database) throws {
    guard !counts.isEmpty else { return }
    let upsert = try RawStatement(
      database,
      """
      INSERT INTO imbalance_site (day, feed, kind, call_site, is_likely, count) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count
      """)
    for (key, count) in counts where count != 0 {
      upsert.bind(1, key.day)
      upsert.bind(2, key.site.feed)
      upsert.bind(3, key.site.kind.siteCode)
      upsert.bind(4, key.site.callSite)
      upsert.bind(5, key.site.isLikely)
      upsert.bind(6, count)
      try upsert.run()
    }
  }
}

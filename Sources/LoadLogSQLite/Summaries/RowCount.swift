import GRDB
import LoadLogCore

/// Counts rows as the summaries do: where no summary will do, to fill them and to check them.
struct RowCount {
  /// Hears of a row: its feed, 0 if that is unknown; its time, on the wall clock in microseconds; what is unbalanced
  /// about it and not acknowledged, if anything; and how to count it.
  typealias Listener = (
    _ feed: Int64, _ wall: Int64, _ unbalanced: ImbalanceSite?, _ count: (inout Summary) -> Void
  ) throws -> Void

  let database: Database
  /// The loads that wait for their indexes; those of a feed are counted with those that the index of starts holds.
  let newLoads: NewLoads

  /// Columns of a feed's sessions that started within bounds, in the order of their starts; without the new ones.
  func indexedSessions(_ columns: String, of feed: Int64, _ bounds: Range<Int64>) throws -> RawStatement {
    let rows = try RawStatement(
      database,
      """
      SELECT \(columns) FROM session
      WHERE feed = ? AND is_new = 0 AND started_at >= ? AND started_at < ? ORDER BY started_at, seq
      """)
    rows.bind(1, feed)
    rows.bind(2, bounds.lowerBound)
    rows.bind(3, bounds.upperBound)
    return rows
  }

  /// Counts a feed's sessions that started within bounds.
  func sessions(
    of feed: Int64, _ bounds: Range<Int64> = .min ..< .max, _ tell: Listener
  ) throws {
    try Self.count(indexedSessions(StoredSession.columns, of: feed, bounds), in: database, tell)
    try Self.count(newLoads.of(feed, bounds), in: database, tell)
  }

  /// Counts the sessions of all feeds after one, up to another.
  static func sessions(
    after first: Int64, upTo last: Int64, in database: Database, _ tell: Listener
  ) throws {
    let rows = try RawStatement(
      database, "SELECT \(StoredSession.columns) FROM session WHERE seq > ? AND seq <= ? ORDER BY seq")
    rows.bind(1, first)
    rows.bind(2, last)
    try count(rows, in: database, tell)
  }

  private static func count(_ rows: RawStatement, in database: Database, _ tell: Listener) throws {
    var unfinished: [StoredSession] = []
    try rows.forEach { row in
      let state = try StoredSession.state(row)
      guard !state.isUnfinishedStart else { return unfinished.append(try StoredSession(row)) }
      // Nearly all are of this kind, and these columns are what it takes.
      let (feed, start, duration) = try StoredSession.feedStartAndDuration(row)
      try count(state, feed, start, duration, tell)
    }
    try count(unfinished, in: database, tell)
  }

  private static func count(
    _ state: SessionState, _ feed: Int64, _ start: Int64, _ duration: Int64?, _ tell: Listener
  ) throws {
    try tell(feed, start, nil) { summary in
      summary.addStart(start)
      if state.isFinished { summary.addFinish(state, duration: duration) }
    }
  }

  /// Counts sessions that were read already.
  static func count(_ sessions: [StoredSession], in database: Database, _ tell: Listener) throws {
    guard !sessions.isEmpty else { return }
    let acknowledged = try database.cachedStatement(
      sql: "SELECT 1 FROM acknowledgement WHERE id = (SELECT id FROM session WHERE seq = ?)")
    for session in sessions {
      guard session.state.isUnfinishedStart else {
        try count(session.state, session.feedRow, session.started.wall, session.duration, tell)
        continue
      }
      let isAcknowledged = try Int64.fetchOne(acknowledged, arguments: [session.row]) != nil
      let site = isAcknowledged ? nil : session.site(session.state)
      try tell(session.feedRow, session.started.wall, site) { summary in
        summary.addStart(session.started.wall)
        summary[session.state] += 1
        if isAcknowledged { summary.acknowledged += 1 }
      }
    }
  }

  /// Counts a feed's unmatched finishes within bounds; with nil those of unknown feeds.
  static func unmatched(
    of feed: Int64?, _ bounds: Range<Int64> = .min ..< .max, in database: Database, _ tell: Listener
  ) throws {
    let rows = try Row.fetchCursor(
      database.cachedStatement(
        sql: """
          SELECT kind, unmatched.at, call_site, acknowledgement.id IS NOT NULL
          FROM unmatched LEFT JOIN acknowledgement ON acknowledgement.id = unmatched.id
          WHERE feed IS ? AND unmatched.at >= ? AND unmatched.at < ?
          """),
      arguments: [feed, bounds.lowerBound, bounds.upperBound])
    while let row = try rows.next() {
      guard let kind = UnmatchedKind(code: try row.at(0)) else { continue }
      let isAcknowledged: Bool = try row.at(3)
      let site = ImbalanceSite(
        feed: feed ?? 0, kind: .unmatchedFinish(kind), callSite: try row.at(2) ?? 0, isLikely: false)
      try tell(site.feed, try row.at(1), isAcknowledged ? nil : site) { summary in
        summary[kind] += 1
        if isAcknowledged { summary.acknowledged += 1 }
      }
    }
  }
}

extension StoredSession {
  /// Where it is counted with a verdict that leaves it unfinished.
  func site(_ state: SessionState) -> ImbalanceSite {
    ImbalanceSite(
      feed: feedRow, kind: .unfinishedStart(state), callSite: callSite ?? 0, isLikely: isAnonymous)
  }
}

import GRDB
import LoadLogCore

/// Counts rows as the counters do: for parts of days, and to fill or check the counters.
struct RowCount {
  let database: Database

  /// Counts a feed's sessions that started within bounds, wall times in microseconds.
  func addSessions(of feed: Int64, _ bounds: Range<Int64>, to changes: inout CounterChanges) throws {
    let rows = try sessions(
      "\(StoredSession.columns), state >= 6 AND id IN (SELECT id FROM acknowledgement)", of: feed, bounds)
    try rows.forEach { row in
      let isAcknowledged = try row.number(StoredSession.Column.columnCount) != 0
      changes.add(try StoredSession(row), isAcknowledged: isAcknowledged, was: nil)
    }
  }

  /// Columns of a feed's sessions that started within bounds, in the order of their starts.
  func sessions(_ columns: String, of feed: Int64, _ bounds: Range<Int64>) throws -> RawStatement {
    try RawStatement(
      database,
      "SELECT \(columns) FROM session WHERE feed = ? AND started_at >= ? AND started_at < ? ORDER BY started_at, seq",
      feed, bounds.lowerBound, bounds.upperBound)
  }

  private enum Column: Int32, ColumnList { case kind, at, callSite }

  /// Counts a feed's unmatched finishes within bounds; with nil those of unknown feeds.
  func addUnmatched(of feed: Int64?, _ bounds: Range<Int64>, to changes: inout CounterChanges) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT \(Column.list(of: "unmatched")), id IN (SELECT id FROM acknowledgement) FROM unmatched
      WHERE feed IS ? AND at >= ? AND at < ?
      """, feed, bounds.lowerBound, bounds.upperBound)
    try rows.forEach { row in
      guard let kind = UnmatchedKind(code: try row.number(Column.kind)) else { return }
      let site = UnmatchedSite(
        kind: kind, feed: feed, at: try row.number(Column.at), callSite: try row.integer(Column.callSite))
      changes.add(1, site, isAcknowledged: try row.number(Column.columnCount) != 0)
    }
  }

  /// The number of sessions up to a row that started within bounds: those of a feed, or with nil those of all feeds, which
  /// are named, because the index begins with them.
  static func sessions(
    of feed: Int64?, _ bounds: Range<Int64>, upTo last: Int64, in database: Database
  ) throws -> Int64 {
    let (feeds, ids): (String, [Int64]) = feed.map { ("= ?", [$0]) } ?? ("IN (SELECT id FROM feed)", [])
    return try Int64.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT count(*) FROM session WHERE feed \(feeds) AND started_at >= ? AND started_at < ? AND seq <= ?
          """),
      arguments: StatementArguments(ids + [bounds.lowerBound, bounds.upperBound, last])) ?? 0
  }
}

extension UTCDay {
  /// The wall times that counters count for this day: the first day holds all that is dated before it.
  var countedBounds: Range<Int64> { (number == 0 ? .min : start)..<end }
}

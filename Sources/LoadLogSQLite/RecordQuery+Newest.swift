import GRDB
import LoadLogCore

/// A feed's newest loads.
extension RecordQuery {
  /// Where the newest load that failed was started.
  func newestFailure(of feed: Int64) throws -> String? {
    let statement = try RawStatement(
      database,
      """
      SELECT text.value FROM session LEFT JOIN text ON text.id = session.call_site
      WHERE feed = ? AND state = 3 ORDER BY started_at DESC, seq DESC LIMIT 1
      """)
    statement.bind(1, feed)
    return try statement.first { try $0.text(0) } ?? nil
  }

  /// The newest load, if it cannot finish any more and nobody has acknowledged that.
  func lostLoad(of feed: Int64) throws -> LoadingSession? {
    let statement = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns) FROM session
      WHERE feed = ? ORDER BY started_at DESC, seq DESC LIMIT 1
      """)
    statement.bind(1, feed)
    guard let newest = try statement.first({ try StoredSession($0) }),
      try shown(newest).state.isUnfinishedStart
    else { return nil }
    let load = try session(row: newest.row)
    return load.state.isUnfinishedStart && load.acknowledgement == nil ? load : nil
  }
}

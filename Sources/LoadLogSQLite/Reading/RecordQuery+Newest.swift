import GRDB
import LoadLogCore

/// A feed's newest loads.
extension RecordQuery {
  /// The call site of the newest load that failed.
  func newestFailure(of feed: Int64) throws -> String? {
    guard let callSite = try newest("state = 3", of: feed)?.callSite else { return nil }
    let statement = try RawStatement(database, "SELECT value FROM text WHERE id = ?")
    statement.bind(1, callSite)
    return try statement.first { try $0.text(0) } ?? nil
  }

  /// The newest load, if it can no longer finish and is not acknowledged.
  func lostLoad(of feed: Int64) throws -> LoadingSession? {
    guard let newest = try newest("1", of: feed), try shown(newest).state.isUnfinishedStart else {
      return nil
    }
    let load = try session(row: newest.row)
    return load.state.isUnfinishedStart && load.acknowledgement == nil ? load : nil
  }

  /// The load of a feed that started last, of those that fulfil a condition.
  private func newest(_ condition: String, of feed: Int64) throws -> StoredSession? {
    let statement = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns) FROM session WHERE feed = ? AND \(condition)
      ORDER BY started_at DESC, seq DESC LIMIT 1
      """)
    statement.bind(1, feed)
    return try statement.first { try StoredSession($0) }
  }
}

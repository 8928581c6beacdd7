import GRDB
import LoadLogCore

/// A feed's newest loads.
extension RecordQuery {
  /// Where the newest load that failed was started.
  func newestFailure(of feed: Int64) throws -> String? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT text.value FROM session LEFT JOIN text ON text.id = session.call_site
        WHERE feed = ? AND state = 3 ORDER BY started_at DESC, seq DESC LIMIT 1
        """)
    return try Row.fetchOne(statement, arguments: [feed]).flatMap { try $0.at(0) }
  }

  /// The newest load, if it cannot finish any more and nobody has acknowledged that.
  func lostLoad(of feed: Int64) throws -> LoadingSession? {
    let statement = try database.cachedStatement(
      sql: "SELECT seq FROM session WHERE feed = ? ORDER BY started_at DESC, seq DESC LIMIT 1")
    guard let newest = try Int64.fetchOne(statement, arguments: [feed]) else { return nil }
    let load = try session(row: newest)
    return load.state.isUnfinishedStart && load.acknowledgement == nil ? load : nil
  }
}

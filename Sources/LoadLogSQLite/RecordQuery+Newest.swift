import GRDB
import LoadLogCore

/// A feed's newest loads.
extension RecordQuery {
  /// Where the newest load that failed was started.
  func newestFailure(of feed: Int64, _ newLoads: NewLoads) throws -> String? {
    guard let callSite = try newLoads.newest(.failure, of: feed, in: database)?.callSite else { return nil }
    let statement = try RawStatement(database, "SELECT value FROM text WHERE id = ?")
    statement.bind(1, callSite)
    return try statement.first { try $0.text(0) } ?? nil
  }

  /// The newest load, if it cannot finish any more and nobody has acknowledged that.
  func lostLoad(of feed: Int64, _ newLoads: NewLoads) throws -> LoadingSession? {
    guard let newest = try newLoads.newest(.ofAll, of: feed, in: database),
      try shown(newest).state.isUnfinishedStart
    else { return nil }
    let load = try session(row: newest.row)
    return load.state.isUnfinishedStart && load.acknowledgement == nil ? load : nil
  }
}

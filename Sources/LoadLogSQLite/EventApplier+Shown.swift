import GRDB
import LoadLogCore

/// What indicators showed of sessions.
extension EventApplier {
  mutating func shown(
    _ id: SessionID?, _ feed: Feed, visible: Int64, suppressed: Int
  ) throws -> Receipt {
    let row = if let id { try OpenSession.fetch(id, in: database)?.row } else { try lastPopped(in: feed) }
    guard let row else { return Receipt(.nothing, feed: feed) }
    let select = try database.cachedStatement(
      sql: "SELECT visible, suppressed FROM visibility WHERE session = ?")
    let before = try Row.fetchOne(select, arguments: [row])
    let (visibleBefore, suppressedBefore): (Int64, Int64) =
      if let before { (try before.at(0), try before.at(1)) } else { (0, 0) }
    let insert = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO visibility (session, visible, suppressed) VALUES (?, ?, ?)")
    try insert.execute(arguments: [
      row, visibleBefore.addingClamping(max(0, visible)),
      suppressedBefore.addingClamping(Int64(max(0, suppressed))),
    ])
    return Receipt(.recorded, feed: feed)
  }

  /// The session of the feed that this owner popped last.
  private mutating func lastPopped(in feed: Feed) throws -> Int64? {
    guard let feedRow = try scope.knownFeedRow(feed, in: database) else { return nil }
    if let row = scope.lastPopped[feedRow] { return row }
    let statement = try database.cachedStatement(
      sql: NewSessions.inOrder(
        "seq", where: "feed = ?1 AND owner = ?2 AND is_anonymous = 1 AND state <> 0", newestFirst: true)
        + " LIMIT 1")
    return try Int64.fetchOne(statement, arguments: [feedRow, ownerRow])
  }
}

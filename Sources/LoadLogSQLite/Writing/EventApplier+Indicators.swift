import GRDB
import LoadLogCore

/// What indicators showed.
extension EventApplier {
  /// Adds to what indicators showed of a session; without an id, of the push that this owner ended last.
  mutating func shown(
    _ id: SessionID?, _ feed: Feed, visible: Int64, suppressed: Int
  ) throws -> Receipt {
    let row =
      if let id { try StoredSession.fetch(id, in: database)?.row } else { try lastEndedPush(of: feed) }
    guard let row else { return Receipt(.nothing, feed: feed) }
    let before = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT visible, suppressed FROM visibility WHERE session = ?"),
      arguments: [row])
    let (visibleBefore, suppressedBefore): (Int64, Int64) =
      if let before { (try before.at(0), try before.at(1)) } else { (0, 0) }
    // The last push may have been pruned meanwhile.
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO visibility (session, visible, suppressed)
        SELECT seq, ?, ? FROM session WHERE seq = ?
        """
    ).execute(arguments: [
      visibleBefore.addingClamping(max(0, visible)),
      suppressedBefore.addingClamping(Int64(max(0, suppressed))), row,
    ])
    guard database.changesCount > 0 else { return Receipt(.nothing, feed: feed) }
    try flushChanges()
    try ChangeJournal.appendTouched(row, in: database)
    return Receipt(.recorded, feed: feed)
  }

  private func lastEndedPush(of feed: Feed) throws -> Int64? {
    guard let feedRow = try rows.knownFeedRow(feed, in: database) else { return nil }
    if let row = rows.endedPushes[feedRow] { return row }
    return try Int64.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT seq FROM session WHERE feed = ? AND owner = ? AND is_anonymous = 1 AND state <> 0
          ORDER BY started_at DESC, seq DESC LIMIT 1
          """),
      arguments: [feedRow, ownerRow])
  }
}

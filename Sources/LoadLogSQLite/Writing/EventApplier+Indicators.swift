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
    var shown = try ShownTime.fetch(of: row, in: database) ?? ShownTime()
    shown.visible = shown.visible.addingClamping(max(0, visible))
    shown.suppressed = shown.suppressed.addingClamping(Int64(max(0, suppressed)))
    // The last push may have been pruned meanwhile.
    guard try shown.write(of: row, in: database) else { return Receipt(.nothing, feed: feed) }
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

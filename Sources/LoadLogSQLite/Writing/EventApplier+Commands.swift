import GRDB
import LoadLogCore

/// Loads of commands.
extension EventApplier {
  /// A load of the feed that is running and whose owner is proven to be alive; nil if there is none.
  func runningLoad(of feed: Feed) throws -> SessionID? {
    guard let feedRow = try rows.knownFeedRow(feed, in: database) else { return nil }
    let statement = try RawStatement(
      database, "SELECT id, owner FROM session WHERE state = 0 AND feed = ? ORDER BY +seq DESC", feedRow)
    var running: [(id: SessionID, owner: Int64)] = []
    try statement.forEach { row in
      if let id = try row.id(0) { running.append((id, try row.number(1))) }
    }
    return try running.first { load in
      try load.owner == ownerRow
        || OwnerRow.fetch(load.owner, in: database).map { isAlive($0.record.owner) } == true
    }?.id
  }

  /// Stores more about the command of a load: its output so far while it runs, and afterwards only that it is not
  /// retried after all, so that its failure counts from now on.
  mutating func ran(_ id: SessionID, _ event: LoadEvent) throws -> Receipt {
    guard let session = try StoredSession.fetch(id, in: database) else { return Receipt(.nothing) }
    if session.state == .running {
      try RunRow.write(event.run, of: session.row, in: database)
      return Receipt(.recorded)
    }
    guard event.run?.facts?.isRetried == false else { return Receipt(.nothing) }
    try dates.write(to: database)
    try flushChanges()
    return Receipt(try Self.endRetries(of: session, in: database) ? .recorded : .nothing)
  }

  /// Lets the failure of a session count that no further attempt followed after all. A later verdict stays the feed's
  /// last one.
  ///
  /// - Returns: false if it counted already.
  static func endRetries(of session: StoredSession, in database: Database) throws -> Bool {
    guard try RunRow.endRetries(of: session.row, in: database) else { return false }
    let reason = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT reason FROM session WHERE seq = ?"), arguments: [session.row])
    var dates = FeedDateChanges(.onlyForward)
    dates.note(
      session.state, of: session.feedRow, at: session.finishedAt, started: session.started.wall,
      reason: reason)
    try dates.write(to: database)
    try ChangeJournal.appendTouched(session.row, in: database)
    return true
  }
}

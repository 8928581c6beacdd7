import GRDB
import LoadLogCore

/// Pushes, pops and resets: sessions that nobody holds a token of.
extension EventApplier {
  mutating func pop(_ feed: Feed, _ verdict: Verdict, _ event: LoadEvent) throws -> Receipt {
    let feedRow = try scope.feedRow(feed, in: database)
    guard let session = try pushToPop(in: feedRow, for: event.callSite) else {
      return try popAtZero(feed, feedRow, verdict, event)
    }
    scope.lastPopped[feedRow] = session.row
    var receipt = try conclude(
      session, verdict.state, reason: scope.textRow(TextLimit.cut(verdict.reason), in: database),
      at: event.at, by: ownerRow, feed)
    receipt.count = try shownCount(of: feedRow)
    return receipt
  }

  private static let pushesOfAll = pushes("")
  private static let pushesOfOwner = pushes("AND owner = ?")

  private static func pushes(_ condition: String) -> String {
    """
    SELECT \(OpenSession.columns), text.value FROM session LEFT JOIN text ON text.id = session.call_site
    WHERE state = 0 AND feed = ? AND is_anonymous = 1 \(condition)
    ORDER BY seq DESC
    """
  }

  /// The newest open push of the same source file, else the newest: a file usually pops what it pushes, and
  /// the oldest stays to accuse the line that never did.
  private func pushToPop(in feedRow: Int64, for callSite: CallSite?) throws -> OpenSession? {
    let statement = try RawStatement(database, popsAnybodys ? Self.pushesOfAll : Self.pushesOfOwner)
    statement.bind(1, feedRow)
    if !popsAnybodys { statement.bind(2, ownerRow) }
    let file = callSite?.file
    var newest: OpenSession?
    let sibling: OpenSession? =
      try statement.first { row in
        repeat {
          let session = try OpenSession(row)
          if try row.text(OpenSession.columnCount).map(CallSite.file(of:)) == file { return session }
          newest = newest ?? session
        } while try row.next()
        return nil
      } ?? nil
    if let sibling { return sibling }
    return newest
  }

  private mutating func popAtZero(
    _ feed: Feed, _ feedRow: Int64, _ verdict: Verdict, _ event: LoadEvent
  ) throws -> Receipt {
    let credit = try Int64.fetchOne(
      database,
      sql: """
        SELECT owner FROM reset_credit WHERE feed = ? \(popsAnybodys ? "" : "AND owner = ?")
        ORDER BY owner = ? DESC, owner LIMIT 1
        """,
      arguments: popsAnybodys ? [feedRow, ownerRow] : [feedRow, ownerRow, ownerRow])
    guard let credit else {
      return try extraPop(feed, verdict, event)
    }
    try database.execute(
      sql: "UPDATE reset_credit SET pops = pops - 1 WHERE feed = ? AND owner = ?",
      arguments: [feedRow, credit])
    try database.execute(sql: "DELETE FROM reset_credit WHERE pops = 0")
    try database.execute(
      sql: "UPDATE feed SET pops_after_reset = pops_after_reset + 1 WHERE id = ?", arguments: [feedRow])
    return Receipt(.popAfterReset, feed: feed, count: 0)
  }

  mutating func extraPop(_ feed: Feed, _ verdict: Verdict, _ event: LoadEvent) throws -> Receipt {
    let feedRow = try scope.feedRow(feed, in: database)
    try addUnmatched(.extraPop, feedRow: feedRow, session: nil, verdict, event)
    return Receipt(.unmatched(.extraPop), feed: feed, count: 0)
  }

  /// The receipt's count says how many pushes were closed.
  mutating func reset(_ feeds: [Feed]?, _ event: LoadEvent) throws -> Receipt {
    var closed = 0
    let mine = popsAnybodys ? "" : "AND owner = \(ownerRow)"
    let anonymous = "state = 0 AND is_anonymous = 1 \(mine)"
    var sessions: [OpenSession] = []
    if let feeds {
      for feed in Set(feeds) {
        guard let row = try scope.knownFeedRow(feed, in: database) else { continue }
        sessions += try OpenSession.fetchAll(
          in: database, where: anonymous + " AND feed = ?", row)
      }
    } else {
      sessions = try OpenSession.fetchAll(in: database, where: anonymous)
    }
    for session in sessions {
      _ = try abandon(session, .reset, at: event.at)
      scope.lastPopped[session.feedRow] = session.row
      try database.execute(
        sql: """
          INSERT INTO reset_credit (feed, owner, pops) VALUES (?, ?, 1)
          ON CONFLICT (feed, owner) DO UPDATE SET pops = pops + 1
          """,
        arguments: [session.feedRow, session.ownerRow])
      closed += 1
    }
    return Receipt(.recorded, feed: feeds?.count == 1 ? feeds?.first : nil, count: closed)
  }

  /// The count that a command-line owner shows; a library owner keeps its own in memory.
  func shownCount(of feedRow: Int64) throws -> Int? {
    guard popsAnybodys else { return nil }
    return try Int.fetchOne(
      database,
      sql: "SELECT count(*) FROM session WHERE state = 0 AND feed = ? AND is_anonymous = 1",
      arguments: [feedRow])
  }
}

import Foundation
import GRDB
import LoadLogCore

/// Finishes and pops that answer no open start.
extension StateRules {
  /// Inserts an unmatched finish.
  ///
  /// - Returns: false if its id is known; nothing is changed then.
  mutating func insert(_ unmatched: Unmatched) throws -> Bool {
    let statement = try RawStatement(
      database,
      """
      INSERT INTO unmatched (id, kind, feed, session, owner, at, at_boot, state, reason, call_site)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
      """, unmatched.id, unmatched.kind.code, unmatched.feed, unmatched.session, unmatched.owner,
      unmatched.at.wall, unmatched.at.boot, unmatched.state.code, unmatched.reason, unmatched.callSite)
    guard try statement.run() > 0 else { return false }
    changes.append(.unmatched(count: 1, unmatched.site, isAcknowledged: try isAcknowledged(unmatched.id)))
    return true
  }

  /// Whether the record has an unmatched finish with an id.
  func hasUnmatched(_ id: SessionID) throws -> Bool {
    try RawStatement(database, "SELECT 1 FROM unmatched WHERE id = ?", id).hasRow()
  }

  /// Joins a session that has just been inserted to the finishes that arrived before it: the first one becomes its
  /// verdict and is withdrawn, all others become duplicates.
  ///
  /// - Parameter ignoringRepetitions: see ``finish(_:_:at:ignoringRepetitions:)``; such a finish is withdrawn, too.
  /// - Returns: the verdict and its time, if one of the finishes gave it.
  mutating func joinOrphans(
    of id: SessionID, to session: StoredSession, ignoringRepetitions: Bool, _ rows: inout RowCache
  ) throws -> (ending: Ending, at: Int64)? {
    var session = session
    var verdict: (ending: Ending, at: Int64)?
    for orphan in try orphans(of: id) {
      let ending = Self.ending(
        orphan.state, of: session.started, at: orphan.at,
        sameBootClock: try rows.shareBootClock(session.ownerRow, orphan.owner, in: database),
        reason: orphan.reason)
      if !session.state.isFinished {
        verdict = (try conclude(session, ending), orphan.at.wall)
        session.state = ending.state
        session.duration = ending.duration
        session.wallDrift = ending.wallDrift
        try change(orphan, to: .withdrawn, of: session.feedRow)
      } else if ignoringRepetitions, session.state == orphan.state, session.finishedAt == orphan.at.wall {
        try change(orphan, to: .withdrawn, of: session.feedRow)
      } else {
        try change(orphan, to: .duplicateFinish, of: session.feedRow)
      }
    }
    return verdict
  }

  private enum Column: Int32, ColumnList {
    case id, feed, owner, at, atBoot, state, reason, callSite
  }

  private static let selectOrphans = """
    SELECT \(Column.list(of: "unmatched")) FROM unmatched
    WHERE session = ? AND kind = \(UnmatchedKind.orphanFinish.code) ORDER BY seq
    """

  private func orphans(of id: SessionID) throws -> [Unmatched] {
    let rows = try RawStatement(database, Self.selectOrphans, id)
    var orphans: [Unmatched] = []
    try rows.forEach { row in
      guard let own = try row.id(Column.id) else { return }
      orphans.append(
        Unmatched(
          id: own, kind: .orphanFinish, feed: try row.integer(Column.feed), session: id,
          owner: try row.number(Column.owner),
          at: LoadInstant(wall: try row.number(Column.at), boot: try row.number(Column.atBoot)),
          state: try row.state(Column.state.rawValue), reason: try row.integer(Column.reason),
          callSite: try row.integer(Column.callSite)))
    }
    return orphans
  }

  /// An orphan's start has arrived. A withdrawn row stays, so that its number is not used again.
  private mutating func change(_ orphan: Unmatched, to kind: UnmatchedKind, of feed: Int64) throws {
    let isAcknowledged = try isAcknowledged(orphan.id)
    try database.cachedStatement(sql: "UPDATE unmatched SET kind = ?, feed = ? WHERE id = ?")
      .execute(arguments: [kind.code, feed, orphan.id.data])
    changes.append(.unmatched(count: -1, orphan.site, isAcknowledged: isAcknowledged))
    var changed = orphan
    (changed.kind, changed.feed) = (kind, feed)
    guard kind == .withdrawn else {
      changes.append(.unmatched(count: 1, changed.site, isAcknowledged: isAcknowledged))
      return
    }
    try database.cachedStatement(sql: "DELETE FROM acknowledgement WHERE id = ?")
      .execute(arguments: [orphan.id.data])
  }
}

// MARK: - Pops and resets

extension StateRules {
  /// After a reset, one pop at count 0 is forgiven for each push that was reset.
  func addResetCredit(feed: Int64, owner: Int64) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO reset_credit (feed, owner, pops) VALUES (?, ?, 1)
        ON CONFLICT (feed, owner) DO UPDATE SET pops = pops + 1
        """
    ).execute(arguments: [feed, owner])
  }

  /// Uses up one forgiven pop.
  ///
  /// - Parameter ofAnyOwner: whether to use other owners' credits after the owner's own: a command pops any
  ///   process's push.
  ///   - sparing: how many credits of an owner to leave.
  /// - Returns: false if there is none.
  func takeResetCredit(
    feed: Int64, owner: Int64, ofAnyOwner: Bool, sparing: (_ creditor: Int64) throws -> Int64 = { _ in 0 }
  ) throws -> Bool {
    let owned = ofAnyOwner ? "" : "AND owner = ?2"
    let credits = try RawStatement(
      database,
      "SELECT owner, pops FROM reset_credit WHERE feed = ?1 \(owned) ORDER BY owner = ?2 DESC, owner", feed,
      owner)
    let creditors = try credits.map { (owner: try $0.number(0), pops: try $0.number(1)) }
    guard let creditor = try creditors.first(where: { try $0.pops > sparing($0.owner) })?.owner else {
      return false
    }
    try database.cachedStatement(sql: "UPDATE reset_credit SET pops = pops - 1 WHERE feed = ? AND owner = ?")
      .execute(arguments: [feed, creditor])
    try database.cachedStatement(sql: "DELETE FROM reset_credit WHERE pops <= 0").execute()
    return true
  }
}

import Foundation
import GRDB
import LoadLogCore

/// Acknowledged imbalances: they stay in the record, and raise no alarm.
extension StateRules {
  func isAcknowledged(_ id: SessionID) throws -> Bool {
    try RawStatement(database, "SELECT 1 FROM acknowledgement WHERE id = ?", id).hasRow()
  }

  func isAcknowledged(session row: Int64) throws -> Bool {
    try RawStatement(
      database, "SELECT 1 FROM acknowledgement WHERE id = (SELECT id FROM session WHERE seq = ?)", row
    ).hasRow()
  }

  /// The ids of everything unbalanced that is not acknowledged.
  func unacknowledged() throws -> [SessionID] {
    let rows = try RawStatement(
      database,
      """
      SELECT id FROM session WHERE state >= 6 AND id NOT IN (SELECT id FROM acknowledgement)
      UNION ALL SELECT id FROM unmatched WHERE kind <= 2 AND id NOT IN (SELECT id FROM acknowledgement)
      """)
    return try rows.map { try $0.id(0) }.compactMap(\.self)
  }

  /// Acknowledges a session or an unmatched finish.
  ///
  /// - Returns: false if it is acknowledged already; nil if the record knows nothing with that id.
  mutating func acknowledge(_ id: SessionID, _ acknowledgement: Acknowledgement) throws -> Bool? {
    let session = try StoredSession.fetch(id, in: database)
    let site = try session == nil ? unmatchedSite(id) : nil
    guard session != nil || site != nil else { return nil }
    try database.cachedStatement(
      sql: "INSERT INTO acknowledgement (id, at, by, note) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"
    ).execute(arguments: [
      id.data, acknowledgement.at, TextLimit.cut(acknowledgement.by), TextLimit.cut(acknowledgement.note),
    ])
    guard database.changesCount > 0 else { return false }
    if let session, session.state.isUnfinishedStart {
      changes.append(.session(was: SessionCondition(session.state), now: session, isAcknowledged: true))
    }
    if let site {
      changes.append(.unmatched(count: -1, site, isAcknowledged: false))
      changes.append(.unmatched(count: 1, site, isAcknowledged: true))
    }
    return true
  }

  private enum Column: Int32, ColumnList { case kind, feed, at, callSite }

  private func unmatchedSite(_ id: SessionID) throws -> UnmatchedSite? {
    try RawStatement(
      database, "SELECT \(Column.list(of: "unmatched")) FROM unmatched WHERE id = ? AND kind <= 2", id
    ).first { row in
      guard let kind = UnmatchedKind(code: try row.number(Column.kind)) else { return nil }
      return UnmatchedSite(
        kind: kind, feed: try row.integer(Column.feed), at: try row.number(Column.at),
        callSite: try row.integer(Column.callSite))
    }.flatMap(\.self)
  }
}

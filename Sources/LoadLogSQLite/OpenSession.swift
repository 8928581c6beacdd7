import Foundation
import GRDB
import LoadLogCore

/// What the rules of states need to know of a session.
struct OpenSession {
  static let columns = """
    session.seq, session.feed, session.owner, session.state, session.started_at, session.started_boot, \
    session.is_anonymous, session.call_site, session.duration
    """
  static let columnCount = 9

  let row: Int64
  let feedRow: Int64
  let ownerRow: Int64
  let state: SessionState
  let started: LoadInstant
  let isAnonymous: Bool
  let callSite: Int64?
  /// In nanoseconds: how long it was open, as far as is known.
  let duration: Int64?

  /// Where it is counted with a verdict that leaves it unfinished.
  func site(_ state: SessionState) -> ImbalanceSite {
    ImbalanceSite(
      feed: feedRow, kind: .unfinishedStart(state), callSite: callSite ?? 0, isLikely: isAnonymous)
  }

  static func fetch(_ id: SessionID, in database: Database) throws -> OpenSession? {
    let statement = try database.cachedStatement(sql: "SELECT \(columns) FROM session WHERE id = ?")
    return try Row.fetchOne(statement, arguments: [id.data]).map(OpenSession.init)
  }

  static func fetchAll(
    in database: Database, where condition: String, arguments: StatementArguments
  ) throws -> [OpenSession] {
    try Row.fetchAll(
      database, sql: "SELECT \(columns) FROM session WHERE \(condition) ORDER BY seq",
      arguments: arguments
    ).map(OpenSession.init)
  }
}

extension OpenSession {
  /// Reads ``columns``.
  init(_ row: Row) throws {
    self.init(
      row: try row.at(0), feedRow: try row.at(1), ownerRow: try row.at(2),
      state: SessionState(code: try row.at(3)) ?? .running,
      started: LoadInstant(wall: try row.at(4), boot: try row.at(5)), isAnonymous: try row.at(6),
      callSite: try row.at(7), duration: try row.at(8))
  }
}

extension SessionID {
  /// The bytes as SQLite stores them.
  var data: Data { Data(bytes) }
}

extension Feed {
  /// The feed of a row.
  static func named(_ row: Int64, in database: Database) throws -> Feed {
    let statement = try database.cachedStatement(sql: "SELECT name FROM feed WHERE id = ?")
    return Feed(try String.fetchOne(statement, arguments: [row]) ?? "")
  }
}

import Foundation
import GRDB
import LoadLogCore

/// What the rules of states need to know of a session.
struct OpenSession {
  static let columns = """
    session.seq, session.feed, session.owner, session.state, session.started_at, session.started_boot, \
    session.is_anonymous, session.call_site, session.duration
    """
  static let columnCount: Int32 = 9

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

  private static let selectByID = "SELECT \(columns) FROM session WHERE id = ?"

  static func fetch(_ id: SessionID, in database: Database) throws -> OpenSession? {
    let statement = try RawStatement(database, selectByID)
    statement.bind(1, id)
    return try statement.first(OpenSession.init)
  }

  /// The sessions that fulfil a condition, which numbers are bound to.
  static func fetchAll(
    in database: Database, where condition: String, _ arguments: Int64...
  ) throws -> [OpenSession] {
    let statement = try RawStatement(
      database, "SELECT \(columns) FROM session WHERE \(condition) ORDER BY seq")
    for (index, argument) in arguments.enumerated() { statement.bind(Int32(index + 1), argument) }
    var sessions: [OpenSession] = []
    try statement.forEach { sessions.append(try OpenSession($0)) }
    return sessions
  }
}

extension OpenSession {
  /// Reads ``columns``.
  init(_ row: RawStatement) throws {
    self.init(
      row: try row.number(0), feedRow: try row.number(1), ownerRow: try row.number(2),
      state: SessionState(code: try row.number(3)) ?? .running,
      started: LoadInstant(wall: try row.number(4), boot: try row.number(5)),
      isAnonymous: try row.number(6) != 0, callSite: try row.integer(7), duration: try row.integer(8))
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

import GRDB
import LoadLogCore

/// Writes loads and unmatched finishes that were recorded elsewhere, inside one transaction.
///
/// The one place through which an import makes a session or an unmatched finish, or gives one its verdict.
struct RecordWriter {
  /// A session as its row has it; texts, feed and owner are rows of their tables.
  struct Session {
    var id: SessionID
    var feed: Int64
    var owner: Int64
    var started: LoadInstant
    var isAnonymous = false
    var message: Int64?
    var tag: Int64?
    var callSite: Int64?
    /// Nil while it runs.
    var ending: Ending?
  }

  /// A verdict as the row of its session has it.
  struct Ending {
    var state: SessionState
    var isLate = false
    /// Nanoseconds: how long it took, or was open at least.
    var duration: Int64?
    var wallDrift: Int64?
    var isWall = false
    var reason: Int64?
  }

  /// An unmatched finish as its row has it.
  struct Unmatched {
    var id: SessionID
    var kind: UnmatchedKind
    var feed: Int64?
    var session: SessionID?
    var owner: Int64
    var at: LoadInstant
    var state: SessionState
    var reason: Int64?
    var callSite: Int64?
  }

  let database: Database
  private let insertSession: RawStatement
  private let concludeSession: RawStatement
  private let insertUnmatched: RawStatement

  init(_ database: Database) throws {
    self.database = database
    insertSession = try RawStatement(
      database,
      """
      INSERT INTO session (id, feed, owner, state, is_anonymous, is_late, started_at, started_boot, duration,
        wall_drift, is_wall, message, tag, call_site, reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
      """)
    concludeSession = try RawStatement(
      database,
      """
      UPDATE session SET state = ?, is_late = ?, duration = ?, wall_drift = ?, is_wall = ?, reason = ?
      WHERE seq = ?
      """)
    insertUnmatched = try RawStatement(
      database,
      """
      INSERT INTO unmatched (id, kind, feed, session, owner, at, at_boot, state, reason, call_site)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
      """)
  }

  /// Adds a session.
  ///
  /// - Returns: its row; nil if its id is known, and then nothing is changed.
  mutating func add(_ session: Session) throws -> Int64? {
    let statement = insertSession
    let ending = session.ending
    statement.bind(1, session.id)
    statement.bind(2, session.feed)
    statement.bind(3, session.owner)
    statement.bind(4, (ending?.state ?? .running).code)
    statement.bind(5, session.isAnonymous ? 1 : 0)
    statement.bind(6, ending?.isLate == true ? 1 : 0)
    statement.bind(7, session.started.wall)
    statement.bind(8, session.started.boot)
    statement.bind(9, ending?.duration)
    statement.bind(10, ending?.wallDrift)
    statement.bind(11, ending?.isWall == true ? 1 : 0)
    statement.bind(12, session.message)
    statement.bind(13, session.tag)
    statement.bind(14, session.callSite)
    statement.bind(15, ending?.reason)
    guard try statement.run() > 0 else { return nil }
    return database.lastInsertedRowID
  }

  /// Gives a session its verdict.
  mutating func conclude(_ session: OpenSession, _ ending: Ending) throws {
    let statement = concludeSession
    statement.bind(1, ending.state.code)
    statement.bind(2, ending.isLate ? 1 : 0)
    statement.bind(3, ending.duration)
    statement.bind(4, ending.wallDrift)
    statement.bind(5, ending.isWall ? 1 : 0)
    statement.bind(6, ending.reason)
    statement.bind(7, session.row)
    try statement.run()
  }

  /// Adds an unmatched finish.
  ///
  /// - Returns: false if its id is known, and then nothing is changed.
  mutating func add(_ unmatched: Unmatched) throws -> Bool {
    let statement = insertUnmatched
    statement.bind(1, unmatched.id)
    statement.bind(2, unmatched.kind.code)
    statement.bind(3, unmatched.feed)
    statement.bind(4, unmatched.session)
    statement.bind(5, unmatched.owner)
    statement.bind(6, unmatched.at.wall)
    statement.bind(7, unmatched.at.boot)
    statement.bind(8, unmatched.state.code)
    statement.bind(9, unmatched.reason)
    statement.bind(10, unmatched.callSite)
    return try statement.run() > 0
  }
}

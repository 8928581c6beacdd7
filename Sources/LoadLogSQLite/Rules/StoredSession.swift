import Foundation
import GRDB
import LoadLogCore

/// A session's row, without its texts.
struct StoredSession {
  enum Column: Int32, ColumnList {
    case seq, feed, owner, state, isAnonymous, isFinishedAfterVerdict, startedAt, startedBoot, duration,
      wallDrift,
      durationSource, callSite
  }

  static let columns = Column.list(of: "session")

  var row: Int64
  let feedRow: Int64
  let ownerRow: Int64
  var state: SessionState
  let isAnonymous: Bool
  var isFinishedAfterVerdict = false
  let started: LoadInstant
  /// In nanoseconds; of an unfinished start the time that it was open at least.
  var duration: Int64?
  /// In microseconds: wall time between start and finish beyond the duration; nil if no finish was seen.
  var wallDrift: Int64?
  var durationSource = DurationSource.boot
  let callSite: Int64?

  /// The end of the session's interval on the wall clock, as stored, in nanoseconds since 1970.
  var storedEnd: Int64 { started.wall.multipliedClamping(by: 1000).addingClamping(duration ?? 0) }

  /// The wall time of the finish in microseconds, as far as it is known.
  var finishedAt: Int64 {
    started.wall.addingClamping((duration ?? 0) / 1000).addingClamping(wallDrift ?? 0)
  }

  /// ``finishedAt`` in SQL. What an integer cannot hold becomes the nearest one, so that it fits into any column.
  static let finishedAtInSQL = """
    CAST(started_at + coalesce(duration / 1000, 0) + coalesce(wall_drift, 0) AS INTEGER)
    """

  /// Whether it precedes another session in the order of starts.
  func startsBefore(_ other: StoredSession) -> Bool {
    (started.wall, row) < (other.started.wall, other.row)
  }
}

extension StoredSession {
  /// Reads ``columns``, which must be the first ones of the SELECT.
  init(_ row: RawStatement) throws {
    self.init(
      row: try row.number(Column.seq), feedRow: try row.number(Column.feed),
      ownerRow: try row.number(Column.owner), state: try row.state(Column.state.rawValue),
      isAnonymous: try row.flag(Column.isAnonymous),
      isFinishedAfterVerdict: try row.flag(Column.isFinishedAfterVerdict),
      started: LoadInstant(wall: try row.number(Column.startedAt), boot: try row.number(Column.startedBoot)),
      duration: try row.integer(Column.duration), wallDrift: try row.integer(Column.wallDrift),
      durationSource: try row.durationSource(Column.durationSource),
      callSite: try row.integer(Column.callSite))
  }

  private static let selectByID = "SELECT \(columns) FROM session WHERE id = ?"

  /// The session with an id; nil if there is none.
  static func fetch(_ id: SessionID, in database: Database) throws -> StoredSession? {
    try RawStatement(database, selectByID, id).first(StoredSession.init)
  }

  /// The sessions that fulfil a condition, in the order of their rows. The arguments are bound to it.
  ///
  /// The plus sign keeps SQLite from reading all rows in that order: an index finds the few that fulfil the condition.
  static func fetchAll(
    in database: Database, where condition: String, _ arguments: Int64...
  ) throws -> [StoredSession] {
    let statement = try RawStatement(
      database, "SELECT \(columns) FROM session WHERE \(condition) ORDER BY +seq")
    for (index, argument) in arguments.enumerated() { statement.bind(Int32(index + 1), argument) }
    return try statement.map(StoredSession.init)
  }
}

extension RawStatement {
  /// Reads the code of a duration's source.
  fileprivate func durationSource(_ column: some ColumnList) throws -> DurationSource {
    guard let source = DurationSource(code: try number(column)) else {
      throw DatabaseError.damage("a session has an unknown source of its duration")
    }
    return source
  }

  /// Reads the code of a session's state.
  func state(_ column: Int32) throws -> SessionState {
    guard let state = SessionState(code: try number(column)) else {
      throw DatabaseError.damage("a session has an unknown state")
    }
    return state
  }
}

extension SessionID {
  /// The bytes as SQLite stores them.
  var data: Data { Data(bytes) }
}

extension Feed {
  /// The feed with a row number.
  static func named(_ row: Int64, in database: Database) throws -> Feed {
    let statement = try database.cachedStatement(sql: "SELECT name FROM feed WHERE id = ?")
    return Feed(try String.fetchOne(statement, arguments: [row]) ?? "")
  }
}

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
  private var summaries = SummaryChanges()
  /// What it writes it counts at once.
  private let marks: SettlementMarks
  private let findSession: RawStatement
  private let insertSession: RawStatement
  private let concludeSession: RawStatement
  private let insertUnmatched: RawStatement

  init(_ database: Database) throws {
    self.database = database
    marks = SettlementMarks(swept: try Settlement.count(database).swept, counted: .max)
    findSession = try RawStatement(database, "SELECT 1 FROM session WHERE id = ?")
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

  /// Whether the record has a session of that id.
  func hasSession(_ id: SessionID) throws -> Bool {
    findSession.bind(1, id)
    return try findSession.first { _ in true } ?? false
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
    let row = database.lastInsertedRowID
    if let ending, ending.state.isFinished {
      summaries.addLoad(
        ending.state, of: session.feed, started: session.started.wall, duration: ending.duration)
      return row
    }
    summaries.addStart(of: session.feed, at: session.started.wall)
    if let ending {
      summaries.addImbalance(
        1,
        ImbalanceSite(
          feed: session.feed, kind: .unfinishedStart(ending.state), callSite: session.callSite ?? 0,
          isLikely: session.isAnonymous), at: session.started.wall,
        isAcknowledged: try isAcknowledged(session.id))
    }
    return row
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
    try summaries.addVerdict(ending.state, ending.duration, to: session, marks, in: database)
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
    guard try statement.run() > 0 else { return false }
    count(1, unmatched, isAcknowledged: try isAcknowledged(unmatched.id))
    return true
  }

  /// Whether the record has an unmatched finish of that id.
  func hasUnmatched(_ id: SessionID) throws -> Bool {
    let statement = try RawStatement(database, "SELECT 1 FROM unmatched WHERE id = ?")
    statement.bind(1, id)
    return try statement.first { _ in true } ?? false
  }

  /// Takes an orphan finish away, which has found its start; or keeps it as a duplicate of the one that has.
  mutating func withdraw(_ orphan: Unmatched, keepingAsDuplicateOf feed: Int64?) throws {
    let isAcknowledged = try isAcknowledged(orphan.id)
    count(-1, orphan, isAcknowledged: isAcknowledged)
    guard let feed else {
      try database.execute(sql: "DELETE FROM unmatched WHERE id = ?", arguments: [orphan.id.data])
      return try database.execute(
        sql: "DELETE FROM acknowledgement WHERE id = ?", arguments: [orphan.id.data])
    }
    var duplicate = orphan
    duplicate.kind = .duplicateFinish
    duplicate.feed = feed
    try database.execute(
      sql: "UPDATE unmatched SET kind = ?, feed = ? WHERE id = ?",
      arguments: [duplicate.kind.code, feed, duplicate.id.data])
    count(1, duplicate, isAcknowledged: isAcknowledged)
  }

  /// Silences an imbalance.
  ///
  /// - Returns: false if it is silenced already; nil if the record knows nothing of that id.
  mutating func acknowledge(_ id: SessionID, _ seen: Acknowledgement) throws -> Bool? {
    let row = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT state, feed, started_at, call_site, is_anonymous FROM session WHERE id = ?1
          UNION ALL SELECT kind + \(Imbalance.Kind.firstUnmatched), feed, at, call_site, 0 FROM unmatched WHERE id = ?1
          """),
      arguments: [id.data])
    guard let row else { return nil }
    let insert = try database.cachedStatement(
      sql: "INSERT INTO acknowledgement (id, at, by, note) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING")
    try insert.execute(arguments: [id.data, seen.at, TextLimit.cut(seen.by), TextLimit.cut(seen.note)])
    guard database.changesCount > 0 else { return false }
    // A late finish has taken the imbalance away, but not that somebody had seen it.
    if let kind = Imbalance.Kind(siteCode: try row.at(0)) {
      summaries.acknowledge(
        ImbalanceSite(
          feed: try row.at(1) ?? 0, kind: kind, callSite: try row.at(3) ?? 0, isLikely: try row.at(4)),
        at: try row.at(2))
    }
    return true
  }

  /// Writes what was counted; call it at the end of the transaction.
  mutating func end() throws {
    try SettlementMarks.noteCounted(in: database)
    try summaries.write(to: database)
  }

  private mutating func count(_ count: Int, _ unmatched: Unmatched, isAcknowledged: Bool) {
    let site = ImbalanceSite(
      feed: unmatched.feed ?? 0, kind: .unmatchedFinish(unmatched.kind), callSite: unmatched.callSite ?? 0,
      isLikely: false)
    summaries.addImbalance(count, site, at: unmatched.at.wall, isAcknowledged: isAcknowledged)
  }

  private func isAcknowledged(_ id: SessionID) throws -> Bool {
    let statement = try database.cachedStatement(sql: "SELECT 1 FROM acknowledgement WHERE id = ?")
    return try Int64.fetchOne(statement, arguments: [id.data]) != nil
  }
}

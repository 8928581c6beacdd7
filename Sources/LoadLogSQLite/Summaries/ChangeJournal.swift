import GRDB
import LoadLogCore

/// The journal of changes that the counters do not have yet.
///
/// Recording appends to it, in the transaction of the event; that costs one page at the journal's end, where
/// counters would cost several. A commit that finds ``limit`` waiting changes applies them, so a question
/// finds at most that many and one batch, however many writers there are. With a fleet, changes stay after they are
/// counted until they are shipped.
enum ChangeJournal {
  /// The number of waiting changes at which the next commit applies them.
  private static let limit: Int64 = 1000
  /// A number that no journal reaches. After the greatest number of all, SQLite chooses the next one at random, perhaps
  /// below the position, and that change would never be counted.
  private static let mostChanges: Int64 = 1 << 62
  /// How many changes stay for a fleet's database that cannot be reached.
  private static let keptForFleet = 1_000_000

  /// Appends changes of sessions, and counts changes of unmatched finishes at once, which are rare.
  static func append(_ changes: [RecordChange], in database: Database) throws {
    guard !changes.isEmpty else { return }
    let insert = try RawStatement(database, "INSERT INTO change (session, was) VALUES (?, ?)")
    var counted = CounterChanges()
    for change in changes {
      guard case .session(let was, let now, _) = change else {
        counted.add(change)
        continue
      }
      insert.bind(1, now.row)
      insert.bind(2, was?.code)
      try insert.run()
    }
    try counted.write(to: database)
  }

  /// Appends that a session's row has changed, but not its state, if the fleet's database gets such sessions. One that it
  /// has only because it ran when it was shipped stays there as it was. The counters find it unchanged.
  ///
  /// - Parameter isMessage: whether only its message has changed, which is not always shipped.
  static func appendTouched(_ session: Int64, isMessage: Bool = false, in database: Database) throws {
    let insert = try RawStatement(
      database,
      """
      INSERT INTO change (session, was)
      SELECT seq, state + \(SessionCondition.acknowledgedBit)
          * (state >= 6 AND session.id IN (SELECT acknowledgement.id FROM acknowledgement))
      FROM session, fleet
      WHERE seq = ? AND (loads = 'all' OR loads = 'unusual' AND \(SessionState.unusual))
        \(isMessage ? "AND with_messages" : "")
      """, session)
    try insert.run()
  }

  /// Applies what waits if enough does. Called at the end of each transaction that records.
  static func applyIfDue(in database: Database) throws {
    let waiting = try lastChange(in: database).subtractingClamping(position(in: database))
    if waiting >= limit { try apply(in: database) }
  }

  /// Applies everything that waits: for work that reads or deletes what the journal refers to.
  static func apply(in database: Database) throws {
    let last = try lastChange(in: database)
    guard try last > position(in: database) else { return }
    try waiting(in: database).write(to: database)
    guard last < mostChanges else { return try empty(in: database) }
    try RawStatement.run(
      """
      UPDATE journal_position SET n = \(last) WHERE reader = 'counters';
      DELETE FROM change WHERE n < \(last) - \(keptForFleet) * EXISTS (SELECT 1 FROM fleet)
      """, in: database)
  }

  /// What the waiting changes mean for the counters.
  ///
  /// A session that changed several times is counted as it was before its oldest waiting change; what it is now, its
  /// row says.
  static func waiting(in database: Database) throws -> CounterChanges {
    let rows = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns), oldest.was, acknowledgement.id IS NOT NULL
      FROM (SELECT session AS row, was, min(n) FROM change WHERE n > ? GROUP BY session) AS oldest
      JOIN session ON session.seq = oldest.row
      LEFT JOIN acknowledgement ON session.state >= 6 AND acknowledgement.id = session.id
      """, try position(in: database))
    var changes = CounterChanges()
    let next = StoredSession.Column.columnCount
    try rows.forEach { row in
      let was = try row.integer(next).flatMap(SessionCondition.init(code:))
      changes.add(try StoredSession(row), isAcknowledged: try row.number(next + 1) != 0, was: was)
    }
    return changes
  }

  /// Appends changes that the counters have already, for a fleet's database to follow. The journal must have nothing that
  /// waits.
  static func appendCounted(_ changes: [RecordChange], in database: Database) throws {
    guard try RawStatement(database, "SELECT 1 FROM fleet").hasRow() else { return }
    let sessions = changes.filter { if case .session = $0 { true } else { false } }
    try append(sessions, in: database)
    try RawStatement.run(
      """
      UPDATE journal_position SET n = max(n, coalesce((SELECT max(n) FROM change), 0)) WHERE reader = 'counters'
      """, in: database)
  }

  /// Begins a new journal: the counters have all changes.
  static func empty(in database: Database) throws {
    try RawStatement.run(
      """
      DELETE FROM change;
      INSERT OR REPLACE INTO journal_position (reader, n) VALUES ('counters', 0)
      """, in: database)
    try forgetShipping(in: database)
  }

  /// Makes a store with a fleet ship everything again, also if a batch that is under way arrives.
  static func forgetShipping(in database: Database) throws {
    try RawStatement.run(
      "UPDATE fleet SET through = -1, scanned = NULL; UPDATE fleet_attempt SET through = -1, scanned = NULL",
      in: database)
  }

  /// Whether the counters' position, and the number of the last change, are such as a journal can have. A damaged store
  /// may have lost them.
  static func isSound(in database: Database) throws -> Bool {
    let found = try RawStatement(database, selectPosition).first { try $0.number(0) }
    guard let position = found else { return false }
    let last = try lastChange(in: database)
    return last < mostChanges && (0...max(0, last)).contains(position)
  }

  private static let selectPosition = "SELECT n FROM journal_position WHERE reader = 'counters'"

  private static func position(in database: Database) throws -> Int64 {
    try RawStatement(database, selectPosition).first { try $0.number(0) } ?? 0
  }

  /// The number of the last change; 0 if there is none.
  static func lastChange(in database: Database) throws -> Int64 {
    try RawStatement(database, "SELECT max(n) FROM change").first { try $0.integer(0) ?? 0 } ?? 0
  }
}

extension SessionState {
  /// The condition of ``isUnusual`` in SQL.
  static let unusual = "(state = 0 OR state = 3 OR state >= 6)"

  /// Whether the load's row is shipped to a fleet's database even if not all are.
  var isUnusual: Bool { self == .running || self == .failed || isUnfinishedStart }
}

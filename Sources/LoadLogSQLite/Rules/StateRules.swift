import Foundation
import GRDB
import LoadLogCore

/// The one table of state rules: the only place that inserts sessions and unmatched finishes, gives verdicts, joins
/// finishes to starts that arrive after them, and keeps reset credits.
///
/// Recording and import hand it instants, owners and texts as rows. Where the two differ on purpose, the difference is a
/// parameter with a name. It collects what counters must follow in ``changes``, and works inside one transaction.
struct StateRules {
  /// A session to be inserted. Texts, feed and owner are rows of their tables.
  struct NewSession {
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

  /// A verdict as a session's row keeps it.
  struct Ending {
    var state: SessionState
    var isFinishedAfterVerdict = false
    /// The time in nanoseconds that the session took, or was open at least.
    var duration: Int64?
    var wallDrift: Int64?
    var durationSource = DurationSource.boot
    var reason: Int64?
  }

  /// An unmatched finish as its row keeps it.
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

    var site: UnmatchedSite { UnmatchedSite(kind: kind, feed: feed, at: at.wall, callSite: callSite) }
  }

  /// The result of applying a finish.
  enum FinishOutcome {
    /// The session has this verdict now.
    case concluded(Ending)
    /// The session has a verdict already: the finish is a duplicate, which the caller inserts.
    case duplicate
    /// The record already has this finish, or a better verdict.
    case known
  }

  let database: Database
  var changes: [RecordChange] = []
  private let insertSession: RawStatement
  private let updateSession: RawStatement

  init(_ database: Database) throws {
    self.database = database
    insertSession = try RawStatement(
      database,
      """
      INSERT INTO session (id, feed, owner, state, is_anonymous, is_finished_after_verdict, started_at, started_boot, duration,
        wall_drift, duration_source, message, tag, call_site, reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
      """)
    updateSession = try RawStatement(
      database,
      "UPDATE session SET state = ?, is_finished_after_verdict = ?, duration = ?, wall_drift = ?, duration_source = ?, reason = ? WHERE seq = ?"
    )
  }

  /// Returns the collected changes, and clears the list.
  mutating func takeChanges() -> [RecordChange] {
    defer { changes = [] }
    return changes
  }
}

// MARK: - Sessions

extension StateRules {
  /// Inserts a session.
  ///
  /// - Returns: nil if the id is known; nothing is changed then.
  mutating func insert(_ session: NewSession) throws -> StoredSession? {
    let statement = insertSession
    let ending = session.ending
    var stored = StoredSession(
      row: 0, feedRow: session.feed, ownerRow: session.owner, state: ending?.state ?? .running,
      isAnonymous: session.isAnonymous, isFinishedAfterVerdict: ending?.isFinishedAfterVerdict ?? false,
      started: session.started,
      duration: ending?.duration, wallDrift: ending?.wallDrift,
      durationSource: ending?.durationSource ?? .boot,
      callSite: session.callSite)
    statement.bind(1, session.id)
    statement.bind(2, stored.feedRow)
    statement.bind(3, stored.ownerRow)
    statement.bind(4, stored.state.code)
    statement.bind(5, stored.isAnonymous)
    statement.bind(6, stored.isFinishedAfterVerdict)
    statement.bind(7, stored.started.wall)
    statement.bind(8, stored.started.boot)
    statement.bind(9, stored.duration)
    statement.bind(10, stored.wallDrift)
    statement.bind(11, stored.durationSource.code)
    statement.bind(12, session.message)
    statement.bind(13, session.tag)
    statement.bind(14, session.callSite)
    statement.bind(15, ending?.reason)
    guard try statement.run() > 0 else { return nil }
    stored.row = statement.lastInsertedRow
    // An acknowledgement can be there before its session: it stays when a load is pruned and imported again.
    let isAcknowledged = try stored.state.isUnfinishedStart && isAcknowledged(session.id)
    changes.append(.session(was: nil, now: stored, isAcknowledged: isAcknowledged))
    return stored
  }

  /// Gives a session a verdict, whatever it had before. A real finish of an unfinished start is late.
  ///
  /// - Returns: the ending as stored.
  @discardableResult
  mutating func conclude(_ session: StoredSession, _ ending: Ending) throws -> Ending {
    var ending = ending
    ending.isFinishedAfterVerdict = ending.isFinishedAfterVerdict || session.state.isUnfinishedStart
    let statement = updateSession
    statement.bind(1, ending.state.code)
    statement.bind(2, ending.isFinishedAfterVerdict)
    statement.bind(3, ending.duration)
    statement.bind(4, ending.wallDrift)
    statement.bind(5, ending.durationSource.code)
    statement.bind(6, ending.reason)
    statement.bind(7, session.row)
    try statement.run()
    var now = session
    now.state = ending.state
    now.isFinishedAfterVerdict = ending.isFinishedAfterVerdict
    now.duration = ending.duration
    now.wallDrift = ending.wallDrift
    now.durationSource = ending.durationSource
    let isAcknowledged =
      try (session.state.isUnfinishedStart || now.state.isUnfinishedStart)
      && isAcknowledged(session: session.row)
    changes.append(
      .session(
        was: SessionCondition(
          session.state, isAcknowledged: isAcknowledged && session.state.isUnfinishedStart),
        now: now, isAcknowledged: isAcknowledged))
    return ending
  }

  /// Replaces the message of a session.
  ///
  /// - Returns: false if it has that message.
  @discardableResult
  func setMessage(_ message: Int64?, of session: Int64) throws -> Bool {
    try RawStatement(
      database, "UPDATE session SET message = ?1 WHERE seq = ?2 AND message IS NOT ?1", message, session
    ).run() > 0
  }

  /// Applies a finish to a session that the record has: the first real finish is the verdict, and beats an inferred
  /// one; each further one is a duplicate.
  ///
  /// - Parameter ignoringRepetitions: an import may read a finish that the record has already: the same verdict at the
  ///   same time is known, not a duplicate.
  mutating func finish(
    _ session: StoredSession, _ ending: Ending, at wall: Int64, ignoringRepetitions: Bool
  ) throws -> FinishOutcome {
    // Only imported lines bring a verdict that is no finish; it never replaces another verdict.
    guard ending.state.isFinished || session.state == .running else { return .known }
    guard session.state.isFinished else { return .concluded(try conclude(session, ending)) }
    let isRepetition = ignoringRepetitions && session.state == ending.state && session.finishedAt == wall
    return isRepetition ? .known : .duplicate
  }

  /// How long a session took, by the clocks of its owner and of the owner that finished it.
  ///
  /// - Parameter sameBootClock: whether the boot clocks of the two can be subtracted.
  static func ending(
    _ state: SessionState, of started: LoadInstant, at end: LoadInstant, sameBootClock: Bool, reason: Int64?
  ) -> Ending {
    let timing = SessionTiming(from: started, to: end, sameBootClock: sameBootClock)
    // An unfinished start always has a lower bound, even if the clocks disagree.
    return Ending(
      state: state, duration: state.isUnfinishedStart ? timing.duration ?? 0 : timing.duration,
      wallDrift: timing.wallDrift, durationSource: timing.isWall ? .wall : .boot, reason: reason)
  }
}

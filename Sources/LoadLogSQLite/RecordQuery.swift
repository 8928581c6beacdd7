import Foundation
import GRDB
import LoadLogCore

/// One consistent look at the record.
///
/// Sessions that the store still calls running are shown with what the judge says of their owner.
final class RecordQuery {
  let database: Database
  let now: LoadInstant
  private let judge: DeathJudge
  private let here: ProcessIdentity
  private var owners: [Int64: KnownOwner] = [:]
  private var judgements: [Int64: Judgement] = [:]

  /// An owner and the evidence kept with it.
  struct KnownOwner {
    let record: OwnerRecord
    let evidence: String?
  }

  init(_ database: Database, court: Court) {
    self.database = database
    now = court.clock.now()
    judge = court.judge
    here = court.processes.current
  }

  func owner(_ row: Int64) throws -> KnownOwner {
    if let known = owners[row] { return known }
    let statement = try database.cachedStatement(
      sql: "SELECT \(OwnerRow.columns) FROM owner WHERE id = ?")
    guard let found = try Row.fetchOne(statement, arguments: [row]) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a session's owner is missing")
    }
    let owner = KnownOwner(record: try OwnerRow.record(found, in: database), evidence: try found.at(19))
    owners[row] = owner
    return owner
  }

  /// What the judge says of an owner, asked once.
  func judgement(_ row: Int64) throws -> Judgement {
    if let known = judgements[row] { return known }
    let judgement = judge.judge(try owner(row).record.owner)
    judgements[row] = judgement
    return judgement
  }

  /// The end of a session's interval on the wall clock, in nanoseconds since 1970.
  func wallEnd(_ session: StoredSession) throws -> Int64 {
    guard session.state == .running else { return session.keptEnd }
    return try shown(session).wallEnd
  }

  /// A session's state as it is shown, and how long its interval is.
  struct Shown {
    var state: SessionState
    var isUnknown = false
    /// Nanoseconds: the duration if it finished, else how long it was open at least.
    var length: Int64
    /// The end of its interval on the wall clock, in nanoseconds since 1970, for busy and depth.
    var wallEnd: Int64
    var evidence: String?
  }

  /// Applies the judge's word to a session as it is stored.
  func shown(_ session: StoredSession) throws -> Shown {
    let start = session.started
    let wallStart = start.wall.multipliedClamping(by: 1000)
    func shown(_ state: SessionState, _ length: Int64, _ evidence: String?) -> Shown {
      Shown(
        state: state, length: length, wallEnd: wallStart.addingClamping(length), evidence: evidence)
    }
    guard session.state == .running else {
      let evidence = session.state.isUnfinishedStart ? try owner(session.ownerRow).evidence : nil
      return shown(session.state, session.duration ?? 0, evidence)
    }
    let (owner, judgement) = (try owner(session.ownerRow), try judgement(session.ownerRow))
    if case .dead(let death, let evidence) = judgement {
      let length = max(0, (owner.record.lastSign ?? start).boot.subtractingClamping(start.boot))
      return shown(death.state, length, evidence)
    }
    let isComparable = owner.record.owner.process.sharesBootClock(with: here)
    let elapsed = SessionTiming(from: start, to: now, sameBootClock: isComparable).duration ?? 0
    var running = shown(.running, elapsed, nil)
    running.wallEnd = max(wallStart, now.wall.multipliedClamping(by: 1000))
    if case .unknown(let evidence) = judgement {
      running.isUnknown = true
      running.evidence = evidence
    }
    return running
  }

  /// The session as the library shows it.
  func session(_ stored: StoredSession, _ texts: SessionTexts) throws -> LoadingSession {
    let shown = try shown(stored)
    let finished = stored.wallDrift.map {
      stored.started.wall.addingClamping((stored.duration ?? 0) / 1000).addingClamping($0)
    }
    let seen = try seen(stored.row)
    return LoadingSession(
      id: texts.id, feed: texts.feed, message: texts.message, tag: texts.tag,
      isAnonymous: stored.isAnonymous, state: shown.state, isUnknown: shown.isUnknown,
      isLate: stored.isLate, started: stored.started, finished: finished,
      duration: stored.state.isFinished ? stored.duration : nil, openAtLeast: shown.length,
      isWallDuration: stored.isWall,
      clockJump: stored.duration == nil
        ? nil : SessionTiming.clockJump(drift: stored.wallDrift, isWall: stored.isWall),
      owner: try owner(stored.ownerRow).record, callSite: texts.callSite,
      reason: texts.reason
        ?? (shown.state == .abandoned && stored.state == .running
          ? AbandonReason.released.rawValue : nil),
      evidence: Self.evidence(shown, reason: texts.reason), acknowledgement: texts.acknowledgement,
      visibleTime: seen?.visible, suppressedShows: seen?.suppressed)
  }

  /// What indicators showed of a session; nil if none did.
  private func seen(_ session: Int64) throws -> (visible: Int64, suppressed: Int)? {
    let statement = try RawStatement(
      database, "SELECT visible, suppressed FROM visibility WHERE session = ?")
    statement.bind(1, session)
    return try statement.first { (try $0.number(0), Int(try $0.number(1))) }
  }

  /// The proof in words: of an abandoned session what happened to it, of any other what the judge said.
  static func evidence(_ shown: Shown, reason: String?) -> String? {
    guard shown.state == .abandoned, let reason else { return shown.evidence }
    let tenths = shown.length.addingClamping(50_000_000) / 100_000_000
    let after = "after \(tenths / 10).\(tenths % 10) s"
    switch AbandonReason(rawValue: reason) {
    case .dropped: return "token dropped unfinished \(after)"
    case .reset: return "count reset \(after)"
    case .deadline: return "committed only after its caller's deadline"
    case .released: return shown.evidence ?? "its owner lives, but its lock was released"
    case .openAtEnd: return "its file tells no end"
    case nil: return reason
    }
  }
}

/// The columns of a session that the rules work on.
struct StoredSession {
  static let columns = """
    session.seq, session.feed, session.owner, session.state, session.is_anonymous, session.is_late, \
    session.started_at, session.started_boot, session.duration, session.wall_drift, session.is_wall, \
    session.call_site
    """
  static let columnCount: Int32 = 12

  let row: Int64
  let feedRow: Int64
  let ownerRow: Int64
  let state: SessionState
  let isAnonymous: Bool
  let isLate: Bool
  let started: LoadInstant
  let duration: Int64?
  let wallDrift: Int64?
  let isWall: Bool
  let callSite: Int64?

  /// The end of its interval as it is kept, on the wall clock, in nanoseconds since 1970.
  var keptEnd: Int64 { started.wall.multipliedClamping(by: 1000).addingClamping(duration ?? 0) }

  /// Reads the state alone from ``columns``.
  static func state(_ row: RawStatement) throws -> SessionState { try row.state(3) }

  /// Reads from ``columns`` what counts of a load besides its state: its feed, its start in microseconds, how long it took.
  static func feedStartAndDuration(_ row: RawStatement) throws -> (Int64, Int64, Int64?) {
    (try row.number(1), try row.number(6), try row.integer(8))
  }

  /// Reads ``columns``.
  init(_ row: RawStatement) throws {
    self.row = try row.number(0)
    feedRow = try row.number(1)
    ownerRow = try row.number(2)
    state = try Self.state(row)
    isAnonymous = try row.number(4) != 0
    isLate = try row.number(5) != 0
    started = LoadInstant(wall: try row.number(6), boot: try row.number(7))
    duration = try row.integer(8)
    wallDrift = try row.integer(9)
    isWall = try row.number(10) != 0
    callSite = try row.integer(11)
  }
}

extension RawStatement {
  /// A session's state.
  func state(_ column: Int32) throws -> SessionState {
    guard let state = SessionState(code: try number(column)) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a session has an unknown state")
    }
    return state
  }
}

/// The words of a session.
struct SessionTexts {
  static let columns = """
    session.id, feed.name, message.value, tag.value, call_site.value, reason.value, \
    acknowledgement.at, acknowledgement.by, acknowledgement.note
    """
  static let joins = """
    JOIN feed ON feed.id = session.feed
    LEFT JOIN text AS message ON message.id = session.message
    LEFT JOIN text AS tag ON tag.id = session.tag
    LEFT JOIN text AS call_site ON call_site.id = session.call_site
    LEFT JOIN text AS reason ON reason.id = session.reason
    LEFT JOIN acknowledgement ON acknowledgement.id = session.id
    """

  let id: SessionID
  let feed: Feed
  let message: String?
  let tag: String?
  let callSite: String?
  let reason: String?
  let acknowledgement: Acknowledgement?

  /// Reads ``columns`` from a column on.
  init(_ row: RawStatement, from column: Int32) throws {
    guard let id = try row.id(column), let feed = try row.text(column + 1) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a session has no id or no feed")
    }
    self.id = id
    self.feed = Feed(feed)
    message = try row.text(column + 2)
    tag = try row.text(column + 3)
    callSite = try row.text(column + 4)
    reason = try row.text(column + 5)
    acknowledgement = try Acknowledgement(row, from: column + 6)
  }
}

extension Acknowledgement {
  /// Reads time, name and note from a column on; nil if there is none.
  init?(_ row: RawStatement, from column: Int32) throws {
    guard let at = try row.integer(column) else { return nil }
    self.init(at: at, by: try row.text(column + 1) ?? "", note: try row.text(column + 2))
  }
}

extension SessionID {
  /// Reads the bytes of a column.
  init(data: Data) throws {
    guard let id = SessionID(bytes: data) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an id does not have 16 bytes")
    }
    self = id
  }
}

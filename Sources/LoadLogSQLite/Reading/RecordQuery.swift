import Foundation
import GRDB
import LoadLogCore
import LoadLogText

/// One consistent read of the record.
///
/// A session that the store still calls running is shown with the judge's verdict on its owner.
final class RecordQuery {
  let database: Database
  let now: LoadInstant
  /// Whether the database is an image of all hosts of a fleet together.
  let isOfAllHosts: Bool
  private let judge: DeathJudge
  /// This process; many questions never ask for it.
  private lazy var here = judge.here
  private let unseenOwners: [Int64: String]?
  private var owners: [Int64: OwnerRow] = [:]
  private var judgements: [Int64: Judgement] = [:]
  /// The rows of owners that were dead before this read began; nil if no other process can write meanwhile.
  private let dead: Set<Int64>?
  /// The rows of owners that are dead, but may have finished their loads after this read began. They are taken for
  /// living ones.
  private(set) var unproven: Set<Int64> = []

  init(_ database: Database, court: Court, dead: Set<Int64>? = nil) {
    self.database = database
    self.dead = dead
    now = court.clock.now()
    judge = court.judge
    unseenOwners = court.unseenOwners
    isOfAllHosts = court.isOfAllHosts
  }

  /// Whether the database is an image of a fleet, which lacks loads that the counters know.
  var isImage: Bool { unseenOwners != nil }

  func owner(_ row: Int64) throws -> OwnerRow {
    if let known = owners[row] { return known }
    let owner = try OwnerRow.required(row, in: database)
    owners[row] = owner
    return owner
  }

  /// The judge's verdict on an owner, found once per query.
  func judgement(_ row: Int64) throws -> Judgement {
    if let unseenOwners { return unseenOwners[row].map { .unknown(evidence: $0) } ?? .alive }
    if let known = judgements[row] { return known }
    var judgement = judge.judge(try owner(row).record.owner, from: here)
    if case .dead = judgement, let dead, !dead.contains(row) {
      unproven.insert(row)
      judgement = .alive
    }
    judgements[row] = judgement
    return judgement
  }

  /// The end of a session's interval on the wall clock, in nanoseconds since 1970.
  func wallEnd(_ session: StoredSession) throws -> Int64 {
    guard session.state == .running else { return session.storedEnd }
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

  /// Applies the judge's verdict to a stored session.
  func shown(_ session: StoredSession) throws -> Shown {
    let start = session.started
    let wallStart = start.wall.multipliedClamping(by: 1000)
    func shown(_ state: SessionState, _ length: Int64, _ evidence: String?) -> Shown {
      Shown(
        state: state, length: length, wallEnd: wallStart.addingClamping(length), evidence: evidence)
    }
    guard session.state == .running else {
      return shown(session.state, session.duration ?? 0, try evidence(of: session))
    }
    let (owner, judgement) = (try owner(session.ownerRow), try judgement(session.ownerRow))
    if case .dead(let death, let evidence) = judgement {
      return shown(death.state, owner.timeOpen(from: start), evidence)
    }
    // A fleet's hosts ship no times of boot clocks.
    let isComparable = !isImage && owner.record.owner.process.sharesBootClock(with: here)
    if case .unknown(let evidence) = judgement, !isComparable {
      // It may have finished where this record does not see it. A load of this boot would have finished here.
      var unknown = shown(.running, timeOpen(of: owner, from: start), evidence)
      unknown.isUnknown = true
      return unknown
    }
    let elapsed = SessionTiming(from: start, to: now, sameBootClock: isComparable).duration ?? 0
    var running = shown(.running, elapsed, nil)
    running.wallEnd = max(wallStart, now.wall.multipliedClamping(by: 1000))
    if case .unknown(let evidence) = judgement {
      running.isUnknown = true
      running.evidence = evidence
    }
    return running
  }

  /// What the judge found when a session got its verdict, as far as its owner's row still says so: an owner that lost its
  /// lock, and whose loads were abandoned, may have died since.
  private func evidence(of session: StoredSession) throws -> String? {
    guard session.state.isUnfinishedStart else { return nil }
    let owner = try owner(session.ownerRow)
    return session.state == .abandoned && owner.verdict != .abandoned ? nil : owner.evidence
  }

  /// How long a load was open at least, in nanoseconds, if no more is known than when its owner last committed.
  private func timeOpen(of owner: OwnerRow, from start: LoadInstant) -> Int64 {
    guard isImage else { return owner.timeOpen(from: start) }
    return SessionTiming(from: start, to: owner.record.lastSign ?? start, sameBootClock: false).duration ?? 0
  }

  /// The session as the library shows it.
  func session(_ stored: StoredSession, _ texts: SessionTexts) throws -> LoadingSession {
    let shown = try shown(stored)
    let seen = try ShownTime.fetch(of: stored.row, in: database)
    return LoadingSession(
      id: texts.id, feed: texts.feed, message: texts.message, tag: texts.tag,
      isAnonymous: stored.isAnonymous, state: shown.state, isUnknown: shown.isUnknown,
      isFinishedAfterVerdict: stored.isFinishedAfterVerdict, started: stored.started,
      finished: stored.wallDrift == nil ? nil : stored.finishedAt,
      duration: stored.state.isFinished ? stored.duration : nil, openAtLeast: shown.length,
      durationSource: stored.state.isFinished && stored.duration != nil ? stored.durationSource : nil,
      clockJump: stored.duration == nil
        ? nil : SessionTiming.clockJump(drift: stored.wallDrift, isWall: stored.durationSource != .boot),
      owner: try owner(stored.ownerRow).record, callSite: texts.callSite,
      reason: texts.reason
        ?? (shown.state == .abandoned && stored.state == .running
          ? AbandonReason.released.rawValue : nil),
      evidence: Self.evidence(shown, reason: texts.reason), acknowledgement: texts.acknowledgement,
      visibleTime: seen?.visible, suppressedShows: seen.map { Int($0.suppressed) },
      run: try RunFacts.fetch(of: stored.row, in: database))
  }

  /// The evidence in words: what happened to an abandoned session, or what the judge found.
  static func evidence(_ shown: Shown, reason: String?) -> String? {
    guard shown.state == .abandoned, let reason else { return shown.evidence }
    let after = shown.length > 0 ? " after \(DurationText.measured(shown.length))" : ""
    switch AbandonReason(rawValue: reason) {
    case .dropped: return "token dropped unfinished\(after)"
    case .reset: return "count reset\(after)"
    case .deadline: return "committed only after its caller's deadline"
    case .released: return shown.evidence ?? "its owner is alive, but its lock was released"
    case .superseded: return "another start was reported\(after)"
    case .import: return "the imported file does not contain its end"
    case nil: return reason
    }
  }
}

struct SessionTexts {
  private enum Column: Int32, ColumnList {
    case id, feed, message, tag, callSite, reason, acknowledgement
  }

  /// Follows ``StoredSession/columns`` in a SELECT.
  static let columns = """
    session.id, feed.name, message.value, tag.value, call_site.value, reason.value, \
    \(Acknowledgement.columns)
    """
  static let joins = """
    JOIN feed ON feed.id = session.feed
    LEFT JOIN text AS message ON message.id = session.message
    LEFT JOIN text AS tag ON tag.id = session.tag
    LEFT JOIN text AS call_site ON call_site.id = session.call_site
    LEFT JOIN text AS reason ON reason.id = session.reason
    \(Acknowledgement.join("session"))
    """

  let id: SessionID
  let feed: Feed
  let message: String?
  let tag: String?
  let callSite: String?
  let reason: String?
  let acknowledgement: Acknowledgement?

  /// Reads ``columns``, which follow those of ``StoredSession``.
  init(_ row: RawStatement) throws {
    func text(_ column: Column) throws -> String? {
      try row.text(StoredSession.Column.columnCount + column.rawValue)
    }
    guard let id = try row.id(StoredSession.Column.columnCount + Column.id.rawValue),
      let feed = try text(.feed)
    else {
      throw DatabaseError.damage("a session has no id or no feed")
    }
    self.id = id
    self.feed = Feed(feed)
    message = try text(.message)
    tag = try text(.tag)
    callSite = try text(.callSite)
    reason = try text(.reason)
    acknowledgement = try Acknowledgement(
      row, from: StoredSession.Column.columnCount + Column.acknowledgement.rawValue)
  }
}

extension Acknowledgement {
  static let columns = "acknowledgement.at, acknowledgement.by, acknowledgement.note"

  /// Joins the acknowledgements of the rows of `session` or `unmatched`.
  static func join(_ table: String) -> String {
    "LEFT JOIN acknowledgement ON acknowledgement.id = \(table).id"
  }

  /// Reads ``columns``, starting at a column; nil if there is none.
  init?(_ row: RawStatement, from column: Int32) throws {
    guard let at = try row.integer(column) else { return nil }
    self.init(at: at, by: try row.text(column + 1) ?? "", note: try row.text(column + 2))
  }
}

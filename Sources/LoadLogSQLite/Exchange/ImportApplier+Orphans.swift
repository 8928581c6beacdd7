import Foundation
import GRDB
import LoadLogCore

/// Finishes that answer no open start, and those that find theirs after all.
extension ImportApplier {
  /// Takes over an unmatched finish as it was recorded.
  mutating func apply(_ line: UnmatchedLine) throws {
    let at = LoadInstant(wall: try Self.checked(line.at), boot: line.boot ?? 0)
    guard line.verdict.isFinished else {
      throw LoadLogError(
        .invalidInput, what: "verdict", value: line.verdict.rawValue, why: "no finish tells it")
    }
    var unmatched = RecordWriter.Unmatched(
      id: line.id, kind: line.kind, feed: nil, session: line.session,
      owner: try owner(line.owner), at: at, state: line.verdict, reason: try text(line.reason),
      callSite: try text(line.callSite, field: "call site", limit: TextLimit.message))
    if line.kind == .orphanFinish, let id = line.session, let start = try OpenSession.fetch(id, in: database)
    {
      guard try isKnownFinish(unmatched, of: start) else {
        return count(isNew: try addFinish(&unmatched, to: start))
      }
      return count(isNew: false)
    }
    guard try line.kind != .orphanFinish || !mayBePruned(unmatched) else { return }
    unmatched.feed = try line.feed.map { try feedRow($0) }
    let isNew = try writer.add(unmatched)
    if line.session != nil { scope.hasOrphans = true }
    count(isNew: isNew)
  }

  /// Finishes of a load that came before its start: the first is its verdict, if it has none; those that say the same
  /// as its verdict are withdrawn, and all others turn out to have been duplicates.
  mutating func meetOrphans(of session: RecordWriter.Session, _ row: Int64) throws {
    guard let start = try OpenSession.fetch(session.id, in: database), start.row == row else { return }
    let statement = try database.cachedStatement(
      sql: """
        SELECT id, feed, owner, at, at_boot, state, reason, call_site FROM unmatched
        WHERE session = ? AND kind = \(UnmatchedKind.orphanFinish.code) ORDER BY seq
        """)
    var isOpen = !start.state.isFinished
    for row in try Row.fetchAll(statement, arguments: [session.id.data]) {
      let orphan = RecordWriter.Unmatched(
        id: try SessionID(data: try row.at(0)), kind: .orphanFinish, feed: try row.at(1), session: session.id,
        owner: try row.at(2), at: LoadInstant(wall: try row.at(3), boot: try row.at(4)),
        state: SessionState(code: try row.at(5)) ?? .ended, reason: try row.at(6), callSite: try row.at(7))
      let isVerdict = isOpen
      if isVerdict { try conclude(start, ending(of: orphan, start)) }
      isOpen = false
      let isKnown = try isVerdict || isKnownFinish(orphan, of: start)
      try writer.withdraw(orphan, keepingAsDuplicateOf: isKnown ? nil : start.feedRow)
    }
  }

  /// A finish of a load whose start the record knows.
  ///
  /// - Returns: false if its id is known.
  private mutating func addFinish(
    _ finish: inout RecordWriter.Unmatched, to start: OpenSession
  ) throws -> Bool {
    guard start.state.isFinished else {
      try conclude(start, ending(of: finish, start))
      return true
    }
    finish.kind = .duplicateFinish
    finish.feed = start.feedRow
    return try writer.add(finish)
  }

  private func ending(
    of finish: RecordWriter.Unmatched, _ start: OpenSession
  ) throws -> RecordWriter.Ending {
    let starter = try OwnerRow.fetch(start.ownerRow, in: database)?.owner.process
    let finisher = try OwnerRow.fetch(finish.owner, in: database)?.owner.process
    let isComparable = starter.flatMap { starter in finisher.map(starter.sharesBootClock) } ?? false
    let timing = SessionTiming(from: start.started, to: finish.at, sameBootClock: isComparable)
    return RecordWriter.Ending(
      state: finish.state, duration: timing.duration, wallDrift: timing.wallDrift, isWall: timing.isWall,
      reason: finish.reason)
  }

  /// The finish is the one that gave the session its verdict.
  private func isKnownFinish(_ finish: RecordWriter.Unmatched, of start: OpenSession) throws -> Bool {
    try start.state == finish.state && end(of: start) == finish.at.wall
  }
}

import Foundation
import GRDB
import LoadLogCore

/// Unmatched finishes, and orphans whose start arrives later.
extension ImportApplier {
  /// Adds an unmatched finish as it was recorded.
  mutating func apply(_ line: UnmatchedLine) throws {
    let at = LoadInstant(wall: try Self.checked(line.at), boot: line.boot ?? 0)
    guard line.verdict.isFinished, line.kind != .withdrawn else {
      throw LoadLogError(
        .invalidInput, what: "verdict", value: line.verdict.rawValue, why: "a finish cannot have this verdict"
      )
    }
    var unmatched = StateRules.Unmatched(
      id: line.id, kind: line.kind, feed: nil, session: line.session,
      owner: try owner(line.owner), at: at, state: line.verdict, reason: try text(line.reason),
      callSite: try text(line.callSite, field: "call site", limit: TextLimit.message))
    if line.kind == .orphanFinish, let id = line.session,
      let start = try StoredSession.fetch(id, in: database)
    {
      // As the verdict of its load it is no imbalance, and an acknowledgement that follows refers to nothing.
      try scratch.passOver(line.id)
      return try add(unmatched, to: start)
    }
    guard try line.kind != .orphanFinish || !mayBePruned(unmatched) else { return }
    unmatched.feed = try line.feed.map { try feedRow($0) }
    let isNew = try rules.insert(unmatched)
    if isNew, line.kind == .popAfterReset { try useCredit(unmatched) }
    // It may have become the verdict of a load that was pruned since.
    if !isNew, line.kind == .orphanFinish { try scratch.passOver(line.id) }
    count(\.unmatched, isNew: isNew)
  }

  /// Notes of a push that was reset whether its pop is still forgiven where the file comes from.
  func noteReset(of session: StoredSession, _ finish: FinishLine) throws {
    guard session.isAnonymous, finish.verdict == .abandoned, finish.reason == AbandonReason.reset.rawValue
    else { return }
    try scratch.addCredits(finish.isForgiven ? 1 : 0, feed: session.feedRow, owner: session.ownerRow)
  }

  /// Uses up the credit of a pop that an earlier import brought. What the file still forgives stays.
  private func useCredit(_ pop: StateRules.Unmatched) throws {
    guard let feed = pop.feed, let owner = try OwnerRow.fetch(pop.owner, in: database) else { return }
    let isCommand = owner.record.owner.kind != .library
    _ = try rules.takeResetCredit(feed: feed, owner: pop.owner, ofAnyOwner: isCommand) { creditor in
      // Pushes that are not in the file are not those of the pop.
      try scratch.credits(feed: feed, owner: creditor) ?? .max
    }
  }

  /// Joins a new session to the finishes that arrived before it.
  mutating func joinOrphans(of id: SessionID, to session: StoredSession) throws {
    let verdict = try rules.joinOrphans(of: id, to: session, ignoringRepetitions: true, &scope.rows)
    if let verdict { noteDates(of: session, verdict.ending) }
  }

  /// Applies an orphan whose start is in the record.
  private mutating func add(_ orphan: StateRules.Unmatched, to start: StoredSession) throws {
    let ending = StateRules.ending(
      orphan.state, of: start.started, at: orphan.at,
      sameBootClock: try scope.rows.shareBootClock(start.ownerRow, orphan.owner, in: database),
      reason: orphan.reason)
    switch try rules.finish(start, ending, at: orphan.at.wall, ignoringRepetitions: true) {
    case .known: count(\.loads, isNew: false)
    case .concluded(let stored):
      noteDates(of: start, stored)
      count(\.loads, isNew: true)
    case .duplicate:
      var duplicate = orphan
      duplicate.kind = .duplicateFinish
      duplicate.feed = start.feedRow
      count(\.unmatched, isNew: try rules.insert(duplicate))
    }
  }
}

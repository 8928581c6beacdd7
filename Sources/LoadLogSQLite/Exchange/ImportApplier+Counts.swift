import GRDB
import LoadLogCore

/// Pushes, pops and resets in hand-written lines. They pair up within their file: pushes from elsewhere are
/// not touched.
///
/// The scratch database keeps the file's open pushes and forgiven pops apart from the record, so that
/// importing the file again produces the same pairs.
extension ImportApplier {
  mutating func apply(push line: CountLine, _ id: SessionID) throws {
    guard let feed = line.feed else { return }
    let at = try Self.checked(line.at)
    let owner = try owner(line.owner)
    let known = try known(id, feed: feed, started: at)
    let isPassedOver = try known == nil && mayBePruned(feed, at)
    let callSite = try text(line.callSite, field: "call site", limit: TextLimit.message)
    let feedRow = try feedRow(feed)
    // A skipped push still pairs with its pop.
    try scratch.push(id, feed: feedRow, owner: owner, file: line.callSite.map(CallSite.file(of:)))
    guard !isPassedOver else { return }
    if known == nil {
      _ = try add(
        StateRules.NewSession(
          id: id, feed: feedRow, owner: owner, started: LoadInstant(wall: at, boot: 0), isAnonymous: true,
          callSite: callSite))
    }
    count(\.loads, isNew: known == nil)
  }

  mutating func apply(pop line: CountLine, _ id: SessionID) throws {
    guard let feed = line.feed else { return }
    let at = LoadInstant(wall: try Self.checked(line.at), boot: 0)
    let owner = try owner(line.owner)
    let callSite = try TextLimit.checked(line.callSite, field: "call site", limit: TextLimit.message)
    let feedRow = try feedRow(feed)
    if let push = try scratch.pop(feed: feedRow, owner: owner, file: line.callSite.map(CallSite.file(of:))) {
      let isNew = try end(push, line.verdict, reason: text(line.reason), at: at)
      if let row = isNew, row <= scope.lastSession ?? 0 { count(\.loads, isNew: true) }
      return
    }
    let isForgiven = try scratch.takeCredit(feed: feedRow, owner: owner)
    let isNew = try rules.insert(
      StateRules.Unmatched(
        id: id, kind: isForgiven ? .popAfterReset : .extraPop, feed: feedRow, session: nil, owner: owner,
        at: at, state: line.verdict, reason: try text(line.reason), callSite: try text(callSite)))
    // The reset left a credit in the record, too. If the pop was imported before, that import used the
    // credit.
    if isForgiven, isNew { _ = try rules.takeResetCredit(feed: feedRow, owner: owner, ofAnyOwner: false) }
    if !isForgiven { count(\.unmatched, isNew: isNew) }
  }

  mutating func apply(reset line: CountLine) throws {
    let at = LoadInstant(wall: try Self.checked(line.at), boot: 0)
    // If no item without an owner came before, there is nothing to reset.
    guard line.owner != nil || scope.firstOwnerless != nil else { return }
    let owner = try owner(line.owner)
    var feedRow: Int64?
    if let feed = line.feed {
      feedRow = try scope.rows.knownFeedRow(feed.validated(), in: database)
      guard feedRow != nil else { return }
    }
    let reason = try text(AbandonReason.reset.rawValue)
    while let push = try scratch.reset(feedRow, owner: owner) {
      guard try end(push.session, .abandoned, reason: reason, at: at) != nil else { continue }
      try rules.addResetCredit(feed: push.feed, owner: owner)
    }
  }

  /// Gives one of the file's pushes its verdict, unless an earlier import of the file did so.
  ///
  /// - Returns: the push's row, or nil if it already had a verdict.
  private mutating func end(
    _ push: SessionID, _ state: SessionState, reason: Int64?, at end: LoadInstant
  ) throws -> Int64? {
    guard let session = try StoredSession.fetch(push, in: database), session.state == .running else {
      return nil
    }
    var ending = StateRules.ending(
      state, of: session.started, at: end, sameBootClock: false, reason: reason)
    ending.durationSource = .wall
    try conclude(session, ending)
    return session.row
  }
}

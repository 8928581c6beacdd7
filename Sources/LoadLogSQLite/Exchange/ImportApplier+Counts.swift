import GRDB
import LoadLogCore

/// Pushes, pops and resets of lines that were written by hand. A count is one of the file: what others have pushed in
/// the record is not touched.
extension ImportApplier {
  mutating func apply(push line: CountLine, _ id: SessionID) throws {
    guard let feed = line.feed else { return }
    let at = try Self.checked(line.at)
    let owner = try owner(line.owner)
    let known = try known(id, feed: feed, started: at)
    let isPassedOver = try known == nil && mayBePruned(feed, at)
    let feedRow = try feedRow(feed)
    // What is passed over is popped all the same.
    try scratch.push(id, feed: feedRow, owner: owner, file: line.callSite.map(CallSite.file(of:)))
    guard !isPassedOver else { return }
    if known == nil {
      _ = try add(
        RecordWriter.Session(
          id: id, feed: feedRow, owner: owner, started: LoadInstant(wall: at, boot: 0), isAnonymous: true,
          callSite: try text(line.callSite, field: "call site", limit: TextLimit.message)))
    }
    count(isNew: known == nil)
  }

  mutating func apply(pop line: CountLine, _ id: SessionID) throws {
    guard let feed = line.feed else { return }
    let at = LoadInstant(wall: try Self.checked(line.at), boot: 0)
    let owner = try owner(line.owner)
    let feedRow = try feedRow(feed)
    if let push = try scratch.pop(feed: feedRow, owner: owner, file: line.callSite.map(CallSite.file(of:))) {
      let isNew = try end(push, line.verdict, reason: text(line.reason), at: at)
      if let row = isNew, row <= scope.lastSession ?? 0 { count(isNew: true) }
    } else if try scratch.takeCredit(feed: feedRow, owner: owner) {
      try popAfterReset(feedRow, owner)
    } else {
      let isNew = try writer.add(
        RecordWriter.Unmatched(
          id: id, kind: .extraPop, feed: feedRow, session: nil, owner: owner, at: at, state: line.verdict,
          reason: try text(line.reason),
          callSite: try text(line.callSite, field: "call site", limit: TextLimit.message)))
      count(isNew: isNew)
    }
  }

  mutating func apply(reset line: CountLine) throws {
    let at = LoadInstant(wall: try Self.checked(line.at), boot: 0)
    // Without a push or a start before it there is nothing to reset.
    guard line.owner != nil || scope.firstOwnerless != nil else { return }
    let owner = try owner(line.owner)
    var feedRow: Int64?
    if let feed = line.feed {
      feedRow = try scope.rows.knownFeedRow(feed.validated(), in: database)
      // What was never pushed cannot be reset.
      guard feedRow != nil else { return }
    }
    let reason = try text(AbandonReason.reset.rawValue)
    while let push = try scratch.reset(feedRow, owner: owner) {
      guard try end(push.session, .abandoned, reason: reason, at: at) != nil else { continue }
      try addResetCredit(feed: push.feed, owner: owner)
    }
  }

  /// A push was reset: one pop at 0 of its owner is forgiven.
  func addResetCredit(feed: Int64, owner: Int64) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO reset_credit (feed, owner, pops) VALUES (?, ?, 1)
        ON CONFLICT (feed, owner) DO UPDATE SET pops = pops + 1
        """
    ).execute(arguments: [feed, owner])
  }

  /// Gives a push of the file its verdict, unless an earlier import of the file has.
  ///
  /// - Returns: its row, if it got one.
  private mutating func end(
    _ push: SessionID, _ state: SessionState, reason: Int64?, at end: LoadInstant
  ) throws -> Int64? {
    guard let session = try OpenSession.fetch(push, in: database), session.state == .running else {
      return nil
    }
    let timing = SessionTiming(from: session.started, to: end, sameBootClock: false)
    try conclude(
      session,
      RecordWriter.Ending(
        state: state, duration: state.isFinished ? timing.duration : timing.duration ?? 0,
        wallDrift: timing.wallDrift, isWall: true, reason: reason))
    return session.row
  }

  /// The reset left a credit in the record, which goes with the pop; where it is gone, the pop was counted before.
  private func popAfterReset(_ feed: Int64, _ owner: Int64) throws {
    try database.execute(
      sql: "UPDATE reset_credit SET pops = pops - 1 WHERE feed = ? AND owner = ? AND pops > 0",
      arguments: [feed, owner])
    guard database.changesCount > 0 else { return }
    try database.execute(sql: "DELETE FROM reset_credit WHERE pops = 0")
    try database.execute(
      sql: "UPDATE feed SET pops_after_reset = pops_after_reset + 1 WHERE id = ?", arguments: [feed])
  }
}

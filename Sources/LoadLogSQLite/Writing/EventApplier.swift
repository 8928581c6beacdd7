import Foundation
import GRDB
import LoadLogCore

/// Applies the events of one owner to the record, inside one transaction.
struct EventApplier {
  private(set) var rows: RowCache
  private(set) var registration: OwnerRow.Registration
  let database: Database
  private let owner: StoreOwner
  private let judge: () throws -> Void
  let isAlive: (Owner) -> Bool
  private var rules: StateRules
  var dates = FeedDateChanges(.asCommitted)

  /// Whether pops and resets apply to every owner's pushes, as those of a command do. A library owner's apply
  /// to its own.
  private var isCommand: Bool { owner.kind != .library }

  var ownerRow: Int64 { registration.id }

  /// Begins the work of a transaction.
  ///
  /// - Parameters:
  ///   - registration: the owner's row, if it is known from an earlier transaction.
  ///   - judge: makes the verdicts on dead owners durable.
  ///   - isAlive: whether an owner is proven to be alive.
  init(
    _ database: Database, owner: StoreOwner, registration: OwnerRow.Registration?, rows: RowCache,
    judge: @escaping () throws -> Void, isAlive: @escaping (Owner) -> Bool
  ) throws {
    self.database = database
    self.owner = owner
    self.rows = rows
    self.judge = judge
    self.isAlive = isAlive
    self.registration = try registration ?? OwnerRow.register(owner, in: database)
    rules = try StateRules(database)
  }

  /// Applies the events in their order, and returns a receipt for each.
  mutating func apply(_ events: [NumberedEvent], dropped: Int) throws -> [Receipt] {
    let lastEvent = registration.lastEvent
    var receipts: [Receipt] = []
    receipts.reserveCapacity(events.count)
    for item in events {
      // Several processes can share an owner that is not a library owner, and each numbers its own events.
      // Such events are never retried.
      let isRepeated = !isCommand && item.number <= lastEvent
      receipts.append(isRepeated ? Receipt(.repeated) : try apply(item.event))
    }
    try finish(after: events.last, dropped: dropped)
    return receipts
  }

  /// Writes what the events have left to be written once: the dates of their feeds, the owner's last commit, and the
  /// journal.
  ///
  /// - Parameters:
  ///   - last: the last event that was applied.
  ///   - dropped: the number of events dropped since the previous commit.
  mutating func finish(after last: NumberedEvent?, dropped: Int) throws {
    try dates.write(to: database)
    if let last {
      let lastEvent = registration.lastEvent
      // If the batch is already committed, so is the number of dropped events that came with it.
      let isNew = isCommand || last.number > lastEvent
      try OwnerRow.noteCommit(
        of: ownerRow, event: last.number, at: last.event.at, dropped: isNew ? dropped : 0, in: database)
      registration.lastEvent = max(lastEvent, last.number)
    }
    try flushChanges()
    try ChangeJournal.applyIfDue(in: database)
  }

  /// Writes the changes so far to the journal, which takes changes in their order.
  mutating func flushChanges() throws {
    try ChangeJournal.append(rules.takeChanges(), in: database)
  }

  /// Applies one event; ``finish(after:dropped:)`` must follow.
  mutating func apply(_ event: LoadEvent) throws -> Receipt {
    switch event.kind {
    case .start(let id, let feed, let message, let tag):
      try start(id, feed, message: message, tag: tag, event)
    case .heard(let id, let feed, let verdict): try heard(id, feed, verdict, event)
    case .push(let feed): try push(feed, event)
    case .finish(let id, let verdict): try finish(id, verdict, event)
    case .pop(let feed, let verdict): try pop(feed, verdict, event)
    case .extraPop(let feed, let verdict): try popAtZero(.extraPop, feed, verdict, event)
    case .reset(let feeds): try reset(feeds, event)
    case .abandon(let id, let reason): try abandon(id, reason, event)
    case .update(let id, let message): try update(id, message: message)
    case .ran(let id): try ran(id, event)
    case .shown(let id, let feed, let visible, let suppressed):
      try shown(id, feed, visible: visible, suppressed: suppressed)
    case .adopt(let feed, let date): try adopt(feed, date)
    case .acknowledge(let ids, let by, let note): try acknowledge(ids, by: by, note: note, event)
    case .expect(_, let pattern), .clearExpectation(let pattern), .pauseExpectation(let pattern, _),
      .resumeExpectation(let pattern):
      try change(pattern, event)
    case .close: try closeOwner(event)
    }
  }
}

// MARK: - Tokens and ids

extension EventApplier {
  private mutating func start(
    _ id: SessionID, _ feed: Feed, message: String?, tag: String?, _ event: LoadEvent
  ) throws -> Receipt {
    // A start of a known id changes nothing, and must not add a feed.
    if try rows.knownFeedRow(feed, in: database) == nil, try StoredSession.fetch(id, in: database) != nil {
      return Receipt(.known, feed: feed)
    }
    if event.run?.refusesOverlap == true, let running = try runningLoad(of: feed) {
      try database.cachedStatement(sql: "UPDATE feed SET overlaps = overlaps + 1 WHERE name = ?")
        .execute(arguments: [feed.name])
      return Receipt(.overlapping(running), feed: feed)
    }
    var session = try newSession(id, feed, event)
    session.message = try rows.textRow(message, in: database)
    session.tag = try rows.textRow(tag, limit: TextLimit.tag, in: database)
    guard let stored = try rules.insert(session) else { return Receipt(.known, feed: feed) }
    try RunRow.write(event.run, of: stored.row, in: database)
    dates.noteStart(of: stored.feedRow, at: event.at.wall)
    let verdict = try rules.joinOrphans(of: id, to: stored, ignoringRepetitions: false, &rows)
    guard let verdict else { return Receipt(.recorded, feed: feed) }
    return noteVerdict(verdict.ending, of: stored, at: verdict.at, feed)
  }

  private mutating func push(_ feed: Feed, _ event: LoadEvent) throws -> Receipt {
    var session = try newSession(SessionID(milliseconds: event.at.wall / 1000), feed, event)
    session.isAnonymous = true
    guard let stored = try rules.insert(session) else { return Receipt(.known, feed: feed) }
    dates.noteStart(of: stored.feedRow, at: event.at.wall)
    return Receipt(.recorded, feed: feed, count: try shownCount(of: stored.feedRow))
  }

  /// Records a load of which only the end is known.
  private mutating func heard(
    _ id: SessionID, _ feed: Feed, _ verdict: Verdict, _ event: LoadEvent
  ) throws -> Receipt {
    guard try StoredSession.fetch(id, in: database) == nil else { return Receipt(.known, feed: feed) }
    var session = try newSession(id, feed, event)
    let ending = StateRules.Ending(
      state: verdict.state, wallDrift: 0, reason: try rows.textRow(verdict.reason, in: database))
    session.ending = ending
    guard let stored = try rules.insert(session) else { return Receipt(.known, feed: feed) }
    try RunRow.write(event.run, of: stored.row, in: database)
    dates.noteStart(of: stored.feedRow, at: event.at.wall)
    // It has its verdict: a finish that came before it is a duplicate.
    _ = try rules.joinOrphans(of: id, to: stored, ignoringRepetitions: false, &rows)
    return noteVerdict(ending, of: stored, at: event.at.wall, feed)
  }

  private mutating func newSession(
    _ id: SessionID, _ feed: Feed, _ event: LoadEvent
  ) throws -> StateRules.NewSession {
    StateRules.NewSession(
      id: id, feed: try rows.feedRow(feed, in: database), owner: ownerRow, started: event.at,
      callSite: try rows.textRow(event.callSite?.text, in: database))
  }

  private mutating func finish(_ id: SessionID, _ verdict: Verdict, _ event: LoadEvent) throws -> Receipt {
    guard let session = try StoredSession.fetch(id, in: database) else {
      _ = try rules.insert(unmatched(.orphanFinish, of: nil, id, verdict, event))
      return Receipt(.unmatched(.orphanFinish))
    }
    let feed = try rows.feed(session.feedRow, in: database)
    let ending = try ending(
      verdict.state, of: session, from: event.run?.began, reason: verdict.reason, at: event.at)
    let outcome = try rules.finish(session, ending, at: event.at.wall, ignoringRepetitions: false)
    guard case .concluded(let stored) = outcome else {
      _ = try rules.insert(unmatched(.duplicateFinish, of: session.feedRow, id, verdict, event))
      return Receipt(.unmatched(.duplicateFinish), feed: feed)
    }
    try RunRow.write(event.run, of: session.row, in: database)
    return noteVerdict(
      stored, of: session, at: event.at.wall, feed, isRetried: event.run?.facts?.isRetried ?? false)
  }

  private mutating func abandon(
    _ id: SessionID, _ reason: AbandonReason, _ event: LoadEvent
  ) throws -> Receipt {
    guard let session = try StoredSession.fetch(id, in: database), session.state == .running else {
      return Receipt(.nothing)
    }
    return try conclude(session, .abandoned, reason: reason.rawValue, at: event.at)
  }

  /// Gives a session a verdict at an instant of this owner.
  private mutating func conclude(
    _ session: StoredSession, _ state: SessionState, reason: String?, at end: LoadInstant
  ) throws -> Receipt {
    let ending = try rules.conclude(session, ending(state, of: session, reason: reason, at: end))
    return noteVerdict(
      ending, of: session, at: end.wall, try rows.feed(session.feedRow, in: database))
  }

  private mutating func ending(
    _ state: SessionState, of session: StoredSession, from began: LoadInstant? = nil, reason: String?,
    at end: LoadInstant
  ) throws -> StateRules.Ending {
    StateRules.ending(
      state, of: began ?? session.started, at: end,
      sameBootClock: try rows.shareBootClock(session.ownerRow, ownerRow, in: database),
      reason: try rows.textRow(reason, in: database))
  }

  private mutating func noteVerdict(
    _ ending: StateRules.Ending, of session: StoredSession, at wall: Int64, _ feed: Feed,
    isRetried: Bool = false
  ) -> Receipt {
    dates.note(
      ending.state, of: session.feedRow, at: wall, started: session.started.wall, reason: ending.reason,
      isRetried: isRetried)
    return Receipt(
      .finished(ending.state, afterVerdict: ending.isFinishedAfterVerdict), feed: feed,
      duration: ending.duration)
  }

  private mutating func unmatched(
    _ kind: UnmatchedKind, of feedRow: Int64?, _ session: SessionID?, _ verdict: Verdict, _ event: LoadEvent
  ) throws -> StateRules.Unmatched {
    StateRules.Unmatched(
      id: SessionID(milliseconds: event.at.wall / 1000), kind: kind, feed: feedRow, session: session,
      owner: ownerRow, at: event.at, state: verdict.state,
      reason: try rows.textRow(verdict.reason, in: database),
      callSite: try rows.textRow(event.callSite?.text, in: database))
  }

  private mutating func update(_ id: SessionID, message: String?) throws -> Receipt {
    guard let session = try StoredSession.fetch(id, in: database), session.state == .running else {
      return Receipt(.nothing)
    }
    try rules.setMessage(rows.textRow(message, in: database), of: session.row)
    try flushChanges()
    try ChangeJournal.appendTouched(session.row, isMessage: true, in: database)
    return Receipt(.recorded)
  }
}

// MARK: - Counts

extension EventApplier {
  private mutating func pop(_ feed: Feed, _ verdict: Verdict, _ event: LoadEvent) throws -> Receipt {
    let feedRow = try rows.feedRow(feed, in: database)
    guard let session = try pushToPop(in: feedRow, for: event.callSite) else {
      let isForgiven = try rules.takeResetCredit(feed: feedRow, owner: ownerRow, ofAnyOwner: isCommand)
      return try popAtZero(isForgiven ? .popAfterReset : .extraPop, feed, verdict, event)
    }
    var receipt = try conclude(session, verdict.state, reason: verdict.reason, at: event.at)
    rows.endedPushes[feedRow] = session.row
    receipt.count = try shownCount(of: feedRow)
    return receipt
  }

  private mutating func popAtZero(
    _ kind: UnmatchedKind, _ feed: Feed, _ verdict: Verdict, _ event: LoadEvent
  ) throws -> Receipt {
    let feedRow = try rows.feedRow(feed, in: database)
    _ = try rules.insert(unmatched(kind, of: feedRow, nil, verdict, event))
    return Receipt(kind == .popAfterReset ? .popAfterReset : .unmatched(kind), feed: feed, count: 0)
  }

  /// The open push that a pop closes: the newest one of the same source file, else the newest. A file usually pops what
  /// it pushes, so the oldest push is left to point at the line that never popped.
  private func pushToPop(in feedRow: Int64, for callSite: CallSite?) throws -> StoredSession? {
    let pushes = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns), text.value FROM session LEFT JOIN text ON text.id = session.call_site
      WHERE state = 0 AND feed = ? AND is_anonymous = 1 \(isCommand ? "" : "AND owner = ?")
      ORDER BY seq DESC
      """, feedRow)
    if !isCommand { pushes.bind(2, ownerRow) }
    return try pushes.first { row in
      let newest = try StoredSession(row)
      while try row.text(StoredSession.Column.columnCount).map(CallSite.file(of:)) != callSite?.file {
        guard try row.next() else { return newest }
      }
      return try StoredSession(row)
    }
  }

  /// The receipt's count is the number of pushes that were abandoned.
  private mutating func reset(_ feeds: [Feed]?, _ event: LoadEvent) throws -> Receipt {
    let pushes = "state = 0 AND is_anonymous = 1" + (isCommand ? "" : " AND owner = \(ownerRow)")
    var sessions: [StoredSession] = []
    if let feeds {
      for feed in Set(feeds) {
        guard let row = try rows.knownFeedRow(feed, in: database) else { continue }
        sessions += try StoredSession.fetchAll(in: database, where: pushes + " AND feed = ?", row)
      }
    } else {
      sessions = try StoredSession.fetchAll(in: database, where: pushes)
    }
    for session in sessions {
      _ = try conclude(session, .abandoned, reason: AbandonReason.reset.rawValue, at: event.at)
      try rules.addResetCredit(feed: session.feedRow, owner: session.ownerRow)
      rows.endedPushes[session.feedRow] = session.row
    }
    return Receipt(.recorded, feed: feeds?.count == 1 ? feeds?.first : nil, count: sessions.count)
  }

  /// The count that a command prints; a library owner keeps its own in memory.
  private func shownCount(of feedRow: Int64) throws -> Int? {
    guard isCommand else { return nil }
    return try Int.fetchOne(
      database,
      sql: "SELECT count(*) FROM session WHERE state = 0 AND feed = ? AND is_anonymous = 1",
      arguments: [feedRow])
  }
}

// MARK: - Dates, acknowledgements, the end

extension EventApplier {
  private mutating func adopt(_ feed: Feed, _ date: Int64) throws -> Receipt {
    let row = try rows.feedRow(feed, in: database)
    try dates.write(to: database)
    try database.execute(
      sql: """
        UPDATE feed SET last_updated = ?, is_adopted = 1
        WHERE id = ? AND (last_updated IS NULL OR is_adopted = 1)
        """,
      arguments: [date, row])
    return Receipt(database.changesCount > 0 ? .recorded : .nothing, feed: feed)
  }

  private mutating func acknowledge(
    _ ids: [SessionID]?, by: String, note: String?, _ event: LoadEvent
  ) throws -> Receipt {
    // Loads of dead owners are unbalanced once their verdict is durable.
    try flushChanges()
    try judge()
    let acknowledgement = Acknowledgement(at: event.at.wall, by: by, note: note)
    let unacknowledged = try rules.unacknowledged()
    let wanted = ids.map(Set.init)
    var count = 0
    for id in unacknowledged where wanted?.contains(id) ?? true {
      if try rules.acknowledge(id, acknowledgement) == true { count += 1 }
    }
    return Receipt(.recorded, count: count)
  }

  /// Changes the expectation of a feed or pattern. A feed that is expected by name is known from then on.
  private mutating func change(_ pattern: FeedPattern, _ event: LoadEvent) throws -> Receipt {
    let expected = ExpectedRows(database)
    let before = try expected.line(of: pattern).map(expected.read)
    let after = event.kind.expectation(changing: before, at: event.at.wall)
    if let after {
      if !pattern.isGlob { try rows.addExpectedFeed(Feed(pattern.text), in: database) }
      try expected.set(after)
    } else if before != nil {
      try expected.remove(pattern)
    }
    return Receipt(before == nil && after == nil ? .nothing : .recorded)
  }

  private mutating func closeOwner(_ event: LoadEvent) throws -> Receipt {
    guard !isCommand else { return Receipt(.nothing) }
    let sessions = try StoredSession.fetchAll(in: database, where: "state = 0 AND owner = ?", ownerRow)
    for session in sessions {
      _ = try conclude(session, .cancelled, reason: "quit", at: event.at)
    }
    try database.execute(
      sql: "UPDATE owner SET closed_at = ? WHERE id = ?", arguments: [event.at.wall, ownerRow])
    return Receipt(.recorded, count: sessions.count)
  }
}

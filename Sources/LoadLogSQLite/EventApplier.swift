import Foundation
import GRDB
import LoadLogCore

/// Applies the events of one owner to the record, inside one transaction, by the rules of states.
struct EventApplier {
  var scope: WriteScope
  let database: Database
  let owner: StoreOwner
  let ownerRow: Int64
  private let lastEvent: Int64
  private let judge: () throws -> Void
  /// Whether boot-clock readings of this owner can be subtracted from each other.
  private let hasBootClock: Bool
  /// What runs with nearly every event.
  private var insertion: RawStatement?
  private var conclusion: RawStatement?
  /// The session that started last in this transaction; no other comes after it.
  private(set) var lastStarted: Int64?
  var dates = FeedDateChanges()
  var summaries = SummaryChanges()

  /// A command-line owner pops and resets what anybody pushed; a library owner only its own.
  var popsAnybodys: Bool { owner.kind != .library }

  /// Starts the work of a transaction.
  ///
  /// - Parameter judge: makes the verdicts on dead owners durable.
  init(
    _ database: Database, owner: StoreOwner, scope: WriteScope, judge: @escaping () throws -> Void
  ) throws {
    self.database = database
    self.owner = owner
    self.scope = scope
    self.judge = judge
    hasBootClock = owner.process.sharesBootClock(with: owner.process)
    try self.scope.refresh(database)
    let registered = try scope.registered ?? OwnerRow.register(owner, in: database)
    (ownerRow, lastEvent) = registered
    self.scope.registered = registered
    self.scope.owners[ownerRow] = owner.process
  }

  /// Applies the events in their order and tells what became of each.
  mutating func apply(_ events: [NumberedEvent], dropped: Int) throws -> [Receipt] {
    var receipts: [Receipt] = []
    receipts.reserveCapacity(events.count)
    for item in events {
      // Owners without a number of their own are shared by processes; what they send is never tried twice.
      let isRepeated = owner.kind == .library && item.number <= lastEvent
      receipts.append(isRepeated ? Receipt(.repeated) : try apply(item.event))
    }
    try summaries.write(to: database, &scope.summaries)
    if let last = events.last { try writeDates(through: last, dropped: dropped) }
    return receipts
  }

  /// Writes the feeds' dates, and that the owner has committed through its last event.
  private mutating func writeDates(through last: NumberedEvent, dropped: Int) throws {
    let commit = OwnerCommit(event: last.number, at: last.event.at)
    // A batch that had been committed after all brought its dropped events along.
    let isNew = owner.kind != .library || last.number > lastEvent
    let newlyDropped = isNew ? dropped : 0
    let carrier =
      owner.kind == .library && newlyDropped == 0
      ? try scope.carriers.choose(among: dates.feeds, for: ownerRow, in: database) : nil
    try dates.write(to: database, carrying: commit, in: carrier)
    if carrier == nil {
      try commit.write(ownerRow, dropped: newlyDropped, in: database)
      scope.carriers.noteOwnRow()
    }
    scope.registered?.lastEvent = max(lastEvent, last.number)
  }

  private mutating func apply(_ event: LoadEvent) throws -> Receipt {
    switch event.kind {
    case .start(let id, let feed, let message, let tag):
      try start(id, feed, message: message, tag: tag, isAnonymous: false, event)
    case .push(let feed):
      try start(
        SessionID(milliseconds: event.at.wall / 1000), feed, message: nil, tag: nil, isAnonymous: true, event)
    case .finish(let id, let verdict): try finish(id, verdict, event)
    case .pop(let feed, let verdict): try pop(feed, verdict, event)
    case .extraPop(let feed, let verdict): try extraPop(feed, verdict, event)
    case .reset(let feeds): try reset(feeds, event)
    case .abandon(let id, let reason): try abandon(id, reason, event)
    case .update(let id, let message): try update(id, message: message)
    case .shown(let id, let feed, let visible, let suppressed):
      try shown(id, feed, visible: visible, suppressed: suppressed)
    case .adopt(let feed, let date): try adopt(feed, date)
    case .acknowledge(let ids, let by, let note): try acknowledge(ids, by: by, note: note, event)
    case .close: try closeOwner(event)
    }
  }
}

// MARK: - Tokens and ids

extension EventApplier {
  private mutating func start(
    _ id: SessionID, _ feed: Feed, message: String?, tag: String?, isAnonymous: Bool, _ event: LoadEvent
  ) throws -> Receipt {
    // A known id must not leave a new feed behind.
    if try scope.knownFeedRow(feed, in: database) == nil, try OpenSession.fetch(id, in: database) != nil {
      return Receipt(.known, feed: feed)
    }
    let feedRow = try scope.feedRow(feed, in: database)
    let statement = try RawStatement.kept(
      &insertion, database,
      """
      INSERT INTO session (
        id, feed, owner, is_anonymous, started_at, started_boot, message, tag, call_site, is_new)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (id) DO NOTHING
      """)
    let callSite = try scope.row(of: event.callSite, in: database)
    statement.bind(1, id)
    statement.bind(2, feedRow)
    statement.bind(3, ownerRow)
    statement.bind(4, isAnonymous ? 1 : 0)
    statement.bind(5, event.at.wall)
    statement.bind(6, event.at.boot)
    statement.bind(7, try scope.textRow(TextLimit.cut(message), in: database))
    statement.bind(8, try scope.textRow(TextLimit.cut(tag, to: TextLimit.tag), in: database))
    statement.bind(9, callSite)
    guard try statement.run() > 0 else { return Receipt(.known, feed: feed) }
    let row = statement.lastInsertedRow
    lastStarted = row
    let session = OpenSession(
      row: row, feedRow: feedRow, ownerRow: ownerRow, state: .running,
      started: event.at, isAnonymous: isAnonymous, callSite: callSite, duration: nil)
    dates[feedRow].lastAttempted = event.at.wall
    if !isAnonymous {
      if try scope.mayHaveOrphans(in: database), let receipt = try joinOrphan(of: id, to: session, feed) {
        return receipt
      }
      scope.remember(session, id)
    }
    return Receipt(.recorded, feed: feed, count: isAnonymous ? try shownCount(of: feedRow) : nil)
  }

  private mutating func finish(_ id: SessionID, _ verdict: Verdict, _ event: LoadEvent) throws -> Receipt {
    guard let session = try scope.session(id, in: database) else {
      try addUnmatched(.orphanFinish, feedRow: nil, session: id, verdict, event)
      return Receipt(.unmatched(.orphanFinish))
    }
    let feed = try scope.feed(session.feedRow, in: database)
    guard !session.state.isFinished else {
      try addUnmatched(.duplicateFinish, feedRow: session.feedRow, session: id, verdict, event)
      return Receipt(.unmatched(.duplicateFinish), feed: feed)
    }
    return try conclude(
      session, verdict.state, reason: scope.textRow(TextLimit.cut(verdict.reason), in: database),
      at: event.at, by: ownerRow, feed)
  }

  /// A finish that came before its start is withdrawn and becomes the session's verdict; further ones turn
  /// out to have been duplicates.
  private mutating func joinOrphan(
    of id: SessionID, to session: OpenSession, _ feed: Feed
  ) throws -> Receipt? {
    // Duplicates may be left of a load of that id which was pruned; they stay what they are.
    let exists = try RawStatement(database, "SELECT 1 FROM unmatched WHERE session = ? AND kind = ?")
    exists.bind(1, id)
    exists.bind(2, UnmatchedKind.orphanFinish.code)
    guard try exists.first({ _ in true }) != nil else { return nil }
    let statement = try database.cachedStatement(
      sql: """
        SELECT seq, unmatched.state, reason, owner, unmatched.at, at_boot, unmatched.id, call_site,
          acknowledgement.id IS NOT NULL
        FROM unmatched LEFT JOIN acknowledgement ON acknowledgement.id = unmatched.id
        WHERE session = ? AND kind = ? ORDER BY seq
        """)
    let orphans = try Row.fetchAll(statement, arguments: [id.data, UnmatchedKind.orphanFinish.code])
    guard let orphan = orphans.first else { return nil }
    for (index, row) in orphans.enumerated() {
      try recount(row, as: index == 0 ? nil : .duplicateFinish, of: session.feedRow)
    }
    try database.cachedStatement(sql: "DELETE FROM unmatched WHERE seq = ?")
      .execute(arguments: [try orphan.at(0) as Int64])
    try database.cachedStatement(sql: "DELETE FROM acknowledgement WHERE id = ?")
      .execute(arguments: [try orphan.at(6) as Data])
    try database.cachedStatement(sql: "UPDATE unmatched SET kind = ?, feed = ? WHERE session = ?")
      .execute(arguments: [UnmatchedKind.duplicateFinish.code, session.feedRow, id.data])
    return try conclude(
      session, SessionState(code: try orphan.at(1)) ?? .ended, reason: try orphan.at(2),
      at: LoadInstant(wall: try orphan.at(4), boot: try orphan.at(5)), by: orphan.at(3), feed)
  }

  /// An orphan is none any more: it went, or is something else.
  private mutating func recount(_ row: Row, as kind: UnmatchedKind?, of feed: Int64) throws {
    let callSite: Int64 = try row.at(7) ?? 0
    func change(_ count: Int, _ kind: UnmatchedKind, _ feed: Int64) throws {
      summaries.addImbalance(
        count, ImbalanceSite(feed: feed, kind: .unmatchedFinish(kind), callSite: callSite, isLikely: false),
        at: try row.at(4), isAcknowledged: try row.at(8))
    }
    try change(-1, .orphanFinish, 0)
    if let kind { try change(1, kind, feed) }
  }

  /// Gives a session its verdict.
  ///
  /// - Parameter finisher: the owner that gives it.
  mutating func conclude(
    _ session: OpenSession, _ state: SessionState, reason: Int64?, at end: LoadInstant,
    by finisher: Int64, _ feed: Feed
  ) throws -> Receipt {
    let timing = SessionTiming(
      from: session.started, to: end, sameBootClock: try shareBootClock(session.ownerRow, finisher))
    let isLate = session.state.isUnfinishedStart
    let statement = try RawStatement.kept(
      &conclusion, database,
      """
      UPDATE session SET state = ?, is_late = ?, duration = ?, wall_drift = ?, is_wall = ?, reason = ?
      WHERE seq = ?
      """)
    // A session that was abandoned has a lower bound for its duration, even where two clocks tell none.
    let duration = state.isUnfinishedStart ? timing.duration ?? 0 : timing.duration
    statement.bind(1, state.code)
    statement.bind(2, isLate ? 1 : 0)
    statement.bind(3, duration)
    statement.bind(4, timing.wallDrift)
    statement.bind(5, timing.isWall ? 1 : 0)
    statement.bind(6, reason)
    statement.bind(7, session.row)
    try statement.run()
    dates[session.feedRow].note(state, at: end.wall, reason: reason)
    try summaries.addVerdict(state, duration, to: session, scope.marks(in: database), in: database)
    return Receipt(.finished(state, late: isLate), feed: feed, duration: timing.duration)
  }

  private mutating func abandon(
    _ id: SessionID, _ reason: AbandonReason, _ event: LoadEvent
  ) throws -> Receipt {
    guard let session = try scope.session(id, in: database), session.state == .running else {
      return Receipt(.nothing)
    }
    return try abandon(session, reason, at: event.at)
  }

  mutating func abandon(
    _ session: OpenSession, _ reason: AbandonReason, at end: LoadInstant
  ) throws -> Receipt {
    try conclude(
      session, .abandoned, reason: scope.textRow(reason.rawValue, in: database), at: end,
      by: ownerRow, scope.feed(session.feedRow, in: database))
  }

  private mutating func update(_ id: SessionID, message: String?) throws -> Receipt {
    let statement = try database.cachedStatement(
      sql: "UPDATE session SET message = ? WHERE id = ? AND state = 0")
    try statement.execute(arguments: [
      try scope.textRow(TextLimit.cut(message), in: database), id.data,
    ])
    return Receipt(database.changesCount > 0 ? .recorded : .nothing)
  }

  mutating func addUnmatched(
    _ kind: UnmatchedKind, feedRow: Int64?, session: SessionID?, _ verdict: Verdict, _ event: LoadEvent
  ) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO unmatched (id, kind, feed, session, owner, at, at_boot, state, reason, call_site)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    let callSite = try scope.row(of: event.callSite, in: database)
    try statement.execute(arguments: [
      SessionID(milliseconds: event.at.wall / 1000).data, kind.code, feedRow, session?.data, ownerRow,
      event.at.wall, event.at.boot, verdict.state.code,
      try scope.textRow(TextLimit.cut(verdict.reason), in: database), callSite,
    ])
    if session != nil { scope.noteOrphan() }
    let site = ImbalanceSite(
      feed: feedRow ?? 0, kind: .unmatchedFinish(kind), callSite: callSite ?? 0, isLikely: false)
    summaries.addImbalance(1, site, at: event.at.wall, isAcknowledged: false)
  }

  /// Whether boot-clock readings of two owners can be subtracted.
  private mutating func shareBootClock(_ starter: Int64, _ finisher: Int64) throws -> Bool {
    if starter == ownerRow, finisher == ownerRow { return hasBootClock }
    return try process(ofOwner: starter).sharesBootClock(with: process(ofOwner: finisher))
  }

  private mutating func process(ofOwner row: Int64) throws -> ProcessIdentity {
    if let known = scope.owners[row] { return known }
    guard let process = try OwnerRow.fetch(row, in: database)?.owner.process else { return owner.process }
    if scope.owners.count > 1000 { scope.owners = [ownerRow: owner.process] }
    scope.owners[row] = process
    return process
  }
}

// MARK: - Dates, acknowledgements, the end

extension EventApplier {
  private mutating func adopt(_ feed: Feed, _ date: Int64) throws -> Receipt {
    let row = try scope.feedRow(feed, in: database)
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
    try judge()
    scope.forgetRows()
    try scope.count(database)
    let rows = try ids.map { try Array(Set($0)).flatMap { try unacknowledged($0) } } ?? unacknowledged(nil)
    let insert = try database.cachedStatement(
      sql: "INSERT INTO acknowledgement (id, at, by, note) VALUES (?, ?, ?, ?)")
    for row in rows {
      try insert.execute(arguments: [
        try row.at(0) as Data, event.at.wall, TextLimit.cut(by), TextLimit.cut(note),
      ])
      guard let kind = Imbalance.Kind(siteCode: try row.at(1)) else { continue }
      let site = ImbalanceSite(
        feed: try row.at(2) ?? 0, kind: kind, callSite: try row.at(4) ?? 0, isLikely: try row.at(5))
      summaries.acknowledge(site, at: try row.at(3))
    }
    return Receipt(.recorded, count: rows.count)
  }

  /// What is unbalanced and not acknowledged: all of it, or what has an id.
  private func unacknowledged(_ id: SessionID?) throws -> [Row] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM (
          SELECT id, state, feed, started_at, call_site, is_anonymous FROM session WHERE state >= 6
          UNION ALL SELECT id, kind + \(Imbalance.Kind.firstUnmatched), feed, at, call_site, 0 FROM unmatched)
        WHERE id NOT IN (SELECT id FROM acknowledgement) \(id == nil ? "" : "AND id = ?")
        """)
    return try Row.fetchAll(statement, arguments: id.map { [$0.data] } ?? [])
  }

  private mutating func closeOwner(_ event: LoadEvent) throws -> Receipt {
    guard owner.kind == .library else { return Receipt(.nothing) }
    scope.forgetRows()
    let quit = try scope.textRow("quit", in: database)
    let sessions = try OpenSession.fetchAll(
      in: database, where: "\(NewSessions.running) AND owner = ?", ownerRow)
    for session in sessions {
      _ = try conclude(
        session, .cancelled, reason: quit, at: event.at, by: ownerRow,
        scope.feed(session.feedRow, in: database))
    }
    try database.execute(
      sql: "UPDATE owner SET closed_at = ? WHERE id = ?", arguments: [event.at.wall, ownerRow])
    return Receipt(.recorded, count: sessions.count)
  }
}

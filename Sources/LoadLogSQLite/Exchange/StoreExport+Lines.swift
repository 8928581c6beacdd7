import Foundation
import GRDB
public import LoadLogCore

extension StoreExport {
  /// Returns the next lines, or nil at the end. Blocks the thread.
  ///
  /// The order is: feeds; expectations; loads in the order of their commits, each a start directly followed by its finish
  /// if it has one, and by its kept output if that is wanted; unmatched finishes; sealed days; flips. An owner comes before the
  /// first line that names it, and
  /// an acknowledgement after the line that it refers to.
  ///
  /// Lines contain stored states. A load whose owner is dead is exported as running until a writer makes the
  /// verdict durable. A record on the same machine that imports it usually infers the same verdict; any other shows it as
  /// unknown.
  ///
  /// - Throws: what reading the store throws.
  public func nextLines() throws(LoadLogError) -> [RecordLine]? {
    while stage != .end {
      let lines: [RecordLine]? =
        switch stage {
        case .feeds: try page { try self.feeds($0.database) }
        case .expectations: try page { try self.expectations($0.database) }
        case .sessions: try page { try self.sessions($0.database) }
        case .unmatched: try page { try self.unmatched($0.database) }
        case .sealedDays: try page { try self.sealedDays($0) }
        case .flips: try page { try self.flips($0.database) }
        case .end: nil
        }
      guard let lines else { next(Stage(rawValue: stage.rawValue + 1) ?? .end); continue }
      if !lines.isEmpty { return lines }
    }
    return nil
  }
}

// MARK: - Feeds and owners

extension StoreExport {
  private enum FeedColumn: Int32, ColumnList { case id, name, isAdopted, overlaps, prunedFailures }

  private func feeds(_ database: Database) throws -> [RecordLine]? {
    let rows = try RawStatement(
      database,
      """
      SELECT \(FeedColumn.list(of: "feed")), \(FeedDates.columns)
      FROM \(FeedDates.source) WHERE feed.id > ? AND \(FeedDates.known) ORDER BY feed.id LIMIT ?
      """, cursor.position, Self.pageSize)
    let before = cursor.position
    var lines: [RecordLine] = []
    try rows.forEach { row in
      cursor.position = try row.number(FeedColumn.id)
      guard limits.feeds?.contains(cursor.position) ?? true else { return }
      var line = FeedLine(feed: Feed(try row.text(FeedColumn.name) ?? ""))
      line.isAdopted = try row.flag(FeedColumn.isAdopted)
      line.overlaps = try row.number(FeedColumn.overlaps)
      line.prunedFailures = try row.number(FeedColumn.prunedFailures)
      line.dates = try FeedDates(row, from: FeedColumn.columnCount)
      lines.append(.feed(line))
    }
    return cursor.position == before ? nil : lines
  }

  /// All expectations at once: they are few, because people set them.
  private func expectations(_ database: Database) throws -> [RecordLine]? {
    guard cursor.position == 0 else { return nil }
    cursor.position = 1
    let lines = try ExpectedRows(database).lines()
    return lines.filter { limits.feeds == nil || filter.admits(Feed($0.pattern)) }.map { .expectation($0) }
  }

  /// The next flips, in their order.
  private func flips(_ database: Database) throws -> [RecordLine]? {
    let page = try FlipRows(database).lines(after: cursor.position, limit: Int(Self.pageSize))
    guard let last = page.last else { return nil }
    cursor.position = last.number
    return page.map(\.line).filter { filter.admits($0.flip.feed) && filter.contains($0.flip.at) }.map {
      .flip($0)
    }
  }

  /// Returns the uid of an owner, and appends the owner's line if it has not been exported.
  private func uid(ofOwner row: Int64, _ lines: inout [RecordLine], _ database: Database) throws -> String {
    if let known = cursor.uids[row] { return known }
    let line = OwnerLine(try OwnerRow.required(row, in: database))
    if cursor.uids.count >= Self.mostOwners { cursor.uids = [:] }
    cursor.uids[row] = line.uid
    // A uid dropped from the cache is fetched again, but each owner is exported only once.
    if let index = Int(exactly: row), cursor.describedOwners.insert(index).inserted {
      lines.append(.owner(line))
    }
    return line.uid
  }
}

extension OwnerLine {
  fileprivate init(_ row: OwnerRow) {
    let (owner, process) = (row.record.owner, row.record.owner.process)
    self.init(uid: row.uid.description.replacing("-", with: ""), kind: owner.kind.rawValue)
    machineID = process.machineID
    bootID = process.bootID
    pid = Int64(process.pid)
    startTicks = process.startTicks
    pidNamespace = process.pidNamespace
    timeNamespace = process.timeNamespace
    lockName = owner.lock?.name
    lockInode = owner.lock?.inode
    host = owner.host
    app = owner.app
    openedAt = row.record.opened.wall
    openedBoot = row.record.opened.boot
    lastEvent = row.lastEvent
    lastCommitAt = row.record.lastCommit.wall
    lastCommitBoot = row.record.lastCommit.boot
    closedAt = row.record.closed
    verdict = row.verdict?.rawValue
    evidence = row.evidence
    dropped = Int64(row.record.dropped)
  }
}

// MARK: - Loads

extension StoreExport {
  /// The columns that follow ``StoredSession/columns``.
  private enum SessionColumn: Int32, CaseIterable {
    case id, feedName, message, tag, reason, visible, suppressed, acknowledgement

    var position: Int32 { StoredSession.Column.columnCount + rawValue }
  }

  private func sessions(_ database: Database) throws -> [RecordLine]? {
    guard let page = try nextPage(in: database) else { return nil }
    let statement = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns), session.id, feed.name, session.message, session.tag, session.reason,
        visibility.visible, visibility.suppressed, \(Acknowledgement.columns)
      FROM session
      JOIN feed ON feed.id = session.feed
      LEFT JOIN visibility ON visibility.session = session.seq
      \(Acknowledgement.join("session"))
      WHERE session.seq BETWEEN ? AND ? \(condition(feed: "session.feed", at: "session.started_at"))
      ORDER BY session.seq
      """, page.lowerBound, page.upperBound)
    var lines: [RecordLine] = []
    lines.reserveCapacity(2 * Int(Self.pageSize))
    var outputBytes = 0
    try statement.forEach { row in
      guard outputBytes < Self.outputSize else { return }
      let session = try StoredSession(row)
      guard let id = try row.id(SessionColumn.id.position) else {
        throw DatabaseError.damage("a session has no id")
      }
      func text(_ column: SessionColumn) throws -> String? {
        try cursor.texts.text(try row.integer(column.position), in: database)
      }
      let feed = Feed(try row.text(SessionColumn.feedName.position) ?? "")
      var start = StartLine(at: session.started.wall, feed: feed, id: id)
      start.message = try text(.message)
      start.tag = try text(.tag)
      start.callSite = try cursor.texts.text(session.callSite, in: database)
      start.isAnonymous = session.isAnonymous
      start.owner = try uid(ofOwner: session.ownerRow, &lines, database)
      // Only a later finish needs the boot clock.
      if !session.state.isFinished { start.boot = session.started.boot }
      let run = try RunFacts.fetch(of: session.row, in: database)
      if session.state == .running { start.attempt = run.map { Int64($0.attempt) } }
      lines.append(.start(start))
      if session.state != .running {
        var finish = FinishLine(session, id)
        finish.reason = try text(.reason)
        finish.visible = try row.integer(SessionColumn.visible.position)
        finish.suppressed = try row.integer(SessionColumn.suppressed.position)
        finish.isForgiven = try session.isAnonymous && isForgiven(finish, session, database)
        finish.run = run
        lines.append(.finish(finish))
      }
      let output = try outputLines(session, id, in: database)
      lines += output.map { .output($0) }
      outputBytes += output.reduce(0) { $0 + $1.bytes.count }
      if let acknowledgement = try Acknowledgement(row, from: SessionColumn.acknowledgement.position) {
        lines.append(.acknowledged(AcknowledgedLine(id: id, acknowledgement: acknowledgement)))
      }
      if outputBytes >= Self.outputSize { cursor.position = session.row }
    }
    return lines
  }

  /// Whether to export a reset push as forgiven.
  ///
  /// A reset forgives one pop for each push that it ends. The record keeps only the number of forgiven pops
  /// that have not arrived, so that many of the owner's first reset pushes are exported as forgiven.
  private func isForgiven(
    _ finish: FinishLine, _ session: StoredSession, _ database: Database
  ) throws -> Bool {
    guard finish.verdict == .abandoned, finish.reason == AbandonReason.reset.rawValue else { return false }
    let statement = try RawStatement(
      database, "SELECT pops FROM reset_credit WHERE feed = ? AND owner = ?", session.feedRow,
      session.ownerRow)
    let pushes = Pushes(feed: session.feedRow, owner: session.ownerRow)
    guard let pops = try statement.first({ try $0.number(0) }), pops > cursor.forgiven[pushes, default: 0]
    else { return false }
    cursor.forgiven[pushes, default: 0] += 1
    return true
  }
}

extension FinishLine {
  fileprivate init(_ session: StoredSession, _ id: SessionID) {
    self.init(at: session.finishedAt, id: id, verdict: session.state)
    duration = session.duration
    isDurationUnknown = session.duration == nil
    isUnseen = session.wallDrift == nil
    isFinishedAfterVerdict = session.isFinishedAfterVerdict
    durationSource = session.durationSource
  }
}

// MARK: - Unmatched finishes

extension StoreExport {
  private enum UnmatchedColumn: Int32, ColumnList {
    case id, kind, session, owner, at, atBoot, state, reason, callSite
  }

  private func unmatched(_ database: Database) throws -> [RecordLine]? {
    guard let page = try nextPage(in: database) else { return nil }
    let statement = try RawStatement(
      database,
      """
      SELECT \(UnmatchedColumn.list(of: "unmatched")), feed.name, \(Acknowledgement.columns)
      FROM unmatched
      LEFT JOIN feed ON feed.id = unmatched.feed
      \(Acknowledgement.join("unmatched"))
      WHERE unmatched.seq BETWEEN ? AND ? AND kind <> \(UnmatchedKind.withdrawn.code)
        \(condition(feed: "unmatched.feed", at: "unmatched.at"))
      ORDER BY unmatched.seq
      """, page.lowerBound, page.upperBound)
    var lines: [RecordLine] = []
    try statement.forEach { row in
      guard let id = try row.id(UnmatchedColumn.id),
        let kind = UnmatchedKind(code: try row.number(UnmatchedColumn.kind))
      else {
        throw DatabaseError.damage("an unmatched finish has an unknown kind")
      }
      var line = UnmatchedLine(
        id: id, kind: kind, at: try row.number(UnmatchedColumn.at),
        verdict: try row.state(UnmatchedColumn.state.rawValue))
      line.feed = try row.text(UnmatchedColumn.columnCount).map { Feed($0) }
      line.session = try row.id(UnmatchedColumn.session)
      line.reason = try cursor.texts.text(try row.integer(UnmatchedColumn.reason), in: database)
      line.callSite = try cursor.texts.text(try row.integer(UnmatchedColumn.callSite), in: database)
      line.owner = try uid(ofOwner: try row.number(UnmatchedColumn.owner), &lines, database)
      // Only an orphan can still be joined to a start.
      if kind == .orphanFinish { line.boot = try row.number(UnmatchedColumn.atBoot) }
      lines.append(.unmatched(line))
      if let acknowledgement = try Acknowledgement(row, from: UnmatchedColumn.columnCount + 1) {
        lines.append(.acknowledged(AcknowledgedLine(id: id, acknowledgement: acknowledgement)))
      }
    }
    return lines
  }
}

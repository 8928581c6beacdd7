import Foundation
import GRDB
public import LoadLogCore

extension StoreExport {
  /// The next lines: feeds; then each load in the order of its commit as a start and, once it is over, a finish right
  /// behind it; then unmatched finishes, and days on which loads were pruned. An owner stands before the first that names it, what somebody has seen behind
  /// what they have seen. Nil at the end.
  ///
  /// Lines say what the record says: a load whose owner is lost runs on until somebody makes that verdict durable. The
  /// record that imports it comes to the same verdict.
  ///
  /// - Throws: what reading the store throws.
  public func nextLines() throws(LoadLogError) -> [RecordLine]? {
    while true {
      let lines: [RecordLine]? =
        switch stage {
        case .feeds: try reader.read { try self.feeds($0.database) }
        case .sessions: try reader.read { try self.sessions($0.database) }
        case .unmatched: try reader.read { try self.unmatched($0.database) }
        case .sealedDays: try reader.read { try self.sealedDays($0) }
        case .end: nil
        }
      if let lines, !lines.isEmpty { return lines }
      guard lines == nil else { continue }
      switch stage {
      case .feeds: next(.sessions)
      case .sessions: next(.unmatched)
      case .unmatched: next(.sealedDays)
      case .sealedDays: next(.end)
      case .end: return nil
      }
    }
  }
}

// MARK: - Feeds and owners

extension StoreExport {
  private func feeds(_ database: Database) throws -> [RecordLine]? {
    let rows = try RawStatement(
      database,
      """
      SELECT feed.id, feed.name, feed.is_adopted, feed.pops_after_reset, \(FeedDates.columns)
      FROM \(FeedDates.source) WHERE feed.id > ? ORDER BY feed.id LIMIT ?
      """)
    rows.bind(1, position)
    rows.bind(2, Int64(Self.pageSize))
    let before = position
    var lines: [RecordLine] = []
    try rows.forEach { row in
      position = try row.number(0)
      guard limits.feeds?.contains(position) ?? true else { return }
      var line = FeedLine(feed: Feed(try row.text(1) ?? ""))
      line.isAdopted = try row.number(2) != 0
      line.popsAfterReset = try row.number(3)
      line.dates = try FeedDates(row, from: 4)
      lines.append(.feed(line))
    }
    return position == before ? nil : lines
  }

  /// The uid of an owner. If no line has described it yet, that line is appended.
  private func uid(ofOwner row: Int64, _ lines: inout [RecordLine], _ database: Database) throws -> String {
    if let known = uids[row] { return known }
    let found = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT hex(uid), kind, machine_id, boot_id, pid, start_ticks, pid_namespace, time_namespace, lock_name,
            lock_inode, host, app, opened_at, opened_boot, last_event, last_commit_at, last_commit_boot, closed_at,
            state.name, evidence, dropped
          FROM owner LEFT JOIN state ON state.code = owner.verdict WHERE id = ?
          """),
      arguments: [row])
    guard let found else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a session's owner is missing")
    }
    var owner = OwnerLine(uid: (try found.at(0) as String).lowercased(), kind: try found.at(1))
    owner.machineID = try found.at(2)
    owner.bootID = try found.at(3)
    owner.pid = try found.at(4)
    owner.startTicks = try found.at(5)
    owner.pidNamespace = try found.at(6)
    owner.timeNamespace = try found.at(7)
    owner.lockName = try found.at(8)
    owner.lockInode = try found.at(9)
    owner.host = try found.at(10)
    owner.app = try found.at(11)
    owner.openedAt = try found.at(12)
    owner.openedBoot = try found.at(13)
    let commit = try OwnerRow.commit(found, 14).newer(of: row, in: database)
    owner.lastEvent = commit.event
    owner.lastCommitAt = commit.at.wall
    owner.lastCommitBoot = commit.at.boot
    owner.closedAt = try found.at(17)
    owner.verdict = try found.at(18)
    owner.evidence = try found.at(19)
    owner.dropped = try found.at(20)
    if uids.count >= Self.mostOwners { uids = [:] }
    uids[row] = owner.uid
    // Forgotten uids are looked up again, but described only once.
    if let index = Int(exactly: row), describedOwners.insert(index).inserted { lines.append(.owner(owner)) }
    return owner.uid
  }
}

// MARK: - Loads

extension StoreExport {
  private func sessions(_ database: Database) throws -> [RecordLine]? {
    guard let page = try nextPage(in: database) else { return nil }
    let statement = try RawStatement(
      database,
      """
      SELECT s.id, feed.name, s.owner, s.state, s.is_anonymous, s.is_late, s.started_at, s.started_boot, s.duration,
        s.wall_drift, s.is_wall, s.message, s.tag, s.call_site, s.reason, visibility.visible, visibility.suppressed,
        acknowledgement.at, acknowledgement.by, acknowledgement.note, s.feed
      FROM session AS s
      JOIN feed ON feed.id = s.feed
      LEFT JOIN visibility ON visibility.session = s.seq
      LEFT JOIN acknowledgement ON acknowledgement.id = s.id
      WHERE s.seq BETWEEN ? AND ? \(condition(feed: "s.feed", at: "s.started_at")) ORDER BY s.seq
      """)
    statement.bind(1, page.lowerBound)
    statement.bind(2, page.upperBound)
    var lines: [RecordLine] = []
    lines.reserveCapacity(2 * Int(Self.pageSize))
    try statement.forEach { row in
      guard let id = try row.id(0), let state = SessionState(code: try row.number(3)) else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a session has an unknown state")
      }
      var start = StartLine(at: try row.number(6), feed: Feed(try row.text(1) ?? ""), id: id)
      start.message = try texts.text(try row.integer(11), in: database)
      start.tag = try texts.text(try row.integer(12), in: database)
      start.callSite = try texts.text(try row.integer(13), in: database)
      start.isAnonymous = try row.number(4) != 0
      start.owner = try uid(ofOwner: try row.number(2), &lines, database)
      // Of what has finished nobody asks any more when it started on which boot.
      if !state.isFinished { start.boot = try row.number(7) }
      lines.append(.start(start))
      if state != .running {
        var finish = try finish(row, id, state, start.at, database)
        finish.isForgiven =
          try start.isAnonymous && isForgiven(finish, row.number(20), row.number(2), database)
        lines.append(.finish(finish))
      }
      if let at = try row.integer(17) {
        lines.append(.acknowledged(AcknowledgedLine(id: id, acknowledgement: try seen(row, at, from: 18))))
      }
    }
    return lines
  }

  private func finish(
    _ row: RawStatement, _ id: SessionID, _ state: SessionState, _ started: Int64, _ database: Database
  ) throws -> FinishLine {
    let (duration, drift) = (try row.integer(8), try row.integer(9))
    let end = started.addingClamping((duration ?? 0) / 1000).addingClamping(drift ?? 0)
    var finish = FinishLine(at: end, id: id, verdict: state)
    finish.reason = try texts.text(try row.integer(14), in: database)
    finish.duration = duration
    finish.isDurationUnknown = duration == nil
    finish.isUnseen = drift == nil
    finish.isLate = try row.number(5) != 0
    finish.isWall = try row.number(10) != 0
    finish.visible = try row.integer(15)
    finish.suppressed = try row.integer(16)
    return finish
  }

  /// A reset forgives one pop for each push that it ended. Which of them it was for nobody can tell: the first ones of
  /// an owner stand for as many as have not come.
  private func isForgiven(
    _ finish: FinishLine, _ feed: Int64, _ owner: Int64, _ database: Database
  ) throws -> Bool {
    guard finish.verdict == .abandoned, finish.reason == AbandonReason.reset.rawValue else { return false }
    let statement = try RawStatement(database, "SELECT pops FROM reset_credit WHERE feed = ? AND owner = ?")
    statement.bind(1, feed)
    statement.bind(2, owner)
    let pushes = Pushes(feed: feed, owner: owner)
    guard let pops = try statement.first({ try $0.number(0) }), pops > forgiven[pushes, default: 0] else {
      return false
    }
    forgiven[pushes, default: 0] += 1
    return true
  }

  private func unmatched(_ database: Database) throws -> [RecordLine]? {
    guard let page = try nextPage(in: database) else { return nil }
    let statement = try RawStatement(
      database,
      """
      SELECT u.id, u.kind, feed.name, u.session, u.owner, u.at, u.at_boot, u.state, u.reason, u.call_site,
        acknowledgement.at, acknowledgement.by, acknowledgement.note
      FROM unmatched AS u
      LEFT JOIN feed ON feed.id = u.feed
      LEFT JOIN acknowledgement ON acknowledgement.id = u.id
      WHERE u.seq BETWEEN ? AND ? \(condition(feed: "u.feed", at: "u.at")) ORDER BY u.seq
      """)
    statement.bind(1, page.lowerBound)
    statement.bind(2, page.upperBound)
    var lines: [RecordLine] = []
    try statement.forEach { row in
      guard let id = try row.id(0), let kind = UnmatchedKind(code: try row.number(1)),
        let state = SessionState(code: try row.number(7))
      else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an unmatched finish is of no known kind")
      }
      var line = UnmatchedLine(id: id, kind: kind, at: try row.number(5), verdict: state)
      line.feed = try row.text(2).map { Feed($0) }
      line.session = try row.id(3)
      line.reason = try texts.text(try row.integer(8), in: database)
      line.callSite = try texts.text(try row.integer(9), in: database)
      line.owner = try uid(ofOwner: try row.number(4), &lines, database)
      // Only an orphan may still meet its start.
      if kind == .orphanFinish { line.boot = try row.number(6) }
      lines.append(.unmatched(line))
      if let at = try row.integer(10) {
        lines.append(.acknowledged(AcknowledgedLine(id: id, acknowledgement: try seen(row, at, from: 11))))
      }
    }
    return lines
  }

  private func seen(_ row: RawStatement, _ at: Int64, from column: Int32) throws -> Acknowledgement {
    Acknowledgement(at: at, by: try row.text(column) ?? "", note: try row.text(column + 1))
  }
}

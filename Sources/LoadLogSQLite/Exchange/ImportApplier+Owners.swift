import Foundation
import GRDB
import LoadLogCore

/// Owners, feeds and acknowledgements: lines that describe or refer to other lines.
extension ImportApplier {
  /// Returns the row of the owner that a line names, or the import's own owner if it names none.
  ///
  /// - Throws: `invalidInput` if no earlier line describes that owner.
  mutating func owner(_ uid: String?) throws -> Int64 {
    guard let uid else { return try importOwner() }
    if let known = scope.owners[uid] { return known.row }
    guard let name = SessionID(hexDigits: uid),
      let row = try Int64.fetchOne(
        database.cachedStatement(sql: "SELECT id FROM owner WHERE uid = ?"), arguments: [name.data])
    else {
      throw LoadLogError(.invalidInput, what: "owner", value: uid, why: "no earlier line describes it")
    }
    remember(row, uid, lastCommit: nil)
    return row
  }

  /// Returns the row of the owner of all items that name none. It is detached and has no boot id, so that the
  /// judge never declares it dead.
  mutating func importOwner() throws -> Int64 {
    if let row = scope.importOwner { return row }
    var hash = StableHash()
    hash.add(bytes: "owner of \(source)".utf8)
    switch scope.firstOwnerless {
    case .id(let id): hash.add(bytes: id.bytes)
    case .fields(let fields), .unique(let fields):
      hash.add(bytes: withUnsafeBytes(of: fields.value.bigEndian, Array.init))
    case nil: break
    }
    var line = OwnerLine(
      uid: hex(LoadIdentity.id(hash, occurrence: 0)), kind: Owner.Kind.detached.rawValue)
    line.app = "import \(source)"
    line.openedAt = now.wall
    line.lastCommitAt = now.wall
    let row = try register(line)
    scope.importOwner = row
    return row
  }

  /// Inserts an owner, or updates its row if an earlier import inserted it.
  mutating func apply(_ line: OwnerLine) throws {
    remember(try register(line), line.uid, lastCommit: line.lastCommitAt)
  }

  /// Whether the file is at least as new as the record is about the owner of a session.
  func isCurrent(_ uid: String?, about session: StoredSession) throws -> Bool {
    guard let described = uid.flatMap({ scope.owners[$0] })?.lastCommit else { return false }
    return try described >= OwnerRow.required(session.ownerRow, in: database).record.lastCommit.wall
  }

  /// Moves a feed's dates forward to those of a line. The feed's loads in the same file do not move them: the
  /// last success is the one committed last, and the times of loads do not show the order of commits.
  mutating func apply(_ line: FeedLine) throws {
    try Self.check(line.prunedFailures, line.overlaps, line.popsAfterReset)
    guard !line.isEmpty else {
      // An expectation may have made the feed.
      return try scope.rows.addExpectedFeed(line.feed.validated(), in: database)
    }
    let row = try feedRow(line.feed)
    scope.datedFeeds.insert(row)
    // An earlier import may have added rows of what was pruned since; they are counted as rows.
    let rows = try CountedFailure.count(
      CountedFailure.failed, index: "session_failed", of: row, after: line.dates.lastSuccessStarted ?? .min,
      in: database)
    dates.note(
      line.dates, isAdopted: line.isAdopted, of: row, failure: try text(line.dates.lastFailure),
      pruned: max(0, line.prunedFailures - Int64(rows)))
    if let date = line.dates.lastUpdated, line.isAdopted {
      // An earlier line may have a success of the feed.
      try dates.write(to: database)
      try database.execute(
        sql: """
          UPDATE feed SET last_updated = ?1, is_adopted = 1
          WHERE id = ?2 AND (last_updated IS NULL OR (is_adopted = 1 AND last_updated < ?1))
          """,
        arguments: [date, row])
    }
    if line.overlaps > 0 {
      try database.execute(
        sql: "UPDATE feed SET overlaps = max(overlaps, ?) WHERE id = ?", arguments: [line.overlaps, row])
    }
    if line.popsAfterReset > 0 {
      scope.result.skip(
        "pops after a reset: the file does not say when they happened", count: Int(line.popsAfterReset))
    }
  }

  /// Applies the acknowledgement of an imbalance.
  mutating func apply(_ line: AcknowledgedLine) throws {
    _ = try Self.checked(line.acknowledgement.at)
    guard let isNew = try rules.acknowledge(line.id, line.acknowledgement) else {
      if try scratch.isPassedOver(line.id) { return }
      throw LoadLogError(.invalidInput, what: "id", value: "\(line.id)", why: "no earlier line describes it")
    }
    count(\.acknowledgements, isNew: isNew)
  }

  /// Sets an expectation, unless the record has one for the same feed that was set later.
  mutating func apply(_ line: ExpectationLine) throws {
    let expected = try line.checked()
    for wall in [line.since, line.pausedAt, line.pausedUntil] { _ = try wall.map(Self.checked) }
    let rows = ExpectedRows(database)
    let known = try rows.line(of: expected.pattern)
    // Equal times: the same schedule. Nothing says which of two was paused, resumed or changed later; the one of an old
    // export must not be paused again.
    let isNews = known.map { $0.since < line.since } ?? true
    if isNews {
      if !expected.pattern.isGlob {
        try scope.rows.addExpectedFeed(Feed(expected.pattern.text), in: database)
      }
      try rows.set(line)
    }
    if let known, known.since == line.since, rows.read(known) != expected {
      return scope.result.skip(
        "expectations that differ from those of the store, but were set at the same time", count: 1)
    }
    count(\.expectations, isNew: isNews)
  }

  /// Adds a flip that the record does not have.
  mutating func apply(_ line: FlipLine) throws {
    for wall in [line.flip.at, line.flip.since, line.lastSuccess] { _ = try wall.map(Self.checked) }
    // A flip alone makes no feed known.
    try scope.rows.addExpectedFeed(line.flip.feed.validated(), in: database)
    let rows = FlipRows(database)
    let isNew = try !rows.contains(line.flip)
    if isNew { try rows.insert(line.flip, lastSuccess: line.lastSuccess) }
    count(\.flips, isNew: isNew)
  }

  private mutating func remember(_ row: Int64, _ uid: String, lastCommit: Int64?) {
    if scope.owners.count >= ImportScope.mostOwners { scope.owners = [:] }
    scope.owners[uid] = (row, lastCommit)
  }

  private func hex(_ id: SessionID) -> String { id.description.replacing("-", with: "") }

  private func register(_ line: OwnerLine) throws -> Int64 {
    guard let uid = SessionID(hexDigits: line.uid) else {
      throw LoadLogError(.invalidInput, what: "uid", value: line.uid, why: "it is not 32 hexadecimal digits")
    }
    guard let kind = Owner.Kind(rawValue: line.kind), let pid = Int32(exactly: line.pid) else {
      throw LoadLogError(.invalidInput, what: "owner", value: line.uid, why: "its kind or pid is invalid")
    }
    try Self.check(line.lastEvent, line.dropped)
    let verdict = line.verdict.flatMap(SessionState.init(rawValue:))?.code
    let evidence = TextLimit.cut(line.evidence)
    let update = try database.cachedStatement(
      sql: """
        UPDATE owner SET
          last_event = max(last_event, ?), last_commit_at = max(last_commit_at, ?),
          last_commit_boot = max(last_commit_boot, ?), closed_at = coalesce(closed_at, ?),
          verdict = coalesce(verdict, ?), evidence = coalesce(evidence, ?), dropped = max(dropped, ?)
        WHERE uid = ? RETURNING id
        """)
    let known = try Int64.fetchOne(
      update,
      arguments: [
        line.lastEvent, line.lastCommitAt, line.lastCommitBoot, line.closedAt, verdict, evidence,
        line.dropped,
        uid.data,
      ])
    if let known { return known }
    let insert = try database.cachedStatement(
      sql: "INSERT INTO owner (\(OwnerRow.Column.names)) VALUES (\(OwnerRow.Column.marks))")
    // SQLite chooses the id.
    try insert.execute(arguments: [
      nil, uid.data, kind.rawValue, cut(line.machineID), cut(line.bootID), pid, line.startTicks,
      line.pidNamespace, line.timeNamespace, line.lockName, line.lockInode, cut(line.host), cut(line.app),
      line.openedAt, line.openedBoot, line.lastEvent, line.lastCommitAt, line.lastCommitBoot, line.closedAt,
      verdict, evidence, line.dropped,
    ])
    return database.lastInsertedRowID
  }

  private func cut(_ text: String) -> String { TextLimit.cut(text) ?? "" }
}

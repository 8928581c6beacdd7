import Foundation
import GRDB
import LoadLogCore

struct OwnerRow {
  enum Column: Int32, ColumnList {
    case id, uid, kind, machineId, bootId, pid, startTicks, pidNamespace, timeNamespace, lockName, lockInode
    case host, app, openedAt, openedBoot, lastEvent, lastCommitAt, lastCommitBoot, closedAt, verdict,
      evidence, dropped
  }

  static let columns = Column.list(of: "owner")

  let id: Int64
  let uid: SessionID
  let record: OwnerRecord
  /// The number of the owner's last committed event.
  let lastEvent: Int64
  /// The state that the owner's unfinished sessions got when it was found dead.
  let verdict: SessionState?
  let evidence: String?

  /// Reads ``columns``, which must be the first ones of the SELECT.
  init(_ row: RawStatement) throws {
    guard let uid = try row.id(Column.uid) else {
      throw DatabaseError.damage("an owner has no uid")
    }
    self.uid = uid
    id = try row.number(Column.id)
    lastEvent = try row.number(Column.lastEvent)
    verdict = try row.integer(Column.verdict).flatMap(SessionState.init(code:))
    evidence = try row.text(Column.evidence)
    record = OwnerRecord(
      owner: try Self.owner(row),
      opened: LoadInstant(wall: try row.number(Column.openedAt), boot: try row.number(Column.openedBoot)),
      lastCommit: LoadInstant(
        wall: try row.number(Column.lastCommitAt), boot: try row.number(Column.lastCommitBoot)),
      closed: try row.integer(Column.closedAt), dropped: Int(try row.number(Column.dropped)))
  }

  private static func owner(_ row: RawStatement) throws -> Owner {
    let process = ProcessIdentity(
      machineID: try row.text(Column.machineId) ?? "", bootID: try row.text(Column.bootId) ?? "",
      pid: Int32(truncatingIfNeeded: try row.number(Column.pid)),
      startTicks: try row.integer(Column.startTicks),
      pidNamespace: try row.integer(Column.pidNamespace), timeNamespace: try row.integer(Column.timeNamespace)
    )
    var lock: Owner.Lock?
    if let name = try row.text(Column.lockName), let inode = try row.integer(Column.lockInode) {
      lock = Owner.Lock(name: name, inode: inode)
    }
    return Owner(
      kind: try row.text(Column.kind).flatMap(Owner.Kind.init(rawValue:)) ?? .detached, process: process,
      host: try row.text(Column.host) ?? "", app: try row.text(Column.app) ?? "", lock: lock)
  }

  /// How long a load of the owner was open at least, in nanoseconds, if no more is known than when the owner last
  /// committed.
  func timeOpen(from start: LoadInstant) -> Int64 {
    max(0, (record.lastSign ?? start).boot.subtractingClamping(start.boot))
  }

  /// The owner with a row number; nil if there is none.
  static func fetch(_ id: Int64, in database: Database) throws -> OwnerRow? {
    try RawStatement(database, "SELECT \(columns) FROM owner WHERE id = ?", id).first(OwnerRow.init)
  }

  /// The owner that the row of a session names.
  static func required(_ id: Int64, in database: Database) throws -> OwnerRow {
    guard let owner = try fetch(id, in: database) else {
      throw DatabaseError.damage("a session's owner is missing")
    }
    return owner
  }
}

// MARK: - Writing

extension OwnerRow {
  /// An owner that may write: its row, and the number of its last committed event.
  typealias Registration = (id: Int64, lastEvent: Int64)

  /// Finds the row of an owner, or inserts it.
  static func register(_ owner: StoreOwner, in database: Database) throws -> Registration {
    let who = owner.owner
    if let row = try find(owner, in: database) {
      // If the lock file was deleted, the owner has taken a new lock.
      try database.execute(
        sql: "UPDATE owner SET lock_name = ?, lock_inode = ? WHERE id = ? AND lock_inode IS NOT ?",
        arguments: [who.lock?.name, who.lock?.inode, row.id, who.lock?.inode])
      return row
    }
    let process = who.process
    try database.execute(
      sql: """
        INSERT INTO owner (uid, kind, machine_id, boot_id, pid, start_ticks, pid_namespace, time_namespace,
          lock_name, lock_inode, host, app, opened_at, opened_boot, last_commit_at, last_commit_boot)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        owner.uid.data, who.kind.rawValue, process.machineID, process.bootID, process.pid,
        process.startTicks, process.pidNamespace, process.timeNamespace, who.lock?.name, who.lock?.inode,
        who.host, who.app, owner.opened.wall, owner.opened.boot, owner.opened.wall, owner.opened.boot,
      ])
    return (database.lastInsertedRowID, 0)
  }

  /// A library owner is found by its uid, a remote one by the address and name of the client. Any other owner stands for
  /// a process, and is found by that.
  private static func find(_ owner: StoreOwner, in database: Database) throws -> Registration? {
    let (who, process) = (owner.owner, owner.process)
    let found =
      owner.kind == .library
      ? try RawStatement(database, "SELECT id, last_event FROM owner WHERE uid = ?", owner.uid)
      : try RawStatement(
        database,
        """
        SELECT id, last_event FROM owner
        WHERE kind = ? AND kind <> 'library' AND boot_id = ? AND pid = ? AND machine_id = ?
          AND start_ticks IS ? AND pid_namespace IS ? AND time_namespace IS ?
          AND (kind <> 'remote' OR host = ? AND app = ?)
        """, owner.kind.rawValue, process.bootID, Int(process.pid), process.machineID, process.startTicks,
        process.pidNamespace, process.timeNamespace, who.host, who.app)
    return try found.first { (try $0.number(0), try $0.number(1)) }
  }

  /// Notes an owner's commit in its row.
  ///
  /// - Parameters:
  ///   - event: the number of the last event committed.
  ///   - dropped: the number of events dropped since the previous commit.
  static func noteCommit(
    of id: Int64, event: Int64, at instant: LoadInstant, dropped: Int, in database: Database
  ) throws {
    let statement = try RawStatement(
      database,
      """
      UPDATE owner SET last_event = max(last_event, ?), last_commit_at = ?, last_commit_boot = ?,
        dropped = dropped + ? WHERE id = ?
      """, event, instant.wall, instant.boot, dropped, id)
    try statement.run()
  }
}

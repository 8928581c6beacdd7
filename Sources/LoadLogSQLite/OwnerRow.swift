import Foundation
import GRDB
import LoadLogCore

/// Owners between their Swift and their SQL form.
enum OwnerRow {
  static let columns = """
    owner.id, owner.kind, owner.machine_id, owner.boot_id, owner.pid, owner.start_ticks, \
    owner.pid_namespace, owner.time_namespace, owner.lock_name, owner.lock_inode, owner.host, owner.app, \
    owner.opened_at, owner.opened_boot, owner.last_event, owner.last_commit_at, owner.last_commit_boot, \
    owner.closed_at, owner.dropped, owner.evidence, owner.verdict, owner.uid
    """
  private static let commitColumns = "id, last_event, last_commit_at, last_commit_boot"

  /// Reads ``columns``.
  static func record(_ row: Row, in database: Database) throws -> OwnerRecord {
    var lock: Owner.Lock?
    if let name: String = try row.at(8), let inode: Int64 = try row.at(9) {
      lock = Owner.Lock(name: name, inode: inode)
    }
    let process = ProcessIdentity(
      machineID: try row.at(2), bootID: try row.at(3), pid: Int32(truncatingIfNeeded: try row.at(4) as Int64),
      startTicks: try row.at(5),
      pidNamespace: try row.at(6), timeNamespace: try row.at(7))
    return OwnerRecord(
      owner: Owner(
        kind: Owner.Kind(rawValue: try row.at(1)) ?? .detached, process: process, host: try row.at(10),
        app: try row.at(11),
        lock: lock),
      opened: LoadInstant(wall: try row.at(12), boot: try row.at(13)),
      lastCommit: try commit(row, 14).newer(of: row.at(0), in: database).at, closed: try row.at(17),
      dropped: try row.at(18))
  }

  /// What an owner's own row says of its newest commit: three columns from `index` on.
  static func commit(_ row: Row, _ index: Int) throws -> OwnerCommit {
    OwnerCommit(
      event: try row.at(index), at: LoadInstant(wall: try row.at(index + 1), boot: try row.at(index + 2)))
  }

  static func fetch(_ id: Int64, in database: Database) throws -> OwnerRecord? {
    let statement = try database.cachedStatement(sql: "SELECT \(columns) FROM owner WHERE id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map { try record($0, in: database) }
  }

  /// The row of an owner and its last committed event; made if it is new.
  static func register(_ owner: StoreOwner, in database: Database) throws -> (id: Int64, lastEvent: Int64) {
    let who = owner.owner
    if let row = try find(owner, in: database) {
      // The lock may have been taken anew, if its file was gone.
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

  /// A library owner is found by its own name; any other stands for a process and is found by that.
  private static func find(
    _ owner: StoreOwner, in database: Database
  ) throws -> (id: Int64, lastEvent: Int64)? {
    let process = owner.process
    let row =
      owner.kind == .library
      ? try Row.fetchOne(
        database, sql: "SELECT \(commitColumns) FROM owner WHERE uid = ?",
        arguments: [owner.uid.data])
      : try Row.fetchOne(
        database,
        sql: """
          SELECT \(commitColumns) FROM owner
          WHERE kind = ? AND kind <> 'library' AND boot_id = ? AND pid = ? AND machine_id = ?
            AND start_ticks IS ? AND pid_namespace IS ? AND time_namespace IS ?
          """,
        arguments: [
          owner.kind.rawValue, process.bootID, process.pid, process.machineID, process.startTicks,
          process.pidNamespace, process.timeNamespace,
        ])
    return try row.map { row in
      let id: Int64 = try row.at(0)
      return (id, try commit(row, 1).newer(of: id, in: database).event)
    }
  }
}

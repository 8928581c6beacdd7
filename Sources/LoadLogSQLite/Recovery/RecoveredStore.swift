import GRDB
import LoadLogCore

/// The new store of a recovery, while rows are inserted. Its schema rejects what breaks a rule.
final class RecoveredStore {
  private let database: Database
  private var tables: [String: RecoveryResult.Table] = [:]
  private let shapes: [TreeShape]

  /// Rules that the schema does not know, and on which reading relies. The number 0 of a feed is the whole store, and
  /// that of a text is an unknown call site.
  private static let rules = [
    ("migration", "version NOT BETWEEN 1 AND \(StoreFormat.newestVersion)"), ("text", "id <= 0"),
    ("feed", "id <= 0"), ("owner", "length(uid) <> 16"),
    ("session", "feed <= 0 OR duration_source NOT BETWEEN 0 AND 2"), ("unmatched", "feed <= 0"),
  ]

  /// Tables that are made again from the others.
  private static let derived: Set = [
    "migration", "change", "journal_position", "summary", "imbalance_site", "fleet", "fleet_attempt",
    "unshipped",
  ]

  init(_ database: Database, _ shapes: [TreeShape]) {
    (self.database, self.shapes) = (database, shapes)
  }

  /// Inserts a row, and counts it.
  func insert(_ values: [RecordValue], row: Int64?, into shape: TreeShape) throws {
    let statement = try RawStatement(database, shape.insert)
    for (index, (value, column)) in zip(values, shape.columns).enumerated() {
      let position = Int32(index + 1)
      switch value {
      case _ where column.isRowNumber: statement.bind(position, row)
      case .integer(let number): statement.bind(position, number)
      // Bytes that are no text any more become replacement characters.
      case .text(let bytes): statement.bind(position, String(decoding: bytes, as: UTF8.self))
      case .blob(let bytes): statement.bind(position, bytes)
      case .null, .real: statement.bind(position, nil as Int64?)
      }
    }
    do {
      try statement.run()
      tables[shape.name, default: .init(name: shape.name)].saved += 1
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      switch error.extendedResultCode {
      case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
        reject(1, of: shape.name, .duplicate)
      default: reject(1, of: shape.name, .invalid)
      }
    }
  }

  /// Counts a row that cannot be inserted.
  func reject(_ count: Int, of table: String, _ reason: RecoveryResult.Rejection) {
    guard count > 0 else { return }
    tables[table, default: .init(name: table)].rejected[reason, default: 0] += count
  }

  /// The number of the newest migration of the damaged store; nil if it is not one that this program lacks.
  var newestVersion: Int? {
    get throws {
      try Int.fetchOne(database, sql: "SELECT max(version) FROM migration")
        .flatMap { $0 > StoreFormat.newestVersion ? $0 : nil }
    }
  }

  /// Makes a consistent store of the rows: none refers to a lost row, and all counters are computed again.
  func finish(_ result: inout RecoveryResult) throws {
    for (table, rule) in Self.rules { try delete(from: table, where: rule, .invalid) }
    result.namelessFeeds = try replaceLostFeeds()
    result.unknownOwners = try replaceLostOwners()
    result.lostReferences = try mendReferences()
    try delete(from: "summary", where: "feed <> 0 AND feed NOT IN (SELECT id FROM feed)", .orphaned)
    // Without its position a journal does not say which of its changes the counters have.
    if tables["journal_position"]?.saved ?? 0 == 0 { try ChangeJournal.empty(in: database) }
    let unread = tables["summary"]?.rejected.filter { $0.key != .duplicate }.values.reduce(0, +) ?? 0
    result.lostCounts = try unread + SummaryRecount(database).rebuild().count
    try becomeNewHost()
    result.tables = shapes.filter { $0.holdsRows && !Self.derived.contains($0.name) }
      .compactMap { tables[$0.name] }
  }

  /// To a fleet it is another store: what the damaged one has shipped may be lost here. It ships the same as before, unless
  /// that cannot be read.
  private func becomeNewHost() throws {
    let shipped = try? FleetRow.fetch(in: database)
    try StoreOutbox.forgetEverything(in: database)
    guard let shipped else { return }
    try FleetRow(
      host: SessionID(), machineID: shipped.machineID, name: shipped.name, loads: shipped.loads,
      withMessages: shipped.withMessages
    ).write(to: database)
  }

  // MARK: - References

  /// Deletes rows from a table that was filled.
  private func delete(
    from table: String, where condition: String, _ reason: RecoveryResult.Rejection
  ) throws {
    let count = try RawStatement(database, "DELETE FROM \"\(table)\" WHERE \(condition)").run()
    tables[table]?.saved -= count
    reject(count, of: table, reason)
  }

  /// Clears references to lost rows; where a row cannot be without, deletes it.
  ///
  /// - Returns: the number of references that were cleared.
  private func mendReferences() throws -> Int {
    var cleared = 0
    for shape in shapes where shape.isTable && shape.fixedRows == nil {
      let keys = try RawStatement(
        database, "SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(?)", shape.name
      ).map { (try $0.text(0) ?? "", try $0.text(1) ?? "", try $0.text(2) ?? "") }
      for (column, parent, parentColumn) in keys {
        let isLost =
          "\"\(column)\" IS NOT NULL AND \"\(column)\" NOT IN (SELECT \"\(parentColumn)\" FROM \"\(parent)\")"
        if shape.columns.contains(where: { $0.name == column && $0.isOptional && !$0.isRowNumber }) {
          cleared += try RawStatement(
            database, "UPDATE \"\(shape.name)\" SET \"\(column)\" = NULL WHERE \(isLost)"
          ).run()
        } else {
          try delete(from: shape.name, where: isLost, .orphaned)
        }
      }
    }
    return cleared
  }

  /// Inserts feeds for loads whose feed is lost.
  private func replaceLostFeeds() throws -> Int {
    let lost = try lost("feed", in: ["session", "unmatched"])
    for id in lost {
      var name = "recovered/\(id)"
      while try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM feed WHERE name = ?)", arguments: [name])
        ?? false
      { name += "'" }
      try database.execute(sql: Self.insertFeed, arguments: ["id": id, "name": name])
    }
    return lost.count
  }

  /// The dates and the last verdict of a feed as its loads show them.
  private static let insertFeed = """
    WITH load AS (
      SELECT *, \(StoredSession.finishedAtInSQL) AS finished_at, state IN (1, 2) AS is_success,
        \(CountedFailure.failed) AS is_failure
      FROM session WHERE feed = :id
    )
    INSERT INTO feed (id, name, last_updated, last_changed, last_attempted, last_success_started, last_failed,
      last_verdict, last_failure)
    SELECT :id, :name, max(finished_at) FILTER (WHERE is_success), max(finished_at) FILTER (WHERE state = 1),
      max(started_at), max(started_at) FILTER (WHERE is_success), max(finished_at) FILTER (WHERE is_failure),
      (SELECT state FROM load WHERE is_success OR is_failure ORDER BY finished_at DESC, seq DESC LIMIT 1),
      (SELECT reason FROM load WHERE is_failure ORDER BY finished_at DESC, seq DESC LIMIT 1)
    FROM load
    """

  /// Inserts owners, of which nothing is known, for loads whose owner is lost.
  private func replaceLostOwners() throws -> Int {
    let lost = try lost("owner", in: ["session", "unmatched"])
    for id in lost {
      try database.execute(
        sql: """
          INSERT INTO owner (id, uid, kind, machine_id, boot_id, pid, host, app, opened_at, opened_boot,
            last_commit_at, last_commit_boot)
          SELECT ?, randomblob(16), 'detached', '', '', 0, '', '', 0, 0, 0, 0
          """, arguments: [id])
    }
    return lost.count
  }

  private func lost(_ parent: String, in tables: [String]) throws -> [Int64] {
    let references = tables.map { "SELECT \(parent) AS id FROM \($0)" }.joined(separator: " UNION ")
    return try Int64.fetchAll(
      database, sql: "SELECT id FROM (\(references)) WHERE id > 0 AND id NOT IN (SELECT id FROM \(parent))")
  }
}

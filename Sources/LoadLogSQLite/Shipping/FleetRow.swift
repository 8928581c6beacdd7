import GRDB
import LoadLogCore

/// The row of the table `fleet`, and the batches that the store has made.
struct FleetRow: Hashable {
  enum Column: Int32, ColumnList {
    case host, machineId, name, loads, withMessages, token, rev, through, scanned, syncedAt, failedAt, failure
  }

  var host: SessionID
  var machineID: String
  var name: String
  var loads: ShippedLoads
  var withMessages: Bool
  var base: ShippedPosition?
  /// At first nothing was shipped.
  var progress = OutboxProgress(through: -1, scanned: nil)
  var syncedAt: Int64?
  var failedAt: Int64?
  var failure: Failure?

  /// Why a round failed. The store has it as a line, and as a second one what helps if trying again does not.
  struct Failure: Hashable {
    let text: String
    let advice: String?

    init(_ error: LoadLogError) {
      text = error.withoutAdvice
      advice = error.advice.map { VisibleText.line($0) }
    }

    fileprivate init(stored: String) {
      let lines = stored.split(separator: "\n", maxSplits: 1).map(String.init)
      text = lines.first ?? ""
      advice = lines.count > 1 ? lines[1] : nil
    }

    fileprivate var stored: String { [text, advice].compactMap(\.self).joined(separator: "\n") }
  }
}

extension FleetRow {
  /// The store's row; nil without a fleet.
  static func fetch(in database: Database) throws -> FleetRow? {
    try RawStatement(database, "SELECT \(Column.list(of: "fleet")) FROM fleet").first { try FleetRow($0) }
  }

  private init(_ row: RawStatement) throws {
    guard let host = try row.id(Column.host),
      let loads = ShippedLoads(rawValue: try row.text(Column.loads) ?? "")
    else { throw Summary.damage("what it ships to a fleet cannot be read") }
    self.init(
      host: host, machineID: try row.text(Column.machineId) ?? "", name: try row.text(Column.name) ?? "",
      loads: loads, withMessages: try row.flag(Column.withMessages))
    base = try row.id(Column.token).map { ShippedPosition(token: $0, rev: try row.number(Column.rev)) }
    progress = OutboxProgress(
      through: try row.number(Column.through), scanned: try row.integer(Column.scanned))
    syncedAt = try row.integer(Column.syncedAt)
    failedAt = try row.integer(Column.failedAt)
    failure = try row.text(Column.failure).map { Failure(stored: $0) }
  }

  func write(to database: Database) throws {
    try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO fleet (only, \(Column.names)) VALUES (1, \(Column.marks))"
    ).execute(arguments: [
      host.data, machineID, name, loads.rawValue, withMessages, base?.token.data, base?.rev ?? 0,
      progress.through,
      progress.scanned, syncedAt, failedAt, failure?.stored,
    ])
  }
}

extension OutboxState {
  /// How many batches a store remembers: a day of rounds every minute.
  private static let mostAttempts = 1440

  /// The state of a store that ships.
  init(_ row: FleetRow, in database: Database) throws {
    base = row.base
    attempts = try OutboxAttempt.rows("ORDER BY n", in: database).map(OutboxAttempt.init)
  }

  /// Remembers a batch, and forgets the oldest ones.
  ///
  /// - Returns: its number.
  static func insert(_ attempt: OutboxAttempt, in database: Database) throws -> Int64 {
    try database.cachedStatement(
      sql: "INSERT INTO fleet_attempt (token, rev, base, through, scanned) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [
      attempt.next.token.data, attempt.next.rev, attempt.base?.data, attempt.progress.through,
      attempt.progress.scanned,
    ])
    let number = database.lastInsertedRowID
    try database.cachedStatement(sql: "DELETE FROM fleet_attempt WHERE n <= ?")
      .execute(arguments: [number - Int64(mostAttempts)])
    return number
  }
}

extension OutboxAttempt {
  /// The batch after which the database is at a position; nil if the store has forgotten it.
  static func fetch(_ next: ShippedPosition, in database: Database) throws -> OutboxAttempt? {
    let rows = try rows("WHERE token = ? ORDER BY n DESC LIMIT 1", in: database)
    rows.bind(1, next.token)
    return try rows.first(OutboxAttempt.init)
  }

  fileprivate static func rows(_ condition: String, in database: Database) throws -> RawStatement {
    try RawStatement(database, "SELECT token, rev, base, through, scanned FROM fleet_attempt \(condition)")
  }

  fileprivate init(_ row: RawStatement) throws {
    guard let token = try row.id(0) else { throw Summary.damage("what it ships to a fleet cannot be read") }
    next = ShippedPosition(token: token, rev: try row.number(1))
    base = try row.id(2)
    progress = OutboxProgress(through: try row.number(3), scanned: try row.integer(4))
  }
}

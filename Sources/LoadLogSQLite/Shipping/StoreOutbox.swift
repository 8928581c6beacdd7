import GRDB
package import LoadLogCore

/// What a store ships to a fleet's database, and how far it has come.
///
/// The store must exist. Calls block the thread, and wait for other writers up to a deadline; use an outbox from one
/// thread at a time. Between calls nothing is locked, so recording never waits for a network.
package final class StoreOutbox {
  private let store: SQLiteLoadStore
  private let processes: any ProcessTable
  private let clock: any LoadClock
  private let deadline: Duration

  /// What a host ships, as its owner wants it. What is nil stays as it was, also for a new host: at first the machine's
  /// name, unusual loads and no messages. A store that comes from another machine gets the name of this one.
  package struct Settings: Sendable, Hashable {
    package var name: String?
    package var loads: ShippedLoads?
    package var withMessages: Bool?
    /// Whether the store ships as a host that the fleet does not know yet.
    package var asNewHost = false

    package init() {}
  }

  /// Opens a store that ships, or is to ship.
  ///
  /// - Throws: `storeMissing`, `busy`, and what opening a store throws.
  package init(
    at path: String, processes: any ProcessTable = SystemProcessTable(), clock: any LoadClock = BootClock(),
    deadline: Duration = .seconds(30)
  ) throws(LoadLogError) {
    store = try SQLiteLoadStore(withoutOwnerAt: path, app: "sync", within: deadline, processes, clock)
    self.processes = processes
    self.clock = clock
    self.deadline = deadline
  }

  deinit { store.close(finally: true) }

  /// Applies settings, and makes the store a host of a fleet if it is none.
  ///
  /// - Returns: the host as it will ship, with its id.
  /// - Throws: `storeCopied` if another machine ships this store.
  package func prepare(_ settings: Settings) throws(LoadLogError) -> ShippedHost {
    let machine = processes.current.machineID
    return try write { database in
      let stored = try FleetRow.fetch(in: database)
      let known = settings.asNewHost ? nil : stored
      if let known, known.machineID != machine {
        throw Self.copied("the store ships as \(known.name), from another machine")
      }
      let storedName = stored?.machineID == machine ? stored?.name : nil
      var row =
        known
        ?? FleetRow(
          host: SessionID(), machineID: machine, name: storedName ?? SystemProcessTable.hostName,
          loads: stored?.loads ?? .unusual, withMessages: stored?.withMessages ?? false)
      row.name = settings.name ?? row.name
      row.loads = settings.loads ?? row.loads
      row.withMessages = settings.withMessages ?? row.withMessages
      let isSame = known.map { $0.loads == row.loads && $0.withMessages == row.withMessages } ?? false
      if known == nil { try Self.forgetEverything(in: database) }
      if row != known { try row.write(to: database) }
      if !isSame { try ChangeJournal.forgetShipping(in: database) }
      return ShippedHost(row)
    }
  }

  /// The newest batch that is known to have arrived; nil if none is.
  package func base() throws(LoadLogError) -> ShippedPosition? {
    try write { try FleetRow.fetch(in: $0)?.base }
  }

  /// Acts on what the database says of the host.
  ///
  /// - Parameters:
  ///   - remote: where its rows stand there.
  ///   - remains: what of them may no longer be so; nil if that was not asked.
  ///   - base: ``base()`` before the database was asked.
  /// - Returns: false if the database must be asked again, and for what remains.
  /// - Throws: `storeCopied` if another copy of the store has shipped.
  package func resolve(
    _ remote: ShippedPosition?, _ remains: ShippedRemains?, since base: ShippedPosition?
  ) throws(LoadLogError) -> Bool {
    try write { database in
      guard var row = try FleetRow.fetch(in: database) else { return true }
      // Another program has shipped meanwhile: what the database said is older than what is known.
      guard row.base == base else { return false }
      switch try OutboxState(row, in: database).resolution(of: remote) {
      case .ship: return true
      case .confirm(let attempt): try Self.confirm(attempt, &row, in: database)
      case .rewind(let attempt):
        guard let remains else { return false }
        (row.base, row.progress) = (attempt.next, attempt.progress)
        try Self.markEverything(in: database, and: remains)
      case .startOver(let position):
        (row.base, row.progress) = (position, OutboxProgress(through: -1, scanned: nil))
      case .refuse: throw Self.copied("another copy of it has shipped as \(row.name)")
      }
      try row.write(to: database)
      return true
    }
  }

  /// Makes the next batch: at most 2,000 changes and 2,000 rows of other tables, as they are now, with what they refer to.
  ///
  /// If nothing waits, the batch is empty and keeps the position.
  ///
  /// - Parameter remains: what of the rows in the database may no longer be so; nil if that was not asked.
  /// - Returns: the batch; nil if everything must be shipped again, for which the database must be asked what remains.
  package func nextBatch(_ remains: ShippedRemains?) throws(LoadLogError) -> ShippedBatch? {
    var staleLocks: [String] = []
    let batch: ShippedBatch? = try write { database in
      guard let row = try FleetRow.fetch(in: database) else { throw Self.notPrepared }
      staleLocks = try store.makeVerdictsDurable(database).lockNames
      try store.endDeadRetries(database)
      try ChangeJournal.apply(in: database)
      let pick: OutboxPick
      if try OutboxPick.mustStartOver(from: row.progress, in: database) {
        guard let remains else { return nil }
        try Self.markEverything(in: database, and: remains)
        pick = try OutboxPick(database, loads: row.loads, startingOverWith: remains.unfinished)
      } else {
        pick = try OutboxPick(database, loads: row.loads, from: row.progress)
      }
      let isIdle = try pick.progress == row.progress && !Self.hasUnshipped(database)
      if isIdle, let base = row.base { return ShippedBatch(host: ShippedHost(row), base: base, next: base) }
      let next = ShippedPosition(token: SessionID(), rev: try OutboxState(row, in: database).nextRev)
      let attempt = OutboxAttempt(next: next, base: row.base?.token, progress: pick.progress)
      let number = try OutboxState.insert(attempt, in: database)
      try pick.takeRows(for: number)
      var batch = ShippedBatch(host: ShippedHost(row), base: row.base, next: next)
      batch.host.waiting = try OutboxPick.waiting(in: database, pick.progress, besides: number)
      batch.gone = pick.gone
      batch.rows = try Self.rows(pick, number, row, in: database)
      return batch
    }
    store.deleteLocks(staleLocks)
    return batch
  }

  private static func rows(
    _ pick: OutboxPick, _ attempt: Int64, _ row: FleetRow, in database: Database
  ) throws -> [ShippedTable: [[ShippedValue]]] {
    var rows = ShippedRows(database: database, withMessages: row.withMessages)
    for table in ShippedTable.small where row.loads != .none || !table.isOfLoads {
      try rows.add(table, takenBy: attempt)
    }
    try rows.add(.session, pick.sessions.sorted())
    return try rows.complete()
  }

  /// Notes that a batch has arrived, and if nothing more waits, that the round has succeeded.
  ///
  /// A power cut may undo it until the next batch is made. The attempt is durable, so the database then says that it arrived.
  package func confirm(_ batch: ShippedBatch) throws(LoadLogError) {
    let now = clock.now().wall
    try write(mayBeLost: true) { database in
      guard var row = try FleetRow.fetch(in: database) else { return }
      // There is nothing to confirm if another program has done so meanwhile, or if the batch is empty.
      if let attempt = try OutboxAttempt.fetch(batch.next, in: database), attempt.base == row.base?.token {
        try Self.confirm(attempt, &row, in: database)
      }
      if batch.host.waiting == 0 { (row.syncedAt, row.failedAt, row.failure) = (now, nil, nil) }
      try row.write(to: database)
    }
  }

  /// Notes why a round failed.
  package func noteFailure(_ error: LoadLogError) throws(LoadLogError) {
    let now = clock.now().wall
    try write { database in
      guard var row = try FleetRow.fetch(in: database) else { return }
      (row.failedAt, row.failure) = (now, FleetRow.Failure(error))
      try row.write(to: database)
    }
  }

  private func write<Value: Sendable>(
    mayBeLost: Bool = false, _ work: (Database) throws -> Value
  ) throws(LoadLogError) -> Value {
    let value = try store.write(within: deadline, mayBeLost: mayBeLost, work)
    store.maintain(closing: false)
    return value
  }
}

// MARK: - Rows

extension StoreOutbox {
  private static func confirm(_ attempt: OutboxAttempt, _ row: inout FleetRow, in database: Database) throws {
    (row.base, row.progress) = (attempt.next, attempt.progress)
    try database.cachedStatement(
      sql: "DELETE FROM unshipped WHERE attempt = (SELECT n FROM fleet_attempt WHERE token = ?)"
    ).execute(arguments: [attempt.next.token.data])
  }

  /// Deletes what the store knows of its fleet and of what it has shipped.
  static func forgetEverything(in database: Database) throws {
    try RawStatement.run("DELETE FROM fleet; DELETE FROM fleet_attempt; DELETE FROM unshipped", in: database)
  }

  /// Marks the rows of all tables as not shipped, but those of sessions, which are scanned.
  ///
  /// - Parameter remains: rows of the database, which are shipped as removed if the store has them no more.
  private static func markEverything(in database: Database, and remains: ShippedRemains) throws {
    for table in ShippedTable.small {
      try database.execute(sql: "INSERT OR REPLACE INTO unshipped (kind, key, key2) \(table.keys)")
    }
    let mark = try database.cachedStatement(sql: "INSERT OR REPLACE INTO unshipped (kind, key) VALUES (?, ?)")
    for pattern in remains.expectations {
      try mark.execute(arguments: [ShippedTable.expectation.rawValue, pattern])
    }
    for id in remains.acknowledgements {
      try mark.execute(arguments: [ShippedTable.acknowledgement.rawValue, id.data])
    }
  }

  private static func hasUnshipped(_ database: Database) throws -> Bool {
    try RawStatement(database, "SELECT 1 FROM unshipped").hasRow()
  }

  private static func copied(_ why: String) -> LoadLogError {
    LoadLogError(
      .storeCopied, what: "cannot sync", why: why,
      advice:
        "If both are to ship, run loadlog sync --as-new-host here once; if this one is out of date, delete it."
    )
  }

  private static var notPrepared: LoadLogError {
    LoadLogError(.invalidInput, what: "cannot sync", why: "the store belongs to no fleet")
  }
}

extension ShippedTable {
  /// The tables whose changes triggers note in `unshipped`.
  static let small = ShippedTable.allCases.filter { ![.text, .owner, .session].contains($0) }

  /// Whether the table's rows belong to single loads.
  fileprivate var isOfLoads: Bool { self == .unmatched || self == .acknowledgement }

  /// Selects what `unshipped` holds of every row.
  fileprivate var keys: String {
    let (table, keys) = stored
    let key2 = keys.count > 1 ? keys[1] : "0"
    return "SELECT DISTINCT '\(rawValue)', \(keys[0]), \(key2) FROM \(table)"
  }
}

extension ShippedHost {
  init(_ row: FleetRow) {
    self.init(
      id: row.host, name: row.name, machineID: row.machineID, version: LoadLogVersion.current,
      loads: row.loads,
      withMessages: row.withMessages, waiting: 0)
  }
}

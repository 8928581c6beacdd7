import LoadLogCore
import LoadLogFleet
import LoadLogSQLite

/// A fleet's database in memory, whose connection can break.
final class MemoryDestination: FleetDestination {
  /// Where a connection breaks.
  enum Break {
    case beforeAsking, beforeCommit, afterCommit
  }

  struct Host: Equatable {
    var description: ShippedHost
    var position: ShippedPosition
    var isGone = false
    /// The rows of each table by their keys.
    var rows: [ShippedTable: [[ShippedValue]: [ShippedValue]]] = [:]
  }

  private(set) var hosts: [SessionID: Host] = [:]
  private(set) var batches: [ShippedBatch] = []
  /// The lease of each batch.
  private(set) var leases: [Duration] = []
  /// How often a sync has connected.
  var connections = 0
  /// What breaks next, once.
  var nextBreak: Break?
  /// Called in the middle of a send, before the position is compared.
  var onSend: (() -> Void)?

  /// Called once, after a host's position was read and before it is returned.
  var afterLook: (() -> Void)?
  /// The error of every call; nil if calls succeed.
  var failure: LoadLogError.Code?

  func position(of host: SessionID) throws(LoadLogError) -> ShippedPosition? {
    try checkPresence()
    try breakIfDue(.beforeAsking)
    let position = hosts[host]?.position
    let action = afterLook
    afterLook = nil
    action?()
    return position
  }

  func remains(of host: SessionID) -> ShippedRemains {
    let rows = hosts[host]?.rows ?? [:]
    var remains = ShippedRemains()
    let state = ShippedTable.session.column("state")
    let finished = (1...5).map { ShippedValue.integer($0) }
    for (key, row) in rows[.session] ?? [:] where !finished.contains(row[state]) {
      if case .integer(let number) = key[0] { remains.unfinished.append(number) }
    }
    for (table, key, row) in [ShippedTable.expectation, .acknowledgement].flatMap({ table in
      (rows[table] ?? [:]).map { (table, $0.key, $0.value) }
    }) where row[table.column("is_removed")] != .integer(1) {
      switch key[0] {
      case .text(let pattern): remains.expectations.append(pattern)
      case .uuid(let id): remains.acknowledgements.append(id)
      default: break
      }
    }
    return remains
  }

  func send(_ batch: ShippedBatch, lease: Duration) throws(LoadLogError) -> Bool {
    try checkPresence()
    let action = onSend
    onSend = nil
    action?()
    try breakIfDue(.beforeCommit)
    guard hosts[batch.host.id]?.position == batch.base else { return false }
    hosts[batch.host.id] = merged(batch)
    batches.append(batch)
    leases.append(lease)
    try breakIfDue(.afterCommit)
    return true
  }

  func endLease(of host: SessionID) { hosts[host]?.isGone = true }

  /// Goes back to an earlier state, as a database that is restored from a backup.
  func restore(_ backup: [SessionID: Host]) { hosts = backup }

  private func merged(_ batch: ShippedBatch) -> Host {
    var host = hosts[batch.host.id] ?? Host(description: batch.host, position: batch.next)
    (host.description, host.position, host.isGone) = (batch.host, batch.next, false)
    for (table, rows) in batch.rows {
      for row in rows { host.rows[table, default: [:]][table.key(of: row)] = row }
    }
    let state = ShippedTable.session.column("state")
    for session in batch.gone {
      let key = [ShippedValue.integer(session)]
      guard case .integer(let last) = host.rows[.session]?[key]?[state],
        last == 0 || last >= 6 && batch.host.loads != .none
      else { continue }
      host.rows[.session]?[key]?[state] = .null
    }
    return host
  }

  private func checkPresence() throws(LoadLogError) {
    if let failure { throw LoadLogError(failure, what: "the fleet's database", why: "it is away") }
  }

  private func breakIfDue(_ place: Break) throws(LoadLogError) {
    guard nextBreak == place else { return }
    nextBreak = nil
    throw LoadLogError(.fleetUnreachable, what: "cannot reach the fleet", why: "the connection broke")
  }
}

extension ShippedTable {
  func key(of row: [ShippedValue]) -> [ShippedValue] {
    zip(columns, row).filter(\.0.isKey).map(\.1)
  }

  func column(_ name: String) -> Int {
    guard let index = columns.firstIndex(where: { $0.name == name }) else { fatalError("no column \(name)") }
    return index
  }
}

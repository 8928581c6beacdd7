#if Fleet
  import LoadLogCore
  import LoadLogFleet
  @testable import LoadLogSQLite

  /// A database with the fleet's tables, and a host that ships to it.
  struct PostgresBench {
    let server: PostgresServer
    let database: String
    let address: FleetAddress
    let destination: PostgresDestination
    let host = SessionID()
    static let lease = Duration.seconds(300)

    init(isInitialized: Bool = true) throws {
      server = try PostgresServer.shared.get()
      database = try server.makeDatabase()
      address = try server.address(database)
      if isInitialized { try FleetSchema(address).initialize() }
      destination = PostgresDestination(address)
    }

    var hosts: FleetHosts { FleetHosts(address) }

    /// What psql prints of a query.
    @discardableResult
    func psql(_ sql: String) throws -> String { try server.psql(database, sql) }

    func batch(
      _ base: ShippedPosition? = nil, _ rows: [ShippedTable: [[ShippedValue]]] = [:], gone: [Int64] = [],
      of host: SessionID? = nil, name: String = "web-1"
    ) -> ShippedBatch {
      ShippedBatch(
        host: ShippedHost(
          id: host ?? self.host, name: name, machineID: "m1", version: "0.1.0", loads: .all,
          withMessages: true,
          waiting: 7),
        base: base, next: ShippedPosition(token: SessionID(), rev: (base?.rev ?? 0) + 1), rows: rows,
        gone: gone)
    }

    /// Sends a batch that must arrive, and returns the position after it.
    @discardableResult
    func ship(_ batch: ShippedBatch, lease: Duration = lease) throws -> ShippedPosition {
      guard try destination.send(batch, lease: lease) else {
        throw Shell.Failure(description: "the batch was refused")
      }
      return batch.next
    }

    /// The rows of a table that one of two hosts has and the other one lacks, or has otherwise.
    func differences(
      in table: ShippedTable, between host: SessionID, and other: SessionID
    ) throws -> String {
      let columns = table.columns.map(\.name).joined(separator: ", ")
      let rows = { (host: SessionID) in "SELECT \(columns) FROM \(table.rawValue) WHERE host = '\(host)'" }
      return try psql(
        "(\(rows(host)) EXCEPT \(rows(other))) UNION ALL (\(rows(other)) EXCEPT \(rows(host)))")
    }
  }

  extension ShippedTable {
    /// A row with a key and some columns; all others are null.
    func row(_ values: [String: ShippedValue]) -> [ShippedValue] {
      precondition(Set(values.keys).isSubset(of: columns.map(\.name)))
      return columns.map { values[$0.name] ?? .null }
    }

    /// A row of `session`.
    static func load(_ seq: Int64, state: Int64, started: Int64 = 0) -> [ShippedValue] {
      session.row([
        "seq": .integer(seq), "id": .uuid(SessionID()), "feed": .integer(1), "owner": .integer(1),
        "state": .integer(state), "started_at": .integer(started), "duration": .integer(5),
      ])
    }
  }
#endif

#if Fleet
  package import LoadLogCore
  package import LoadLogSQLite

  /// A fleet's PostgreSQL-wire database, as the destination of a host's rows.
  ///
  /// It connects when it is first used, and again after the connection broke.
  package final class PostgresDestination: FleetDestination {
    private let database: FleetDatabase
    private let clock: any LoadClock

    /// The number of rows that one statement writes.
    private static let rowsOfStatement = 2_000

    package init(_ address: FleetAddress, clock: any LoadClock = BootClock()) {
      database = FleetDatabase(
        address, withoutRights: "Ship as the role that loadlog fleet init --writer ROLE has named.")
      self.clock = clock
    }

    package func position(of host: SessionID) throws(LoadLogError) -> ShippedPosition? {
      let answer = try database.transaction { (connection) throws(LoadLogError) in
        try connection.run(
          "SELECT token, rev, retired_at FROM host WHERE id = $1::UUID", [host.description])
      }
      guard let row = answer.rows.first else { return nil }
      guard row[2] == nil else {
        throw database.refusal(
          "this host is retired and must not ship any more",
          advice: "If its store is to ship again, as a new host, run loadlog sync --as-new-host once.")
      }
      guard let token = row[0].flatMap({ SessionID($0) }), let rev = row[1].flatMap({ Int64($0) }) else {
        throw database.refusal("the host's row has no token")
      }
      return ShippedPosition(token: token, rev: rev)
    }

    package func remains(of host: SessionID) throws(LoadLogError) -> ShippedRemains {
      try database.transaction { (connection) throws(LoadLogError) in
        func column(_ sql: String) throws(LoadLogError) -> [String] {
          try connection.run(sql, [host.description]).rows.compactMap { $0[0] }
        }
        var remains = ShippedRemains()
        remains.running = try column("SELECT seq FROM session WHERE host = $1::UUID AND state = 0")
          .compactMap { Int64($0) }
        remains.expectations = try column(
          "SELECT pattern FROM expectation WHERE host = $1::UUID AND is_removed IS NOT TRUE")
        remains.acknowledgements = try column(
          "SELECT id FROM acknowledgement WHERE host = $1::UUID AND is_removed IS NOT TRUE"
        ).compactMap { SessionID($0) }
        return remains
      }
    }

    package func send(_ batch: ShippedBatch, lease: Duration) throws(LoadLogError) -> Bool {
      try database.transaction { (connection) throws(LoadLogError) in
        guard try self.advance(batch, lease: lease, connection) else { return false }
        for table in ShippedTable.allCases {
          try Self.write(batch.rows[table] ?? [], of: table, host: batch.host.id, connection)
        }
        try Self.end(batch.gone, host: batch.host.id, connection)
        return true
      }
    }

    package func endLease(of host: SessionID) throws(LoadLogError) {
      try database.transaction { (connection) throws(LoadLogError) in
        _ = try connection.run(
          "UPDATE host SET lease_until = NULL, synced_at = now() WHERE id = $1::UUID", [host.description])
      }
    }
  }

  // MARK: - Sending

  extension PostgresDestination {
    /// Moves the host's position from the base of a batch to the next one.
    ///
    /// Locks the host's row until the transaction ends: of two batches with one base, only one finds it.
    ///
    /// - Returns: whether the base was the position.
    private func advance(
      _ batch: ShippedBatch, lease: Duration, _ connection: PostgresConnection
    ) throws(LoadLogError) -> Bool {
      let host = batch.host
      var values: [String?] = [
        host.id.description, host.name, host.machineID, host.version,
        host.loads.rawValue, String(host.withMessages), String(batch.next.rev), batch.next.token.description,
        // now() is the time at which the transaction began, a moment ago.
        String(host.waiting), String(clock.now().wall), String(lease.wholeNanoseconds / 1000),
      ]
      guard let base = batch.base else { return try connection.run(Self.first, values).changed == 1 }
      values += [String(base.rev), base.token.description]
      return try connection.run(Self.next, values).changed == 1
    }

    private static let columns =
      "name, machine_id, version, loads, with_messages, rev, token, waiting, clock_offset, synced_at, lease_until"

    private static let newValues = """
      $2, $3, $4, $5, $6::BOOLEAN, $7::BIGINT, $8::UUID, $9::BIGINT,
      CAST(EXTRACT(EPOCH FROM now()) * 1000000 AS BIGINT) - $10::BIGINT, now(),
      now() + $11::BIGINT * INTERVAL '1 microsecond'
      """

    private static let first = """
      INSERT INTO host (id, \(columns)) VALUES ($1::UUID, \(newValues)) ON CONFLICT (id) DO NOTHING
      """

    private static let next = """
      UPDATE host SET (\(columns)) = (\(newValues))
      WHERE id = $1::UUID AND rev = $12::BIGINT AND token = $13::UUID AND retired_at IS NULL
      """

    private static func write(
      _ rows: [[ShippedValue]], of table: ShippedTable, host: SessionID, _ connection: PostgresConnection
    ) throws(LoadLogError) {
      let statement = table.upsert
      for start in stride(from: 0, to: rows.count, by: rowsOfStatement) {
        let part = rows[start..<min(start + rowsOfStatement, rows.count)]
        let arrays = table.columns.indices.map { PostgresArray.text(of: part, column: $0) }
        try connection.run(statement, [host.description] + arrays)
      }
    }

    /// Ends sessions that the host pruned before it shipped their ends.
    private static func end(
      _ sessions: [Int64], host: SessionID, _ connection: PostgresConnection
    ) throws(LoadLogError) {
      guard !sessions.isEmpty else { return }
      try connection.run(
        """
        UPDATE session SET state = 5, duration = NULL
        WHERE host = $1::UUID AND seq = ANY ($2::BIGINT[]) AND state = 0
        """, [host.description, PostgresArray.text(sessions)])
    }
  }
#endif

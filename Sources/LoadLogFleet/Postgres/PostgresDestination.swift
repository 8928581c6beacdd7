#if Fleet
  package import LoadLogCore
  package import LoadLogSQLite

  /// A fleet's PostgreSQL-wire database, as the destination of a host's rows.
  ///
  /// It connects when it is first used, and again after the connection broke.
  package final class PostgresDestination: FleetDestination {
    private typealias Statement = PostgresConnection.Statement

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
      let answers = try database.transaction(
        of: [Statement("SELECT token, rev, retired_at FROM host WHERE id = $1::UUID", [host.description])])
      guard let row = answers[0].rows.first else { return nil }
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
      let answers = try database.transaction(
        of: [
          "SELECT seq FROM session WHERE host = $1::UUID AND (state = 0 OR state >= 6)",
          "SELECT pattern FROM expectation WHERE host = $1::UUID AND is_removed IS NOT TRUE",
          "SELECT id FROM acknowledgement WHERE host = $1::UUID AND is_removed IS NOT TRUE",
        ].map { Statement($0, [host.description]) })
      func column(_ index: Int) -> [String] { answers[index].rows.compactMap { $0[0] } }
      var remains = ShippedRemains()
      remains.unfinished = column(0).compactMap { Int64($0) }
      remains.expectations = column(1)
      remains.acknowledgements = column(2).compactMap { SessionID($0) }
      return remains
    }

    package func send(_ batch: ShippedBatch, lease: Duration) throws(LoadLogError) -> Bool {
      let rows = Self.writing(batch) + Self.hiding(batch)
      let first = try Self.advancing(batch, lease: lease, clockOffset: clockOffset())
      return try database.transaction(of: [first] + rows)[0].changed == 1
    }

    package func endLease(of host: SessionID) throws(LoadLogError) {
      _ = try database.transaction(
        of: [
          Statement(
            "UPDATE host SET lease_until = NULL, synced_at = now() WHERE id = $1::UUID", [host.description])
        ])
    }
  }

  // MARK: - Sending

  extension PostgresDestination {
    /// How far the database's clock is ahead of this host's, in microseconds; 0 if the time until the answer explains all
    /// of it.
    private func clockOffset() throws(LoadLogError) -> Int64 {
      let asked = clock.now().wall
      let answer = try database.transaction(
        of: [Statement("SELECT CAST(EXTRACT(EPOCH FROM now()) * 1000000 AS BIGINT)")])
      let answered = clock.now().wall
      guard let there = answer[0].rows.first?[0].flatMap({ Int64($0) }) else { throw .unreadableFleet }
      return there < asked ? there - asked : max(0, there - answered)
    }

    /// Moves the host's position from the base of a batch to the next one, if the base is its position.
    ///
    /// Locks the host's row until the transaction ends: of two batches with one base, only one finds it.
    private static func advancing(_ batch: ShippedBatch, lease: Duration, clockOffset: Int64) -> Statement {
      let host = batch.host
      var values: [String?] = [
        host.id.description, host.name, host.machineID, host.version,
        host.loads.rawValue, String(host.withMessages), String(batch.next.rev), batch.next.token.description,
        String(host.waiting), String(clockOffset), String(lease.wholeNanoseconds / 1000),
      ]
      guard let base = batch.base else { return Statement(first, values) }
      values += [String(base.rev), base.token.description]
      return Statement(next, values)
    }

    /// The columns of `host` that each batch writes.
    static let columns =
      "name, machine_id, version, loads, with_messages, rev, token, waiting, clock_offset, synced_at, lease_until"

    private static let newValues = """
      $2, $3, $4, $5, $6::BOOLEAN, $7::BIGINT, $8::UUID, $9::BIGINT, $10::BIGINT, now(),
      now() + $11::BIGINT * INTERVAL '1 microsecond'
      """

    private static let first = """
      INSERT INTO host (id, \(columns)) VALUES ($1::UUID, \(newValues)) ON CONFLICT (id) DO NOTHING
      """

    private static let next = """
      UPDATE host SET (\(columns)) = (\(newValues))
      WHERE id = $1::UUID AND rev = $12::BIGINT AND token = $13::UUID AND retired_at IS NULL
      """

    private static func writing(_ batch: ShippedBatch) -> [Statement] {
      ShippedTable.allCases.flatMap { table -> [Statement] in
        guard let rows = batch.rows[table] else { return [] }
        let upsert = table.upsert
        return stride(from: 0, to: rows.count, by: rowsOfStatement).map { start in
          let part = rows[start..<min(start + rowsOfStatement, rows.count)]
          return Statement(
            upsert,
            key(of: batch)
              + table.columns.indices.map { column in
                part.contains { $0[column] != .null } ? PostgresArray.text(of: part, column: column) : nil
              })
        }
      }
    }

    /// Hides sessions of which the host will not ship the ends: only counters have their verdicts. Its role may delete none.
    private static func hiding(_ batch: ShippedBatch) -> [Statement] {
      guard !batch.gone.isEmpty else { return [] }
      // What is unbalanced is never pruned. Without rows of loads, `gone` also has loads that the store still has.
      let isOpen = batch.host.loads == .none ? "state = 0" : "(state = 0 OR state >= 6)"
      return [
        Statement(
          """
          UPDATE session SET state = NULL
          WHERE host = $1::UUID AND seq = ANY ($3::BIGINT[]) AND \(isOpen) AND \(ShippedTable.isTaken)
          """, key(of: batch) + [PostgresArray.text(batch.gone)])
      ]
    }

    /// The values of ``ShippedTable/isTaken``.
    private static func key(of batch: ShippedBatch) -> [String] {
      [batch.host.id.description, batch.next.token.description]
    }
  }
#endif

#if Fleet
  package import LoadLogCore
  import LoadLogSQLite
  import LoadLogText

  /// The hosts of a fleet's database. One thread at a time uses it; calls block.
  package final class FleetHosts {
    private let database: FleetDatabase

    /// The number of rows that one statement deletes, so that writers never wait long.
    private static let rowsOfStatement = 10_000

    package init(_ address: FleetAddress) {
      database = FleetDatabase(
        address, withoutRights: "Only the role that made the tables may do this: name it in the address.")
    }

    /// All hosts, by name.
    ///
    /// - Throws: `fleetUnreachable`, `fleetUnusable` or `busy`.
    package func all() throws(LoadLogError) -> [FleetHostRow] {
      try run("SELECT \(FleetHostRow.columns) FROM fleet_hosts ORDER BY host, host_id").rows
        .compactMap { FleetHostRow($0) }
    }

    /// Retires a host: reports no longer show it, and it can no longer ship. ``prune(before:)`` then deletes its rows.
    ///
    /// - Parameter host: its name or id.
    /// - Throws: `notFound`, `ambiguousID` if several hosts have the name, `fleetUnreachable`, `fleetUnusable` or `busy`.
    package func retire(_ host: String) throws(LoadLogError) {
      let matches = try all().filter {
        $0.host.id.description == host.lowercased() || [$0.host.name, $0.host.distinctName].contains(host)
      }
      let serving = matches.filter { $0.host.state != .retired }
      guard let found = serving.first ?? matches.first else {
        throw LoadLogError(
          .notFound, what: "host", value: host, why: "the fleet does not know it",
          advice: "List all: loadlog fleet hosts")
      }
      guard serving.count <= 1 else {
        let ids = serving.map { row in
          let heard = DurationText.elapsed(row.silentFor.wholeNanoseconds)
          return "\(row.host.id) (\(row.host.state.rawValue), last heard \(heard) ago)"
        }.joined(separator: ", ")
        throw LoadLogError(
          .ambiguousID, what: "host", value: host, why: "\(serving.count) hosts have this name",
          advice: "Pass the id instead: \(ids)")
      }
      try run(
        "UPDATE host SET retired_at = now() WHERE id = $1::UUID AND retired_at IS NULL",
        [found.host.id.description])
    }

    /// Deletes finished loads, unmatched finishes, counters of days and flips from before the UTC day of a time, and all
    /// rows of retired hosts. Counters over all time stay, and so does the row in `host`, which keeps a retired host from
    /// shipping. Each day is kept or deleted as a whole, so the counters of days show whether loads have no row.
    ///
    /// Only the role that owns the tables can do it. It deletes in small transactions; a call that fails can be repeated.
    ///
    /// - Parameter time: in microseconds since 1970.
    /// - Returns: the number of deleted rows.
    /// - Throws: `fleetUnreachable`, `fleetUnusable` or `busy`.
    @discardableResult
    package func prune(before time: Int64) throws(LoadLogError) -> Int {
      let day = UTCDay(of: time)
      let old: [(table: ShippedTable, condition: String, limit: Int64)] = [
        // First: without the counters of days, questions know that loads may be missing.
        (.summary, "day >= 0 AND day < $1::BIGINT", day.number),
        (.site, "day >= 0 AND day < $1::BIGINT AND count = 0", day.number),
        (.session, "started_at < $1::BIGINT AND (state BETWEEN 1 AND 5 OR state IS NULL)", day.start),
        (.flip, "at < $1::BIGINT", day.start),
      ]
      var count = 0
      for (table, condition, limit) in old { count += try delete(table, condition, [String(limit)]) }
      for table in ShippedTable.allCases {
        count += try delete(table, "host IN (SELECT id FROM host WHERE retired_at IS NOT NULL)", [])
      }
      return count
    }

    private func delete(
      _ table: ShippedTable, _ condition: String, _ values: [String]
    ) throws(LoadLogError) -> Int {
      let key = (["host"] + table.columns.filter(\.isKey).map(\.name)).joined(separator: ", ")
      let statement = """
        DELETE FROM \(table.rawValue) WHERE (\(key)) IN (
          SELECT \(key) FROM \(table.rawValue) WHERE \(condition) LIMIT \(Self.rowsOfStatement))
        """
      var count = 0
      while true {
        let changed = try run(statement, values).changed
        count += changed
        guard changed == Self.rowsOfStatement else { return count }
      }
    }

    /// Runs a statement in a transaction of its own.
    @discardableResult
    private func run(_ sql: String, _ values: [String] = []) throws(LoadLogError) -> PostgresConnection.Answer
    {
      try database.transaction(of: [PostgresConnection.Statement(sql, values)])[0]
    }
  }
#endif

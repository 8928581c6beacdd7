#if Fleet
  package import LoadLogCore

  extension FleetReader: FollowedReading {
    /// A number that changes with every batch of a host, with its silence, and when it is retired.
    ///
    /// - Throws: `fleetUnreachable`, `fleetUnusable` or `busy`.
    package func dataVersion() throws(LoadLogError) -> Int64 {
      let rows = try transaction { (connection) throws(LoadLogError) in
        try connection.run(
          """
          SELECT CAST(coalesce(sum(rev), 0) * 1000000 + count(retired_at)
            + coalesce(sum(CASE WHEN lease_until < now() THEN 1 ELSE 0 END), 0) AS BIGINT) FROM host
          """
        ).rows
      }
      return try FleetQuestion.number(rows.first?[0])
    }

    /// The store of this machine has other feeds, or there is none.
    package var listsFeeds: String {
      "List the feeds with loadlog status --fleet, those of hosts with --by-host."
    }

    /// Hosts need not ship each load as a row.
    package var noSuchLoad: (why: String, advice: String)? {
      (
        "no host has shipped a row of a load with this id",
        "List the loads that have rows with loadlog history --fleet."
      )
    }
  }

  extension FleetReader {
    /// All hosts by name, retired ones too, and the time by the database's clock, in microseconds since 1970.
    ///
    /// - Parameter countingLoads: whether to ask how many loads each host has recorded, too, which takes a fifth longer.
    /// - Throws: `fleetUnreachable`, `fleetUnusable` or `busy`.
    package func fleetHosts(
      countingLoads: Bool
    ) throws(LoadLogError) -> (hosts: [FleetHost], now: Int64) {
      let loads = "coalesce((SELECT loads FROM summary WHERE host = host_id AND day = -1 AND feed = 0), 0)"
      let rows = try transaction { (connection) throws(LoadLogError) in
        try connection.run(
          """
          SELECT CAST(EXTRACT(EPOCH FROM now()) * 1000000 AS BIGINT),
            \(countingLoads ? loads : "NULL"), hosts.*
          FROM (SELECT \(FleetHostRow.columns) FROM fleet_hosts) AS hosts
          ORDER BY hosts.host, host_id
          """
        ).rows
      }
      var hosts: [FleetHost] = []
      for row in rows {
        guard let host = FleetHostRow(Array(row.dropFirst(2))) else { throw .unreadableFleet }
        let recorded = countingLoads ? Int(clamping: try FleetQuestion.number(row[1])) : nil
        hosts.append(FleetHost(host, recorded: recorded))
      }
      guard let now = rows.first?[0] else { return ([], 0) }
      return (hosts, try FleetQuestion.number(now))
    }
  }

  extension FleetHost {
    fileprivate init(_ row: FleetHostRow, recorded: Int?) {
      self.init(
        id: row.id, name: row.name, state: row.state, version: row.version, loads: row.loads,
        waiting: row.waiting,
        clockOffset: row.clockOffset.wholeNanoseconds / 1000, heard: row.syncedAt.microseconds ?? 0,
        leaseUntil: row.leaseUntil.flatMap(\.microseconds), retired: row.retiredAt.flatMap(\.microseconds),
        recorded: recorded)
    }
  }
#endif

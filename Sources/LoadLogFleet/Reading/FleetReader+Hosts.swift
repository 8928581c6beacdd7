#if Fleet
  package import LoadLogCore

  extension FleetReader: FollowedReading {
    /// A number that changes with every batch of a host, with its silence, when it has closed, and when it is retired.
    ///
    /// - Throws: `fleetUnreachable`, `fleetUnusable` or `busy`.
    package func dataVersion() throws(LoadLogError) -> Int64 {
      let rows = try transaction { (connection) throws(LoadLogError) in
        try connection.run(
          """
          SELECT CAST(coalesce(sum(rev), 0) * 1000000 + count(retired_at)
            + coalesce(sum(CASE WHEN lease_until IS NULL THEN 1000 WHEN lease_until < now() THEN 1 ELSE 0 END), 0)
            AS BIGINT) FROM host
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
    /// All hosts by name, retired ones too, and the time by the database's clock, or by that of this machine if there is no
    /// host; in microseconds since 1970.
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
          SELECT \(countingLoads ? loads : "NULL"), hosts.*
          FROM (SELECT \(FleetHostRow.columns) FROM fleet_hosts) AS hosts
          ORDER BY hosts.host, host_id
          """
        ).rows
      }
      var answer: (hosts: [FleetHost], now: Int64) = ([], clock.now().wall)
      for row in rows {
        guard let found = FleetHostRow(Array(row.dropFirst())) else { throw .unreadableFleet }
        var host = found.host
        if countingLoads { host.recorded = Int(clamping: try FleetQuestion.number(row[0])) }
        answer.hosts.append(host)
        answer.now = found.now
      }
      let shared = FleetHost.sharedNames(answer.hosts)
      for index in answer.hosts.indices { answer.hosts[index].distinguish(shared) }
      return answer
    }
  }
#endif

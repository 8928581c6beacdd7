#if Fleet
  import LoadLogCore
  import LoadLogSQLite

  /// Which host a row is of.
  extension FleetQuestion {
    /// The hosts with loads of the added feeds that do not ship every load as a row, by name.
    func hostsWithoutRows() throws(LoadLogError) -> [String] {
      try hosts { $0.host.loads != ShippedLoads.all.rawValue }
    }

    /// The hosts with loads of the added feeds that ship no messages, by name.
    func hostsWithoutMessages() throws(LoadLogError) -> [String] { try hosts { !$0.withMessages } }

    private func hosts(_ isMeant: (FleetHostRow) -> Bool) throws(LoadLogError) -> [String] {
      guard hosts.values.contains(where: isMeant) else { return [] }
      let rows = try rows(
        """
        SELECT DISTINCT s.host FROM summary AS s \(feedJoin(of: "s"))
        WHERE \(chosen("s")) AND s.day = -1 AND s.feed <> 0 AND s.loads > 0
        """)
      var names: [String] = []
      for row in rows {
        if let host = hosts[try Self.id(row[0])], isMeant(host) { names.append(host.host.shownName) }
      }
      return names.sorted()
    }

    /// Names the hosts of loads that were fetched.
    func nameHosts(of loads: inout [LoadingSession]) {
      let names = hostNames
      for index in loads.indices { loads[index].fleetHost = names[loads[index].id] }
    }

    /// Names the hosts of imbalances that were fetched.
    func nameHosts(of imbalances: inout [Imbalance]) {
      let names = hostNames
      for index in imbalances.indices { imbalances[index].fleetHost = names[imbalances[index].id] }
    }

    /// Names the hosts of the loads of a status.
    func nameHosts(of feeds: inout [FeedStatus]) {
      let names = hostNames
      for index in feeds.indices {
        if let id = feeds[index].oldestRunning?.id { feeds[index].oldestRunning?.fleetHost = names[id] }
        if let id = feeds[index].lostLoad?.id { feeds[index].lostLoad?.fleetHost = names[id] }
      }
    }

    /// The names of the hosts of the loads and unmatched finishes that were fetched, by the ids of these.
    private var hostNames: [SessionID: String] {
      var keys: [SessionID: RowKey] = [:]
      for (key, values) in [sessions, unmatched].joined() {
        // A copied store ships its loads twice, and the image has those of the first host.
        if case .uuid(let id) = values[1] { keys[id] = min(key, keys[id] ?? key) }
      }
      return keys.compactMapValues { hosts[$0.host]?.host.shownName }
    }
  }
#endif

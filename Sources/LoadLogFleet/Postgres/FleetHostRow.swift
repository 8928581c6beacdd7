#if Fleet
  package import LoadLogCore

  /// A host of a fleet, as its database knows it.
  package struct FleetHostRow: Sendable {
    /// The host; how many loads it has recorded was not asked.
    package internal(set) var host: FleetHost
    package let withMessages: Bool
    /// The time by the database's clock, in microseconds since 1970.
    package let now: Int64

    /// How long ago the host was heard.
    package var silentFor: Duration { .microseconds(now - host.heard) }
  }

  extension FleetHostRow {
    /// The columns that ``init(_:)`` takes, of the view `fleet_hosts`. Times are in microseconds.
    static let columns = """
      host_id, host, state, version, loads, with_messages, waiting,
      CAST(clock_offset * 1000000 AS BIGINT), \(microseconds("synced_at")), \(microseconds("lease_until")),
      \(microseconds("retired_at")), \(microseconds("now()"))
      """

    private static func microseconds(_ time: String) -> String {
      "CAST(EXTRACT(EPOCH FROM \(time)) * 1000000 AS BIGINT)"
    }

    /// Reads a row of ``columns``; nil if it is none.
    init?(_ row: [String?]) {
      let number = { (index: Int) in row[index].flatMap { Int64($0) } }
      guard row.count == 12, let id = row[0].flatMap({ SessionID($0) }), let name = row[1],
        let state = row[2].flatMap(FleetHost.State.init), let version = row[3], let loads = row[4],
        let waiting = number(6), let clockOffset = number(7), let heard = number(8), let now = number(11)
      else { return nil }
      host = FleetHost(
        id: id, name: name, state: state, version: version, loads: loads, waiting: Int(waiting),
        clockOffset: clockOffset, heard: heard, leaseUntil: number(9), retired: number(10), recorded: nil)
      withMessages = row[5] == "t"
      self.now = now
    }
  }
#endif

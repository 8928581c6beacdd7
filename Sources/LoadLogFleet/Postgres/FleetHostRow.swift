#if Fleet
  package import Foundation
  package import LoadLogCore

  /// A host of a fleet, as its database knows it.
  package struct FleetHostRow: Sendable {
    package let id: SessionID
    package let name: String
    package let state: FleetHost.State
    package let machineID: String
    /// The version of LoadLog that shipped last.
    package let version: String
    /// Which loads it ships as rows: `all`, `unusual` or `none`.
    package let loads: String
    package let withMessages: Bool
    /// How many changes it had not shipped when it shipped last.
    package let waiting: Int
    /// How far the database's clock is ahead of the host's.
    package let clockOffset: Duration
    /// When it shipped last, by the database's clock.
    package let syncedAt: Date
    /// How long ago that was.
    package let silentFor: Duration
    /// Until when it counts as alive; nil if it said goodbye.
    package let leaseUntil: Date?
    package let retiredAt: Date?
  }

  extension FleetHostRow {
    /// The columns that ``init(_:)`` takes, of the view `fleet_hosts`. Times are in microseconds.
    static let columns = """
      host_id, host, state, machine_id, version, loads, with_messages, waiting,
      CAST(clock_offset * 1000000 AS BIGINT), \(microseconds("synced_at")), \(microseconds("lease_until")),
      \(microseconds("retired_at")), \(microseconds("now()"))
      """

    private static func microseconds(_ time: String) -> String {
      "CAST(EXTRACT(EPOCH FROM \(time)) * 1000000 AS BIGINT)"
    }

    /// Reads a row of ``columns``; nil if it is none.
    init?(_ row: [String?]) {
      let number = { (index: Int) in row[index].flatMap { Int64($0) } }
      let date = { (index: Int) in number(index).map { Date(timeIntervalSince1970: Double($0) / 1e6) } }
      guard row.count == 13, let id = row[0].flatMap({ SessionID($0) }), let name = row[1],
        let state = row[2].flatMap(FleetHost.State.init), let machineID = row[3], let version = row[4],
        let loads = row[5],
        let waiting = number(7), let offset = number(8), let synced = number(9), let now = number(12),
        let syncedAt = date(9)
      else { return nil }
      self.init(
        id: id, name: name, state: state, machineID: machineID, version: version, loads: loads,
        withMessages: row[6] == "t", waiting: Int(waiting), clockOffset: .microseconds(offset),
        syncedAt: syncedAt,
        silentFor: .microseconds(now - synced), leaseUntil: date(10), retiredAt: date(11))
    }
  }
#endif

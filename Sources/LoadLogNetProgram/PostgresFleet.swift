import Foundation
import LoadLog
import LoadLogCLI
import LoadLogFleet
import LoadLogSQLite

#if Fleet
  /// A fleet's PostgreSQL database, for the verbs.
  struct PostgresFleet: FleetConnection {
    private let address: FleetAddress

    /// - Throws: `invalidInput` or `fleetUnusable` if the address is malformed, missing, or not safe.
    static func connection(_ options: FleetAddressOptions) throws(LoadLogError) -> any FleetConnection {
      let address = try FleetAddress.find(options.to, allowsInsecureTransport: options.insecureTransport)
      return PostgresFleet(address: address)
    }

    var name: String { address.place }

    func reader(_ options: FleetReaderOptions) throws(LoadLogError) -> any FleetReading {
      FleetReader(address, options)
    }

    func initialize(writer: String?, reader: String?) throws(LoadLogError) {
      try FleetSchema(address).initialize(writer: writer, reader: reader)
    }

    func retire(_ host: String) throws(LoadLogError) { try FleetHosts(address).retire(host) }

    func prune(before cutoff: Int64) throws(LoadLogError) -> Int {
      try FleetHosts(address).prune(before: cutoff)
    }

    func sync(
      _ path: String, _ settings: StoreOutbox.Settings, every interval: Duration?, lease: Duration?,
      onRound: @escaping @Sendable (Result<(loads: Int, rows: Int), LoadLogError>) -> Void
    ) async throws(LoadLogError) {
      let sync = FleetSync(storeAt: path, settings: settings, lease: lease) { [address] in
        PostgresDestination(address)
      }
      guard let interval else {
        let round = try await sync.round()
        return onRound(.success((round.loads, round.rows)))
      }
      try await sync.run(every: interval) { onRound($0.map { ($0.loads, $0.rows) }) }
    }
  }

  extension FleetReader: FleetReading {}
#else
  /// The verbs of a fleet in a program that was built without them.
  enum PostgresFleet {
    /// - Throws: that this program knows no fleet.
    static func connection(_: FleetAddressOptions) throws(LoadLogError) -> any FleetConnection {
      throw LoadLogError(
        .io, what: "loadlog-net", why: "it was built without the fleet",
        advice: "Build it with: swift build --traits Server,Fleet --product loadlog-net")
    }
  }
#endif

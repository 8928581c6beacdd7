package import LoadLog

/// A fleet's database, for the verbs that ask it or ship to it. `loadlog-net` makes one; `loadlog` knows no network.
package protocol FleetConnection: Sendable {
  /// The database, as messages and JSON name it: without a user's secrets.
  var name: String { get }
  /// Answers questions about the chosen hosts. Connects with the first one, and keeps the connection.
  func reader(_ options: FleetReaderOptions) throws(LoadLogError) -> any FleetReading
  /// Creates the tables, and grants rights on them to roles that exist.
  func initialize(writer: String?, reader: String?) throws(LoadLogError)
  /// Takes a host out of the fleet.
  func retire(_ host: String) throws(LoadLogError)
  /// Deletes rows of loads and days before a wall time in microseconds, and what is left of retired hosts.
  ///
  /// - Returns: the number of rows.
  func prune(before cutoff: Int64) throws(LoadLogError) -> Int
  /// Ships a store once, or every so often until the task is cancelled.
  ///
  /// - Parameters:
  ///   - path: the store.
  ///   - settings: what to ship.
  ///   - onRound: called after each round with what was shipped, or with why it failed.
  func sync(
    _ path: String, _ settings: SyncSettings,
    onRound: @escaping @Sendable (Result<SyncedRound, LoadLogError>) -> Void
  ) async throws(LoadLogError)
}

/// Which hosts questions are about, how their feeds are named, and how long an answer may take.
package struct FleetReaderOptions: Sendable {
  /// Names or patterns of hosts; all that are not retired if it is empty.
  package var hosts: [String] = []
  /// Whether the same feed of two hosts is two feeds, named HOST/FEED.
  package var isByHost = false
  /// How long the database may take for a question; nil for the usual time for each of its statements.
  package var deadline: Duration?

  /// The same about each host by itself.
  var ofSingleHosts: FleetReaderOptions {
    FleetReaderOptions(hosts: hosts, isByHost: true, deadline: deadline)
  }
}

/// What `sync` ships, and how often.
package struct SyncSettings: Sendable {
  /// The host's name; nil to keep it, at first that of the machine.
  package var name: String?
  /// Which loads are shipped as rows; nil to keep it, at first unusual ones.
  package var loads: ShippedLoads?
  /// Whether messages are shipped; nil to keep it, at first no.
  package var withMessages: Bool?
  package var asNewHost: Bool
  /// The time between rounds; nil for a single one.
  package var interval: Duration?
  /// For how long the host counts as alive after a round; nil for the usual time, and at least three intervals.
  package var lease: Duration?
}

/// What a round of `sync` shipped.
package struct SyncedRound: Sendable {
  package var loads: Int
  package var rows: Int

  /// Creates it from its parts.
  package init(loads: Int, rows: Int) {
    self.loads = loads
    self.rows = rows
  }
}

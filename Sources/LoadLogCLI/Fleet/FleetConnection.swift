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
  ///   - interval: the time between rounds; nil for a single one.
  ///   - lease: for how long the host counts as alive after a round; nil for the usual time, and at least three intervals.
  ///   - onRound: called after each round with how many loads and rows it shipped, or with why it failed.
  func sync(
    _ path: String, _ settings: StoreOutbox.Settings, every interval: Duration?, lease: Duration?,
    onRound: @escaping @Sendable (Result<(loads: Int, rows: Int), LoadLogError>) -> Void
  ) async throws(LoadLogError)
}

package import LoadLogCore
package import LoadLogSQLite

/// A database that the stores of many hosts ship their rows to.
///
/// Calls block the thread, and end within a bounded time. One thread at a time uses a destination.
package protocol FleetDestination: AnyObject {
  /// Where the rows of a host stand; nil if the database does not know it.
  ///
  /// - Throws: `fleetUnreachable`, `fleetUnusable`, or `busy` if the database did not answer in time.
  func position(of host: SessionID) throws(LoadLogError) -> ShippedPosition?

  /// What of a host's rows may no longer be so; empty if the database does not know the host.
  func remains(of host: SessionID) throws(LoadLogError) -> ShippedRemains

  /// Writes a batch if the host's rows stand at its base; all of it, or nothing.
  ///
  /// An error does not say whether the batch arrived: ask for the position.
  ///
  /// - Parameter lease: for how long the host counts as alive from now on.
  /// - Returns: whether the base was the host's position.
  func send(_ batch: ShippedBatch, lease: Duration) throws(LoadLogError) -> Bool

  /// Ends the host's lease, because the host stops syncing.
  func endLease(of host: SessionID) throws(LoadLogError)
}

package import LoadLog

/// A fleet's record, about which more can be asked than about a store's.
package protocol FleetReading: FollowedReading {
  /// Connects, so that the next question has all of its time, however many hosts of the address are silent.
  func connect() throws(LoadLogError)
  /// All hosts by name, chosen or not, and the time by the database's clock, in microseconds since 1970.
  ///
  /// - Parameter countingLoads: whether it is asked how many loads each host has recorded.
  func fleetHosts(countingLoads: Bool) throws(LoadLogError) -> (hosts: [FleetHost], now: Int64)
  /// The feeds of single hosts, named HOST/FEED, of which something may be wrong.
  func suspects(_ feeds: [FeedPattern]) throws(LoadLogError) -> [FeedStatus]
  /// Begins an export of what the chosen hosts have shipped.
  ///
  /// - Parameters:
  ///   - filter: the feeds, and the time window of the loads' starts.
  ///   - onlyFlips: whether to export only the flips.
  /// - Returns: the export, how many loads of the window only counters know, and which hosts ship no messages.
  func export(
    _ filter: LoadFilter, onlyFlips: Bool
  ) throws(LoadLogError) -> (rows: StoreExport, counted: Int, withoutMessages: [String])
}

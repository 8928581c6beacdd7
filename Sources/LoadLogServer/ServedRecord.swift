package import LoadLog
package import LoadLogCLI
import LoadLogCore
import LoadLogReports

/// The record that a server shows.
package enum ServedRecord: Sendable {
  /// The store at a path.
  case store(String)
  /// A fleet.
  case fleet(AskedFleet)

  /// The store's path, or the fleet's name, as answers name it.
  var name: String {
    switch self {
    case .store(let path): path
    case .fleet(let fleet): fleet.name
    }
  }

  /// The path of the store; nil if it is a fleet, in which nothing can be recorded.
  var path: String? { if case .store(let path) = self { path } else { nil } }

  /// The options with which commands ask the fleet; nil if it is a store.
  var fleetOptions: String? { if case .fleet(let fleet) = self { fleet.words } else { nil } }

  /// The least time between two announcements of changes, in nanoseconds: some host of a fleet always ships.
  var pause: Int64 { path == nil ? 5_000_000_000 : 0 }

  /// Opens the record for reading. A fleet has one reader for all.
  package func open() throws(LoadLogError) -> any FollowedReading {
    switch self {
    case .store(let path): try SQLiteLoadReader(at: path)
    case .fleet(let fleet): fleet.reader
    }
  }

  /// A line for each thing that is wrong with the hosts of a fleet; none of a store.
  ///
  /// - Parameter feeds: the feeds whose problems count; empty for all.
  func trouble(_ feeds: [FeedPattern]) throws(LoadLogError) -> [String] {
    if case .fleet(let fleet) = self { try fleet.trouble(feeds).lines } else { [] }
  }
}

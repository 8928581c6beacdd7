/// A host of a fleet, as the fleet's database has it.
package struct FleetHost: Sendable, Hashable {
  /// What is known of a host's life.
  package enum State: String, Sendable, CaseIterable {
    /// Its lease holds.
    case alive
    /// Its lease ended by time: it has not shipped for too long.
    case silent
    /// It ended its lease itself, when its sync received a signal.
    case closed
    /// It must not ship any more.
    case retired
  }

  /// Which of the hosts with its name it is.
  package var id: SessionID
  /// The name that people know it by.
  package var name: String
  /// Whether another host in use has its name.
  private var isTwin = false
  /// What the database says of its life.
  package var state: State
  /// The version of LoadLog that shipped last.
  package var version: String
  /// Which loads it ships as rows: all, unusual or none.
  package var loads: String
  /// How many changes of its store were not shipped when it was heard last.
  package var waiting: Int
  /// How far its clock is behind the database's, in microseconds; negative if it is ahead.
  package var clockOffset: Int64
  /// When it was heard last, in microseconds since 1970 by the database's clock.
  package var heard: Int64
  /// Until when it counts as alive, by the same clock; nil if it ended its lease itself.
  package var leaseUntil: Int64?
  /// When it was retired, in microseconds since 1970; nil if it was not.
  package var retired: Int64?
  /// How many loads it has recorded; nil if that was not asked.
  package var recorded: Int?

  /// Creates a host from its parts.
  package init(
    id: SessionID, name: String, state: State, version: String, loads: String, waiting: Int,
    clockOffset: Int64,
    heard: Int64, leaseUntil: Int64?, retired: Int64?, recorded: Int?
  ) {
    self.id = id
    self.name = name
    self.state = state
    self.version = version
    self.loads = loads
    self.waiting = waiting
    self.clockOffset = clockOffset
    self.heard = heard
    self.leaseUntil = leaseUntil
    self.retired = retired
    self.recorded = recorded
  }

  /// A clock that is further off, in microseconds, makes dates of the host doubtful.
  private static let mostClockOffset: UInt64 = 1_000_000

  /// Whether the host's clock is so far off that its dates are doubtful.
  package var hasWrongClock: Bool { clockOffset.magnitude > Self.mostClockOffset }

  /// A name that no other host has.
  package var distinctName: String { "\(name)#\(id.tail)" }

  /// The name that answers call it by.
  package var shownName: String { isTwin ? distinctName : name }

  /// Whether a pattern names it, by either name.
  package func isNamed(by pattern: FeedPattern) -> Bool {
    [name, distinctName].contains { pattern.matches(Feed($0)) }
  }

  /// The names that several hosts in use have.
  package static func sharedNames(_ hosts: [FleetHost]) -> Set<String> {
    var names: Set<String> = []
    return Set(hosts.filter { $0.state != .retired && !names.insert($0.name).inserted }.map(\.name))
  }

  /// Shows its distinct name in answers if it shares its name.
  ///
  /// - Parameter shared: ``sharedNames(_:)`` of all hosts.
  package mutating func distinguish(_ shared: Set<String>) {
    isTwin = state != .retired && shared.contains(name)
  }
}

/// A host of a fleet, as the fleet's database has it.
package struct FleetHost: Sendable, Hashable {
  /// The name that people know it by.
  package var name: String
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
  /// Until when it counts as alive, by the same clock; nil if it said goodbye.
  package var leaseUntil: Int64?
  /// When it was retired, in microseconds since 1970; nil if it was not.
  package var retired: Int64?
  /// How many loads it has recorded.
  package var recorded: Int

  /// Creates a host from its parts.
  package init(
    name: String, version: String, loads: String, waiting: Int, clockOffset: Int64, heard: Int64,
    leaseUntil: Int64?,
    retired: Int64?, recorded: Int
  ) {
    self.name = name
    self.version = version
    self.loads = loads
    self.waiting = waiting
    self.clockOffset = clockOffset
    self.heard = heard
    self.leaseUntil = leaseUntil
    self.retired = retired
    self.recorded = recorded
  }

  /// What is known of a host at a time.
  package enum Condition: String, Sendable {
    /// It was heard within its lease.
    case alive
    /// It said goodbye.
    case closed
    /// Its lease is over, and nothing was heard of it.
    case silent
    /// It was taken out of the fleet.
    case retired
  }

  /// The condition at a time of the database's clock, in microseconds since 1970.
  package func condition(at now: Int64) -> Condition {
    guard retired == nil else { return .retired }
    guard let leaseUntil else { return .closed }
    return leaseUntil > now ? .alive : .silent
  }

  /// A clock that is further off, in microseconds, makes dates of the host doubtful.
  private static let mostClockOffset: UInt64 = 1_000_000

  /// Whether the host's clock is so far off that its dates are doubtful.
  package var hasWrongClock: Bool { clockOffset.magnitude > Self.mostClockOffset }
}

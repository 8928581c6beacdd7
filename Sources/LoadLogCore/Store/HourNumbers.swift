/// The numbers of a feed in one hour.
public struct HourNumbers: Sendable, Hashable {
  /// The length of an hour in microseconds.
  public static let length: Int64 = 3_600_000_000

  /// The feed.
  public let feed: Feed
  /// The start of the hour, in microseconds since 1970.
  public let start: Int64
  /// The number of loads that started in the hour, and the numbers of those with a verdict.
  public private(set) var numbers = LoadNumbers()
  /// The durations of loads that succeeded or were unchanged.
  public private(set) var succeeded = DurationTally()
  /// The durations of all other finished loads.
  public private(set) var others = DurationTally()

  /// Creates numbers of 0 for the hour that contains a wall time, in microseconds since 1970.
  public init(feed: Feed, containing wall: Int64) {
    self.feed = feed
    start = wall.subtractingClamping(CivilTime.floorDivide(wall, by: Self.length).rest)
  }

  /// Whether the hour contains a wall time in microseconds since 1970.
  public func contains(_ wall: Int64) -> Bool {
    wall >= start && wall.subtractingClamping(start) < Self.length
  }

  /// Counts a load.
  ///
  /// - Parameters:
  ///   - state: the state of the load.
  ///   - duration: the duration of a finished load in nanoseconds.
  public mutating func count(_ state: SessionState, duration: Int64?) {
    numbers.loads += 1
    switch state {
    case .running: numbers.running += 1
    case .succeeded: numbers.succeeded += 1
    case .unchanged: numbers.unchanged += 1
    case .failed: numbers.failed += 1
    case .cancelled: numbers.cancelled += 1
    case .ended: numbers.ended += 1
    case .crashed, .rebooted, .abandoned: numbers.unbalanced.add(.unfinishedStart(state), acknowledged: true)
    }
    guard state.isFinished, let duration else { return }
    if state.isSuccess { succeeded.add(duration) } else { others.add(duration) }
  }
}

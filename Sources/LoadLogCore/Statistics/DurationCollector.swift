/// Takes durations one by one and tells their statistics: exact up to 1,000 of them, from a histogram
/// beyond, so that memory stays bounded.
public struct DurationCollector: Sendable {
  /// Up to so many durations quantiles are exact.
  public static let exactLimit = 1000

  /// What is kept of all of them.
  public private(set) var tally = DurationTally()
  private var exact: [Int64] = []

  /// Nothing collected yet.
  public init() {}

  /// How many durations were collected.
  public var count: Int { tally.count }

  /// Collects a duration in nanoseconds.
  public mutating func add(_ duration: Int64) {
    tally.add(duration)
    if count <= Self.exactLimit { exact.append(duration) } else { exact = [] }
  }

  /// The statistics; nil if nothing was collected.
  public var statistics: DurationStatistics? {
    tally.statistics(sorted: count <= Self.exactLimit ? exact.sorted() : nil)
  }
}

/// Computes statistics of durations in bounded memory: exact for up to 1,000 durations, from a histogram for
/// more.
package struct DurationCollector: Sendable {
  /// The maximum number of durations for which quantiles are exact.
  package static let exactLimit = 1000

  /// The tally of all durations.
  package private(set) var tally = DurationTally()
  private var exact: [Int64] = []

  /// Creates an empty collector.
  package init() {}

  /// The number of collected durations.
  package var count: Int { tally.count }

  /// Adds a duration in nanoseconds.
  package mutating func add(_ duration: Int64) {
    tally.add(duration)
    if count <= Self.exactLimit { exact.append(duration) } else { exact = [] }
  }

  /// The statistics; nil if there are no durations.
  package var statistics: DurationStatistics? {
    tally.statistics(sorted: count <= Self.exactLimit ? exact.sorted() : nil)
  }
}

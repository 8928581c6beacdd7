public import LoadLogCore

/// The results and durations of a feed's loads, by point of the charts.
public struct DaySeries: Sendable, Hashable {
  /// The number of loads that started on the days of each point.
  public private(set) var loads: [Int]
  /// The number of those loads that failed.
  public private(set) var failed: [Int]
  private var succeeded: [DurationStatistics?]
  private var others: [DurationStatistics?]
  private var allSucceeded = DurationTally()
  private var allOthers = DurationTally()

  /// Creates a series without loads.
  public init(_ bins: DayBins) {
    loads = Array(repeating: 0, count: bins.count)
    failed = loads
    succeeded = Array(repeating: nil, count: bins.count)
    others = succeeded
  }

  /// Adds days of the feed. Pass all days of a point in one call; days that are not shown are ignored.
  public mutating func add(_ days: [DayNumbers], in bins: DayBins) {
    for (index, days) in Dictionary(grouping: days, by: { bins.index(of: $0.day) }) {
      if let index { add(days, at: index) }
    }
  }

  private mutating func add(_ days: [DayNumbers], at index: Int) {
    loads[index] = days.reduce(0) { $0.addingClamping($1.numbers.loads) }
    failed[index] = days.reduce(0) { $0.addingClamping($1.numbers.failed) }
    let succeeded = days.reduce(into: DurationTally()) { $0.merge($1.succeeded) }
    let others = days.reduce(into: DurationTally()) { $0.merge($1.others) }
    self.succeeded[index] = succeeded.statistics()
    self.others[index] = others.statistics()
    allSucceeded.merge(succeeded)
    allOthers.merge(others)
  }

  /// Whether durations are those of loads that succeeded or were unchanged. If there are none, they are those
  /// of all finished loads.
  public var isOfSuccesses: Bool { allSucceeded.count > 0 }

  /// The durations of all points together.
  public var durations: DurationTally { isOfSuccesses ? allSucceeded : allOthers }

  /// Statistics of the durations at each point; nil where no load finished.
  public var statistics: [DurationStatistics?] { isOfSuccesses ? succeeded : others }
}

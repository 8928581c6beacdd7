public import LoadLogCore

/// What became of a feed's loads, point by point of the charts.
public struct DaySeries: Sendable, Hashable {
  /// How many loads started at each point.
  public private(set) var loads: [Int]
  /// How many of them failed.
  public private(set) var failed: [Int]
  private var succeeded: [DurationStatistics?]
  private var others: [DurationStatistics?]
  private var allSucceeded = DurationTally()
  private var allOthers = DurationTally()

  /// A series in which nothing was loaded yet.
  public init(_ bins: DayBins) {
    loads = Array(repeating: 0, count: bins.count)
    failed = loads
    succeeded = Array(repeating: nil, count: bins.count)
    others = succeeded
  }

  /// Takes in days of a feed. All days of one point come in one call; those that are not shown are left out.
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

  /// The durations are those of loads that succeeded or were unchanged. Where there is none, of all that
  /// finished.
  public var isOfSuccesses: Bool { allSucceeded.count > 0 }

  /// All durations together.
  public var durations: DurationTally { isOfSuccesses ? allSucceeded : allOthers }

  /// How long the loads of each point took; nil where none finished.
  public var statistics: [DurationStatistics?] { isOfSuccesses ? succeeded : others }
}

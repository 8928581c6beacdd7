import LoadLogCore

/// The results and durations of loads, by point of the charts.
struct ChartSeries: Sendable, Hashable {
  /// The number of loads that started in the time of each point.
  private(set) var loads: [Int]
  /// The number of those loads that failed.
  private(set) var failed: [Int]
  /// The number of those loads that crashed, were rebooted or abandoned.
  private(set) var unfinished: [Int]
  private var succeeded: [DurationStatistics?]
  private var others: [DurationStatistics?]
  private var allSucceeded = DurationTally()
  private var allOthers = DurationTally()

  /// Creates a series without loads.
  init(_ bins: ChartBins) {
    loads = Array(repeating: 0, count: bins.count)
    failed = loads
    unfinished = loads
    succeeded = Array(repeating: nil, count: bins.count)
    others = succeeded
  }

  /// Adds days. Pass all days of a point in one call; days that are not shown are ignored.
  mutating func add(_ days: [DayNumbers], in bins: ChartBins) {
    for (index, days) in Dictionary(grouping: days, by: { bins.index(of: $0.day.start) }) {
      if let index { add(days.map { ($0.numbers, $0.succeeded, $0.others) }, at: index) }
    }
  }

  /// Adds hours. Pass all feeds of an hour in one call; hours that are not shown are ignored.
  mutating func add(_ hours: [HourNumbers], in bins: ChartBins) {
    for (index, hours) in Dictionary(grouping: hours, by: { bins.index(of: $0.start) }) {
      if let index { add(hours.map { ($0.numbers, $0.succeeded, $0.others) }, at: index) }
    }
  }

  private mutating func add(_ parts: [(LoadNumbers, DurationTally, DurationTally)], at index: Int) {
    var (succeeded, others) = (DurationTally(), DurationTally())
    for (numbers, partSucceeded, partOthers) in parts {
      loads[index] = loads[index].addingClamping(numbers.loads)
      failed[index] = failed[index].addingClamping(numbers.failed)
      unfinished[index] = unfinished[index].addingClamping(numbers.unbalanced.unfinished)
      succeeded.merge(partSucceeded)
      others.merge(partOthers)
    }
    self.succeeded[index] = succeeded.statistics()
    self.others[index] = others.statistics()
    allSucceeded.merge(succeeded)
    allOthers.merge(others)
  }

  /// The number of loads at a point that failed or never finished.
  func bad(_ index: Int) -> Int { min(failed[index].addingClamping(unfinished[index]), loads[index]) }

  /// Whether durations are those of loads that succeeded or were unchanged. If there are none, they are those
  /// of all finished loads.
  var isOfSuccesses: Bool { allSucceeded.count > 0 }

  /// The durations of all points together.
  var durations: DurationTally { isOfSuccesses ? allSucceeded : allOthers }

  /// Statistics of the durations at each point; nil where no load finished.
  var statistics: [DurationStatistics?] { isOfSuccesses ? succeeded : others }
}

extension ImbalanceCounts {
  /// The number of loads that never finished.
  var unfinished: Int { crashed.addingClamping(rebooted).addingClamping(abandoned) }
}

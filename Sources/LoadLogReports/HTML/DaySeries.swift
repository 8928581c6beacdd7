public import LoadLogCore

/// What became of a feed's loads, point by point of the charts.
public struct DaySeries: Sendable, Hashable {
  /// A point: one day or a few.
  public struct Point: Sendable, Hashable {
    /// Loads that started then, and those of them that failed.
    public var loads = 0, failed = 0
    /// How long they took; nil if none finished.
    public var durations: DurationStatistics?
  }

  /// A point for each bin.
  public let points: [Point]
  /// All durations together.
  public let durations: DurationTally
  /// The durations are those of loads that succeeded or were unchanged. Where there is none, of all that
  /// finished.
  public let isOfSuccesses: Bool

  /// Sorts a feed's days into bins. Days of other bins are left out.
  public init(_ days: [DayNumbers], in bins: DayBins) {
    let isOfSuccesses = days.contains { $0.succeeded.count > 0 }
    var points = [Point](repeating: Point(), count: bins.count)
    var tallies = [DurationTally](repeating: DurationTally(), count: bins.count)
    for day in days {
      guard let index = bins.index(of: day.day) else { continue }
      points[index].loads += day.numbers.loads
      points[index].failed += day.numbers.failed
      tallies[index].merge(isOfSuccesses ? day.succeeded : day.others)
      // What the record says of one day may be exact; what is merged from several never is.
      points[index].durations =
        bins.daysPerBin == 1
        ? isOfSuccesses ? day.numbers.durationSucceeded : day.numbers.duration : nil
    }
    for index in points.indices where points[index].durations == nil {
      points[index].durations = tallies[index].statistics()
    }
    self.points = points
    self.isOfSuccesses = isOfSuccesses
    durations = tallies.reduce(into: DurationTally()) { $0.merge($1) }
  }
}

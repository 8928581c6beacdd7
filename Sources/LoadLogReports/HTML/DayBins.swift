public import LoadLogCore

/// The days that a page's charts show, divided into points of one or more days.
public struct DayBins: Sendable, Hashable {
  /// Maximum number of points of a chart: a year by weeks.
  public static let limit = 53
  /// Maximum number of days that a chart shows.
  public static let longest: Int64 = 366

  /// The first and the last day.
  public let first: UTCDay, last: UTCDay
  /// The number of days per point; the first point may have fewer.
  public let daysPerBin: Int64

  /// Divides the last ``longest`` days of a range into points.
  ///
  /// - Parameters:
  ///   - first: the first day.
  ///   - last: the last day, included.
  public init(from first: UTCDay, to last: UTCDay) {
    let number = max(min(first.number, last.number), last.number - Self.longest + 1)
    self.first = UTCDay(number: number)
    self.last = last
    let span = last.number - number + 1
    daysPerBin = (span + Int64(Self.limit) - 1) / Int64(Self.limit)
  }

  /// The number of points.
  public var count: Int { Int((last.number - first.number) / daysPerBin) + 1 }

  /// Returns the index of a day's point; nil if the day is not shown.
  public func index(of day: UTCDay) -> Int? {
    guard first <= day, day <= last else { return nil }
    return count - 1 - Int((last.number - day.number) / daysPerBin)
  }

  /// Returns the first day of the point at an index.
  public func firstDay(of index: Int) -> UTCDay {
    max(first, UTCDay(number: lastDay(of: index).number - daysPerBin + 1))
  }

  /// Returns the last day of the point at an index.
  public func lastDay(of index: Int) -> UTCDay {
    UTCDay(number: last.number - Int64(count - 1 - index) * daysPerBin)
  }
}

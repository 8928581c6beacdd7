public import LoadLogCore

/// The days that the charts of a page show, a few of them to a point where there are many.
public struct DayBins: Sendable, Hashable {
  /// A chart has at most so many points: a year by weeks.
  public static let limit = 53
  /// Days further back are not shown.
  public static let longest: Int64 = 366

  /// The first and the last day.
  public let first: UTCDay, last: UTCDay
  /// How many days make a point; the first point may have fewer.
  public let daysPerBin: Int64

  /// Divides the days from one to another, both included, the last ``longest`` of them.
  public init(from first: UTCDay, to last: UTCDay) {
    let number = max(min(first.number, last.number), last.number - Self.longest + 1)
    self.first = UTCDay(number: number)
    self.last = last
    let span = last.number - number + 1
    daysPerBin = (span + Int64(Self.limit) - 1) / Int64(Self.limit)
  }

  /// How many points there are.
  public var count: Int { Int((last.number - first.number) / daysPerBin) + 1 }

  /// The point that a day belongs to; nil if it is not shown.
  public func index(of day: UTCDay) -> Int? {
    guard first <= day, day <= last else { return nil }
    return count - 1 - Int((last.number - day.number) / daysPerBin)
  }

  /// The first day of a point.
  public func firstDay(of index: Int) -> UTCDay {
    max(first, UTCDay(number: lastDay(of: index).number - daysPerBin + 1))
  }

  /// The last day of a point.
  public func lastDay(of index: Int) -> UTCDay {
    UTCDay(number: last.number - Int64(count - 1 - index) * daysPerBin)
  }
}

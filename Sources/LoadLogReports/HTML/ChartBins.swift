import LoadLogCore

/// The time that a page's charts show, divided into points of UTC days, or of hours if it is short.
struct ChartBins: Sendable, Hashable {
  /// Maximum number of points of days: a year by weeks.
  static let limit = 53
  /// Maximum number of days that a chart shows.
  static let longest: Int64 = 366
  /// Charts of less time than this, in microseconds, show hours.
  static let hourly = 3 * UTCDay.length

  /// Whether each point is one hour, not one or more days.
  let isHourly: Bool
  /// The number of days, or hours, per point; the first point may have fewer.
  let unitsPerBin: Int64
  /// The first and last day or hour, counted from 1970.
  private let first: Int64, last: Int64
  /// The time that the record covers, wall times in microseconds.
  private let recorded: Range<Int64>

  /// Divides a range into points: its last ``longest`` days, or its hours.
  ///
  /// - Parameters:
  ///   - start: the start of the range, wall time in microseconds; the point that contains it is shown whole.
  ///   - end: the end of the range, which is not included.
  ///   - recorded: the time that the record covers.
  ///   - isHourly: whether to divide it into hours, if it is shorter than ``hourly``.
  init(from start: Int64, to end: Int64, recorded: Range<Int64>, isHourly: Bool = false) {
    self.isHourly = isHourly && end.subtractingClamping(start) < Self.hourly
    self.recorded = recorded
    let unit = self.isHourly ? HourNumbers.length : UTCDay.length
    last = CivilTime.floorDivide(end.subtractingClamping(1), by: unit).quotient
    let start = min(CivilTime.floorDivide(start, by: unit).quotient, last)
    first = self.isHourly ? start : max(start, last - Self.longest + 1)
    let limit = self.isHourly ? last - first + 1 : Int64(Self.limit)
    unitsPerBin = (last - first + limit) / limit
  }

  /// The number of points.
  var count: Int { Int((last - first) / unitsPerBin) + 1 }

  /// The time that all points cover, wall times in microseconds.
  var span: Range<Int64> { start(of: 0)..<end(of: count - 1) }

  /// Returns the index of the point that contains a wall time; nil if it is not shown.
  func index(of wall: Int64) -> Int? {
    let number = CivilTime.floorDivide(wall, by: unit).quotient
    guard first <= number, number <= last else { return nil }
    return count - 1 - Int((last - number) / unitsPerBin)
  }

  /// Returns the start of the point at an index, wall time in microseconds.
  func start(of index: Int) -> Int64 {
    max(first, lastUnit(of: index) - unitsPerBin + 1).multipliedClamping(by: unit)
  }

  /// Returns the end of the point at an index, which is not included, wall time in microseconds.
  func end(of index: Int) -> Int64 {
    lastUnit(of: index).addingClamping(1).multipliedClamping(by: unit)
  }

  /// Whether a point covers less time than the others: the record starts or ends within it, or it has fewer days.
  func isPartial(_ index: Int) -> Bool {
    let (start, end) = (start(of: index), end(of: index))
    return start < recorded.lowerBound || end > recorded.upperBound
      || end.subtractingClamping(start) < unit.multipliedClamping(by: unitsPerBin)
  }

  private var unit: Int64 { isHourly ? HourNumbers.length : UTCDay.length }

  private func lastUnit(of index: Int) -> Int64 { last - Int64(count - 1 - index) * unitsPerBin }
}

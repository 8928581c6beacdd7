import LoadLogCore

/// Horizontal axis of days or hours.
struct TimeAxis {
  let bins: ChartBins
  let frame: ChartFrame
  /// Formatter of the points: days are UTC days, hours are in the page's zone.
  private let time: LocalTime

  init(bins: ChartBins, frame: ChartFrame, time: LocalTime) {
    (self.bins, self.frame) = (bins, frame)
    self.time = bins.isHourly ? time : LocalTime(zone: .fixed(hours: 0, "UTC"))
  }

  /// Width of one point on the axis.
  var step: Double { frame.width / Double(bins.count) }

  /// Returns the horizontal centre of a point.
  func x(_ index: Int) -> Double { frame.left + (Double(index) + 0.5) * step }

  /// Returns the label of a point: "21 Nov", "15 Nov – 21 Nov" for several days, or "21 Nov 14:00" for an hour, with the zone if
  /// clocks were changed.
  func name(of index: Int) -> String {
    let start = bins.start(of: index)
    let first = time.shortDate(start)
    guard !bins.isHourly else {
      // An hour may occur twice.
      let hasZone = time.abbreviation(bins.span.lowerBound) != time.abbreviation(bins.span.upperBound)
      return "\(first) \(time.minute(start))" + (hasZone ? " \(time.abbreviation(start))" : "")
    }
    let last = time.shortDate(bins.end(of: index) - 1)
    return first == last ? first : "\(first) – \(last)"
  }

  /// Range of all points: "14 Aug 2026 to 21 Nov 2026", or "21 Nov 2026 06:00 to 21 Nov 2026 10:00".
  var span: String {
    let (start, end) = (bins.span.lowerBound, bins.span.upperBound)
    if bins.isHourly {
      return "\(time.date(start)) \(time.minute(start)) to \(time.date(end)) \(time.minute(end))"
    }
    let (first, last) = (time.date(start), time.date(end - 1))
    return first == last ? first : "\(first) to \(last)"
  }

  /// The unit of the points: "whole UTC days".
  var unit: String { bins.isHourly ? "Whole hours" : "Whole UTC days" }

  /// Width of a point in words: "per hour", "per day", "per 2 days", "per week".
  var rhythm: String {
    switch bins.unitsPerBin {
    case 1: bins.isHourly ? "per hour" : "per day"
    case 7: "per week"
    default: "per \(bins.unitsPerBin) days"
    }
  }

  /// Draws the axis with at most four dates, or six hours.
  func draw(in drawing: inout Drawing) {
    guard !bins.isHourly else {
      let length = Double(bins.span.upperBound - bins.span.lowerBound)
      let ticks = HourTicks.in(bins.span, time: time, most: 6).map { wall, label in
        (frame.left + Double(wall - bins.span.lowerBound) / length * frame.width, label)
      }
      return frame.drawHorizontalAxis(ticks, in: &drawing)
    }
    let last = bins.count - 1
    // On a narrow screen a date takes almost a fifth of the width.
    let indexes = (2...4).reversed().lazy.map { evenly($0, to: last) }.first { indexes in
      zip(indexes, indexes.dropFirst()).allSatisfy { 5 * ($1 - $0) >= bins.count }
    }
    frame.drawHorizontalAxis(
      (indexes ?? [0]).map { index in
        (x(index), time.shortDate(index == last ? bins.end(of: index) - 1 : bins.start(of: index)))
      },
      in: &drawing)
  }

  /// Numbers from 0 to the last one, as evenly spaced as whole numbers can be.
  private func evenly(_ count: Int, to last: Int) -> [Int] {
    (0..<count).map { Int((Double($0 * last) / Double(count - 1)).rounded()) }
  }
}

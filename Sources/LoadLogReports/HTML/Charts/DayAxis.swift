import LoadLogCore

/// Horizontal axis of days.
struct DayAxis {
  let bins: DayBins
  let frame: ChartFrame
  private let time = LocalTime(zone: .fixed(hours: 0, "UTC"))

  /// Width of one point on the axis.
  var step: Double { frame.width / Double(bins.count) }

  /// Returns the horizontal centre of a point.
  func x(_ index: Int) -> Double { frame.left + (Double(index) + 0.5) * step }

  /// Returns the label of a point: "21 Nov", or "15 Nov – 21 Nov" for several days.
  func name(of index: Int) -> String {
    let (first, last) = (bins.firstDay(of: index), bins.lastDay(of: index))
    let end = time.shortDate(last.start)
    return first == last ? end : "\(time.shortDate(first.start)) – \(end)"
  }

  /// Range of all days: "14 Aug 2026 to 21 Nov 2026".
  var span: String {
    let (first, last) = (time.date(bins.first.start), time.date(bins.last.start))
    return first == last ? first : "\(first) to \(last)"
  }

  /// Width of a point in words: "per day", "per 2 days", "per week".
  var rhythm: String {
    switch bins.daysPerBin {
    case 1: "per day"
    case 7: "per week"
    default: "per \(bins.daysPerBin) days"
    }
  }

  /// Draws the axis with at most four dates.
  func draw(in drawing: inout Drawing) {
    let last = bins.count - 1
    let labels = min(4, bins.count)
    let indexes = (0..<labels).map {
      labels == 1 ? 0 : Int((Double($0 * last) / Double(labels - 1)).rounded())
    }
    frame.drawHorizontalAxis(
      indexes.map { index in
        let day = index == last ? bins.lastDay(of: index) : bins.firstDay(of: index)
        return (x(index), time.shortDate(day.start))
      }, in: &drawing)
  }

  /// Draws a cross above each point at which loads failed.
  func drawFailures(_ failed: [Int], of loads: [Int], in drawing: inout Drawing) {
    for (index, count) in failed.enumerated() where count > 0 {
      var cross = DrawnPath()
      cross.add(.failed(share: Double(count) / Double(max(loads[index], 1))), x(index), frame.top - 10)
      let share = "\(Words.count(count)) of \(Words.count(loads[index]))"
      drawing.add(cross, "failed", title: "\(name(of: index)): \(share) failed")
    }
  }
}

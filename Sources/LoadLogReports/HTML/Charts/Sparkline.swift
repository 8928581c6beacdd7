import LoadLogCore

/// Small line chart of the median by day, for a table cell.
struct Sparkline {
  /// Size of the picture in SVG user units.
  static let width = 120.0, height = 26.0

  let series: ChartSeries

  private var medians: [(index: Int, value: Double)] {
    series.statistics.enumerated().compactMap { index, durations in durations.map { (index, $0.p50) } }
  }

  /// Range of the medians in words: "1.10 s to 1.40 s"; nil if no load finished.
  var words: String? {
    let values = medians.map(\.value)
    guard let least = values.min(), let greatest = values.max() else { return nil }
    return Words.range(from: least, to: greatest)
  }

  /// Path of the line, scaled from 0 to the greatest median, with gaps at points where no load finished.
  var line: String {
    let medians = medians
    guard let greatest = medians.map(\.value).max() else { return "" }
    let step = (Self.width - 6) / Double(max(series.loads.count - 1, 1))
    let start = series.loads.count == 1 ? Self.width / 2 : 3
    func place(_ point: (index: Int, value: Double)) -> (x: Int, y: Int) {
      let y = Self.height - 3 - point.value / max(greatest, 1) * (Self.height - 6)
      return (Int((start + Double(point.index) * step).rounded()), Int(y.rounded()))
    }
    // Relative steps are short, which matters because a page may contain a thousand of these lines.
    var line = ""
    var last: (index: Int, x: Int, y: Int)?
    for point in medians {
      let (x, y) = place(point)
      if let last, last.index == point.index - 1 {
        let (across, down) = (x - last.x, y - last.y)
        line += down == 0 ? "h\(across)" : "l\(across)\(down < 0 ? "" : " ")\(down)"
      } else {
        line += "M\(x - 1) \(y)h1"
      }
      last = (point.index, x, y)
    }
    return line
  }
}

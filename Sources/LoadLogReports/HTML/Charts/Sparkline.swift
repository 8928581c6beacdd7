import LoadLogCore

/// The median by day as a line of a word's size.
struct Sparkline {
  /// The size of its picture, in its own points.
  static let width = 120.0, height = 26.0

  let series: DaySeries

  private var medians: [(index: Int, value: Double)] {
    series.statistics.enumerated().compactMap { index, durations in durations.map { (index, $0.p50) } }
  }

  /// What it says: "1.1 s to 1.4 s"; nil if nothing was measured.
  var words: String? {
    let values = medians.map(\.value)
    guard let least = values.min(), let greatest = values.max() else { return nil }
    return Words.range(least, greatest)
  }

  /// The line, from 0 to the greatest median, and gaps where nothing finished.
  var line: String {
    let medians = medians
    guard let greatest = medians.map(\.value).max() else { return "" }
    let step = (Self.width - 6) / Double(max(series.loads.count - 1, 1))
    let start = series.loads.count == 1 ? Self.width / 2 : 3
    func place(_ point: (index: Int, value: Double)) -> (x: Int, y: Int) {
      let y = Self.height - 3 - point.value / max(greatest, 1) * (Self.height - 6)
      return (Int((start + Double(point.index) * step).rounded()), Int(y.rounded()))
    }
    // Steps from point to point are short numbers; a thousand of these lines stand on one page.
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

/// Builder of SVG path data. Numbers are rounded to keep it short: to tenths, and lines of many points to whole units.
struct DrawnPath {
  private(set) var data = ""
  /// The last point of a line, in whole units, from which the next is relative: that is shorter.
  private var last = (x: 0.0, y: 0.0)

  /// Starts a new subpath at a point.
  mutating func move(_ x: Double, _ y: Double) {
    data += "M\(Self.number(x)) \(Self.number(y))"
  }

  /// Draws lines through points.
  mutating func lines(_ points: [(x: Double, y: Double)]) {
    for (offset, point) in points.enumerated() {
      let (x, y) = (point.x.rounded(), point.y.rounded())
      if offset == 0 {
        move(x, y)
      } else {
        let down = Self.number(y - last.y)
        data += "l\(Self.number(x - last.x))\(down.hasPrefix("-") ? "" : " ")\(down)"
      }
      last = (x, y)
    }
  }

  /// Draws the outline of columns that stand side by side.
  ///
  /// - Parameters:
  ///   - columns: left sides and heights; the last has no height, and its left side is the right side of the one before.
  ///   - bottom: vertical position of the columns.
  mutating func outline(_ columns: [(left: Double, height: Double)], from bottom: Double) {
    var before = 0.0
    for column in columns where column.height != before {
      if before == 0 { move(column.left.rounded(), bottom) } else { horizontal(column.left.rounded()) }
      vertical((bottom - column.height).rounded())
      if column.height == 0 { close() }
      before = column.height
    }
  }

  /// Draws a horizontal line.
  mutating func horizontal(_ x: Double) { data += "H\(Self.number(x))" }

  /// Draws a vertical line.
  mutating func vertical(_ y: Double) { data += "V\(Self.number(y))" }

  /// Closes the subpath with a line to its start.
  mutating func close() { data += "z" }

  /// Adds a rectangle between two corners.
  mutating func box(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) {
    move(left, bottom)
    vertical(top)
    horizontal(right)
    vertical(bottom)
    close()
  }

  /// Adds a symbol at a point.
  mutating func add(_ sign: Sign, _ x: Double, _ y: Double) {
    move(x, y)
    data += sign.data
  }

  /// Symbols. Each has a shape of its own, so that they can be distinguished without colour.
  enum Sign {
    /// Dot: a single value, drawn as the round end of a wide line without length.
    case point
    /// Cross: failed.
    case failed
    /// Triangle: crashed, rebooted or abandoned.
    case lost
    /// Ring with a dot: running.
    case running

    fileprivate var data: String {
      switch self {
      case .point: "h0"
      case .failed: "m-3-3l6 6m0-6l-6 6"
      case .lost: "m0-4l4 7h-8z"
      case .running: "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0"
      }
    }
  }

  /// Formats a number with at most one decimal.
  static func number(_ value: Double) -> String {
    guard let tenths = Int(exactly: (value * 10).rounded()) else { return "0" }
    let sign = tenths < 0 ? "-" : ""
    let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
  }
}

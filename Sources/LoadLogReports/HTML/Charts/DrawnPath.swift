/// Builder of SVG path data, with numbers rounded to tenths to keep it short.
struct DrawnPath {
  private(set) var data = ""

  /// Starts a new subpath at a point.
  mutating func move(_ x: Double, _ y: Double) { data += "M\(Self.number(x)) \(Self.number(y))" }

  /// Draws a line to a point.
  mutating func line(_ x: Double, _ y: Double) { data += "L\(Self.number(x)) \(Self.number(y))" }

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
    /// Dot: a single value.
    case point
    /// Cross: failed. Its size grows with the share of loads that failed.
    case failed(share: Double)
    /// Triangle: crashed, rebooted or abandoned.
    case lost
    /// Ring with a dot: running.
    case running

    fileprivate var data: String {
      switch self {
      case .point: "m-2.2 0a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0"
      case .failed(let share): cross(1.3 + 2.7 * min(max(share, 0), 1).squareRoot())
      case .lost: "m0-4l4.2 7.4h-8.4z"
      case .running: "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0"
      }
    }

    private func cross(_ half: Double) -> String {
      let (arm, length) = (number(half), number(2 * half))
      return "m-\(arm)-\(arm)l\(length) \(length)m0-\(length)l-\(length) \(length)"
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

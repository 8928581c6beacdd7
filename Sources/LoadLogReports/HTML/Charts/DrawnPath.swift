/// Builder of SVG path data, with numbers rounded to tenths to keep it short.
struct DrawnPath {
  private(set) var data = ""
  /// The last point of ``move(_:_:)`` or ``line(_:_:)``, in tenths, from which lines are relative: that is shorter.
  private var last = (x: 0.0, y: 0.0)

  /// Starts a new subpath at a point.
  mutating func move(_ x: Double, _ y: Double) {
    data += "M\(Self.number(x)) \(Self.number(y))"
    last = (x, y)
  }

  /// Draws a line from the last point that was moved or drawn to.
  mutating func line(_ x: Double, _ y: Double) {
    func tenths(_ value: Double) -> Double { (value * 10).rounded() }
    let across = Self.number((tenths(x) - tenths(last.x)) / 10)
    let down = Self.number((tenths(y) - tenths(last.y)) / 10)
    data += "l\(across)\(down.hasPrefix("-") ? "" : " ")\(down)"
    last = (x, y)
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

/// The data of an SVG path, written with as few characters as a tenth of a point allows.
struct DrawnPath {
  private(set) var data = ""

  /// Begins a new part at a point.
  mutating func move(_ x: Double, _ y: Double) { data += "M\(Self.number(x)) \(Self.number(y))" }

  /// Draws a line to a point.
  mutating func line(_ x: Double, _ y: Double) { data += "L\(Self.number(x)) \(Self.number(y))" }

  /// Draws a line to the side.
  mutating func horizontal(_ x: Double) { data += "H\(Self.number(x))" }

  /// Draws a line up or down.
  mutating func vertical(_ y: Double) { data += "V\(Self.number(y))" }

  /// Draws a line back to where the part began.
  mutating func close() { data += "z" }

  /// A box between two corners.
  mutating func box(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) {
    move(left, bottom)
    vertical(top)
    horizontal(right)
    vertical(bottom)
    close()
  }

  /// A sign at a point.
  mutating func add(_ sign: Sign, _ x: Double, _ y: Double) {
    move(x, y)
    data += sign.data
  }

  /// Signs that mark single things. Each has a shape of its own, so that no colour is needed to tell them.
  enum Sign {
    /// A dot.
    case point
    /// A cross: failed. The greater the share that failed, the greater it is.
    case failed(share: Double)
    /// A triangle: crashed, rebooted or abandoned.
    case lost
    /// A ring with its centre: running.
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

  /// A number with at most one decimal.
  static func number(_ value: Double) -> String {
    guard let tenths = Int(exactly: (value * 10).rounded()) else { return "0" }
    let sign = tenths < 0 ? "-" : ""
    let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
  }
}

import LoadLogJSON

/// Result of reading a number from a file.
enum JSONNumber: Sendable, Hashable {
  /// The number, rounded to an integer.
  case value(Int64)
  /// Not a number, or out of range; a predicate such as "is out of range".
  case wrong(String)
}

/// Exact parser of decimal numbers, without binary floating point.
enum DecimalText {
  /// Returns a number times a power of ten, rounded to the nearest integer, halves away from zero.
  ///
  /// - Parameter text: a JSON number.
  static func scaled(_ text: UnsafeBufferPointer<UInt8>, power: Int) -> JSONNumber {
    var state = JSONNumberState.begun
    var isNegative = false
    var digits = Digits(power: power)
    var exponent = 0
    var isExponentNegative = false
    for byte in text {
      guard let next = state.after(byte) else { return .wrong("is not a number") }
      state = next
      switch next {
      case .minus: isNegative = true
      case .zero, .integer: digits.add(byte - 0x30, isFraction: false)
      case .fraction: digits.add(byte - 0x30, isFraction: true)
      case .exponentSign: isExponentNegative = byte == UInt8(ascii: "-")
      case .exponentDigits: exponent = min(exponent * 10 + Int(byte - 0x30), 1_000_000_000)
      default: break
      }
    }
    guard state.isComplete else { return .wrong("is not a number") }
    digits.power += isExponentNegative ? -exponent : exponent
    guard let magnitude = digits.rounded else { return .wrong("is out of range") }
    guard let value = Int64(exactly: magnitude) else { return .wrong("is out of range") }
    return .value(isNegative ? -value : value)
  }

  /// The first 19 significant digits, and the decimal place of the last one.
  private struct Digits {
    var value: UInt64 = 0
    /// Power of ten by which `value` is multiplied.
    var power: Int
    private var count = 0
    /// First digit after the 19th, which decides rounding.
    private var next: UInt8 = 0
    private var isFull = false

    init(power: Int) { self.power = power }

    mutating func add(_ digit: UInt8, isFraction: Bool) {
      if isFull || count == 19 {
        if !isFull { next = digit }
        isFull = true
        if !isFraction { power += 1 }
        return
      }
      value = value * 10 + UInt64(digit)
      if value > 0 { count += 1 }
      if isFraction { power -= 1 }
    }

    /// The number rounded to an integer; nil if it does not fit into 64 bits.
    var rounded: UInt64? {
      if value == 0 { return 0 }
      if power < -19 { return 0 }
      if power < 0 {
        var rest = value
        for _ in 1..<(-power) { rest /= 10 }
        return (rest + 5) / 10
      }
      if power == 0 { return next >= 5 ? value + 1 : value }
      var product = value
      for _ in 0..<power {
        let (next, overflow) = product.multipliedReportingOverflow(by: 10)
        if overflow { return nil }
        product = next
      }
      return product
    }
  }
}

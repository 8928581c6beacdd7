public import LoadLogCore

/// Parser of durations on the command line: "90s", "5m", "24h", "7d", "2w", "1h30m", "1.5s".
///
/// Units come in descending order, each at most once; only the last number may have a fraction.
public enum DurationExpression {
  /// Returns the duration in nanoseconds; it is never negative.
  ///
  /// - Throws: `invalidInput`, with examples of what is allowed.
  public static func nanoseconds(_ text: String) throws(LoadLogError) -> Int64 {
    guard let parts = parts(of: text) else { throw refusal(of: text, why: "it is not a duration") }
    var sum: Int64 = 0
    for part in parts {
      let (next, overflow) = sum.addingReportingOverflow(part ?? .max)
      guard let part, !overflow, part >= 0 else { throw refusal(of: text, why: "it is too long") }
      sum = next
    }
    return sum
  }

  /// Returns the duration in microseconds, the unit of wall times.
  ///
  /// - Throws: `invalidInput`, with examples of what is allowed.
  public static func microseconds(_ text: String) throws(LoadLogError) -> Int64 {
    try nanoseconds(text) / 1000
  }

  /// Whether the text looks like a duration, valid or not.
  static func isMeant(by text: String) -> Bool {
    guard let last = text.last, let first = text.first else { return false }
    return units.contains { $0.name == last } && (first.isASCII && first.isNumber || first == "-")
  }

  private static let units: [(name: Character, seconds: Int64)] = [
    ("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
  ]

  private static func refusal(of text: String, why: String) -> LoadLogError {
    LoadLogError(
      .invalidInput, what: "duration", value: text, why: why,
      advice: "Examples: 90s, 5m, 24h, 7d, 2w, 1h30m, 1.5s.")
  }

  /// Returns the nanoseconds of each number with its unit, an element being nil if it overflows; nil if the
  /// text is not a duration.
  private static func parts(of text: String) -> [Int64?]? {
    var rest = text[...]
    var left = units[...]
    var parts: [Int64?] = []
    while !rest.isEmpty {
      let digits = rest.prefix(while: isDigit)
      rest = rest.dropFirst(digits.count)
      var fraction: Substring?
      if rest.first == "." {
        let decimals = rest.dropFirst().prefix(while: isDigit)
        rest = rest.dropFirst(1 + decimals.count)
        guard !decimals.isEmpty, decimals.count <= 9 else { return nil }
        fraction = decimals
      }
      guard !digits.isEmpty, let name = rest.popFirst(),
        let index = left.firstIndex(where: { $0.name == name })
      else { return nil }
      if fraction != nil, !rest.isEmpty { return nil }
      parts.append(value(digits, fraction: fraction, seconds: left[index].seconds))
      left = left[(index + 1)...]
    }
    return parts.isEmpty ? nil : parts
  }

  private static func value(_ digits: Substring, fraction: Substring?, seconds: Int64) -> Int64? {
    let decimals = fraction ?? ""
    let billionths = Int64(decimals + String(repeating: "0", count: 9 - decimals.count)) ?? 0
    guard let whole = Int64(digits) else { return nil }
    let (scaled, overflow) = whole.multipliedReportingOverflow(by: seconds * 1_000_000_000)
    let (sum, tooGreat) = scaled.addingReportingOverflow(billionths * seconds)
    return overflow || tooGreat ? nil : sum
  }

  /// Whether a character is one of the ten ASCII digits. A digit with a combining accent compares between two
  /// of them, so the range alone would accept it.
  private static func isDigit(_ character: Character) -> Bool {
    character.isASCII && ("0"..."9").contains(character)
  }
}

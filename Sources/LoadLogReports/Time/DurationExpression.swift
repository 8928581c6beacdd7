public import LoadLogCore
import LoadLogText

/// Parser of durations on the command line: "90s", "5m", "24h", "7d", "2w", "1h30m", "1.5s"; also as the screens print
/// them, "1 h 7 m", "~104 ms", "≥ 3.20 s", "12 s +" and "20 h ago", and with whole words, "2 days ago".
///
/// Units come in descending order, each at most once; only the last number may have a fraction.
public enum DurationExpression {
  /// Returns the duration in nanoseconds; it is never negative.
  ///
  /// - Throws: `invalidInput`, with examples of what is allowed.
  public static func nanoseconds(_ text: String) throws(LoadLogError) -> Int64 {
    if text.first == "-" { throw refusal(of: text, why: "it is negative") }
    // What the screens say of every duration that is too short for a number stands for the shortest one.
    if text == DurationText.measured(Int64(1)) { return 1 }
    guard let parts = parts(of: withoutAgo(withoutSign(text))) else {
      let isNumber = !text.isEmpty && text.allSatisfy(isDigit)
      throw refusal(of: text, why: isNumber ? "it has no unit" : "it is not a duration")
    }
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

  /// Whether the text looks like a duration, valid or not: a number and a unit, perhaps with a sign.
  static func isMeant(by text: String) -> Bool {
    let unsigned = text.first == "-" ? text.dropFirst() : withoutSign(text)
    guard unsigned.first.map(isDigit) == true else { return false }
    return unit(withoutAgo(unsigned.drop { isDigit($0) || $0 == "." || $0 == " " }).prefix(while: \.isLetter))
      != nil
  }

  private typealias Unit = (names: [Substring], nanoseconds: Int64)

  /// The units, the longest first.
  private static let units: [Unit] = [
    (["w", "week"], 604_800_000_000_000), (["d", "day"], 86_400_000_000_000),
    (["h", "hr", "hour"], 3_600_000_000_000), (["m", "min", "minute"], 60_000_000_000),
    (["s", "sec", "second"], 1_000_000_000), (["ms", "millisecond"], 1_000_000),
  ]

  /// The index of the unit with a name, which may be a plural.
  private static func unit(_ name: Substring) -> Int? {
    let singular = name.count > 2 && name.last == "s" ? name.dropLast() : name
    return units.firstIndex { $0.names.contains(singular) }
  }

  /// A text without the sign by which the screens show that a duration is not exact.
  private static func withoutSign(_ text: String) -> Substring {
    let sign = ["~", "≥", ">="].first(where: text.hasPrefix) ?? ""
    let rest = text.dropFirst(sign.count)
    return (rest.hasSuffix(" +") ? rest.dropLast(2) : rest).drop { $0 == " " }
  }

  private static func withoutAgo(_ text: some StringProtocol) -> Substring {
    Substring(text.hasSuffix(" ago") ? text.dropLast(4) : text.dropLast(0))
  }

  private static func refusal(of text: String, why: String) -> LoadLogError {
    LoadLogError(
      .invalidInput, what: "duration", value: text, why: why,
      advice: "Examples: 90s, 5m, 24h, 7d, 2w, 1h30m, 1.5s.")
  }

  /// Returns the nanoseconds of each number with its unit, an element being nil if it overflows; nil if the
  /// text is not a duration.
  private static func parts(of text: Substring) -> [Int64?]? {
    var rest = text
    var last = -1
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
      if rest.first == " " { rest = rest.dropFirst() }
      let name = rest.prefix(while: \.isLetter)
      rest = rest.dropFirst(name.count)
      guard !digits.isEmpty, let unit = unit(name), unit > last, fraction == nil || rest.isEmpty else {
        return nil
      }
      parts.append(value(digits, fraction: fraction ?? "", of: units[unit].nanoseconds))
      last = unit
      if rest.first == " ", rest.count > 1 { rest = rest.dropFirst() }
    }
    return parts.isEmpty ? nil : parts
  }

  private static func value(_ digits: Substring, fraction: Substring, of unit: Int64) -> Int64? {
    let billionths = Int64(fraction + String(repeating: "0", count: 9 - fraction.count)) ?? 0
    let part =
      unit < 1_000_000_000 ? billionths / (1_000_000_000 / unit) : billionths * (unit / 1_000_000_000)
    guard let whole = Int64(digits) else { return nil }
    let (scaled, overflow) = whole.multipliedReportingOverflow(by: unit)
    let (sum, tooGreat) = scaled.addingReportingOverflow(part)
    return overflow || tooGreat ? nil : sum
  }

  /// Whether a character is one of the ten ASCII digits. A digit with a combining accent compares between two
  /// of them, so the range alone would accept it.
  private static func isDigit(_ character: Character) -> Bool {
    character.isASCII && ("0"..."9").contains(character)
  }
}

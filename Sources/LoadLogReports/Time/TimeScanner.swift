/// Reads the parts of a written time, from left to right, and remembers what was wrong with one.
struct TimeScanner {
  private var rest: Substring.UTF8View
  /// Why a part that was well formed cannot be, such as 30 February.
  private(set) var complaint: String?

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  /// Four digits and a hyphen.
  var startsWithDate: Bool {
    rest.count >= 5 && rest.prefix(4).allSatisfy(Self.isDigit)
      && Array(rest.prefix(5))[4] == UInt8(ascii: "-")
  }

  mutating func word(_ word: String) -> Bool {
    guard rest.starts(with: word.utf8) else { return false }
    rest = rest.dropFirst(word.utf8.count)
    return true
  }

  /// `T`, `t` or a space between day and time.
  mutating func separator() -> Bool { word("T") || word("t") || word(" ") }

  /// `YYYY-MM-DD`.
  mutating func date() -> CivilTime? {
    guard let year = number(4), word("-"), let month = number(2), word("-"), let day = number(2) else {
      return nil
    }
    guard let civil = CivilTime(year: year, month: month, day: day), year > 0 else {
      complaint = "there is no such day"
      return nil
    }
    return civil
  }

  /// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fraction`, the fraction cut to microseconds.
  mutating func time() -> (hour: Int64, minute: Int64, second: Int64, microseconds: Int64)? {
    guard let hour = number(2), word(":"), let minute = number(2) else { return nil }
    var (second, microseconds): (Int64, Int64) = (0, 0)
    if word(":") {
      guard let read = number(2) else { return nil }
      second = read
      if word(".") {
        let decimals = rest.prefix(while: Self.isDigit)
        guard !decimals.isEmpty else { return nil }
        rest = rest.dropFirst(decimals.count)
        let six = decimals.prefix(6) + Array(repeating: UInt8(ascii: "0"), count: max(0, 6 - decimals.count))
        microseconds = six.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
      }
    }
    guard hour < 24, minute < 60, second < 60 else {
      complaint = "there is no such time of day"
      return nil
    }
    return (hour, minute, second, microseconds)
  }

  /// `Z`, `+HH:MM` or `-HH:MM`, in seconds east of UTC.
  mutating func zone() -> Int64? {
    if word("Z") || word("z") { return 0 }
    let sign: Int64
    if word("+") { sign = 1 } else if word("-") { sign = -1 } else { return nil }
    guard let hours = number(2), word(":"), let minutes = number(2), hours < 24, minutes < 60 else {
      complaint = "its zone is not one"
      return nil
    }
    return sign * (hours * 3600 + minutes * 60)
  }

  private mutating func number(_ digits: Int) -> Int64? {
    let found = rest.prefix(digits)
    guard found.count == digits, found.allSatisfy(Self.isDigit) else { return nil }
    rest = rest.dropFirst(digits)
    return found.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

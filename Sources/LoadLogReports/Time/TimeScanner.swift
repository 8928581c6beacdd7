import LoadLogCore

/// Reads the parts of a written time from left to right.
struct TimeScanner<Text: Collection> where Text.Element == UInt8, Text.SubSequence == Text {
  private var rest: Text
  /// What is wrong with a well-formed part, such as 30 February; a predicate like "names a day that does not
  /// exist".
  private(set) var complaint: String?
  /// The length in microseconds of what a written time names: the minute, the second or a fraction of it.
  private(set) var precision: Int64 = 1_000_000

  init(_ text: Text) { rest = text }

  var isAtEnd: Bool { rest.isEmpty }

  /// Whether the text continues with four digits and a hyphen.
  var startsWithDate: Bool {
    rest.prefix(4).count == 4 && rest.prefix(4).allSatisfy(\.isDigit)
      && rest.dropFirst(4).first == UInt8(ascii: "-")
  }

  /// Whether the text continues with a character.
  func continues(with character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

  mutating func word(_ word: StaticString) -> Bool {
    let bytes = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard rest.starts(with: bytes) else { return false }
    rest = rest.dropFirst(bytes.count)
    return true
  }

  /// Reads `T`, `t` or a space between date and time of day.
  mutating func separator() -> Bool { word("T") || word("t") || word(" ") }

  /// Reads `YYYY-MM-DD`.
  mutating func date() -> CivilTime? {
    guard let year = number(4), word("-"), let month = number(2), word("-"), let day = number(2) else {
      return nil
    }
    return civil(year: year, month: month, day: day)
  }

  /// Midnight of a day, or a complaint if there is no such day.
  mutating func civil(year: Int64, month: Int64, day: Int64) -> CivilTime? {
    guard let civil = CivilTime(year: year, month: month, day: day), year > 0 else {
      complaint = "names a day that does not exist"
      return nil
    }
    return civil
  }

  /// Reads `13 Oct` or `13 Oct 2026`; nil, and nothing is read, if the text continues differently.
  mutating func dayAndMonth() -> (day: Int64, month: Int64, year: Int64?)? {
    var ahead = self
    guard let day = ahead.number(2) ?? ahead.number(1), ahead.word(" "),
      let month = ahead.name(of: LocalTime.months)
    else { return nil }
    self = ahead
    let year = ahead.word(" ") ? ahead.number(4) : nil
    if year != nil { self = ahead }
    return (day, Int64(month) + 1, year)
  }

  /// Reads one of the names, or at least its first three letters, in upper or lower case; returns its index.
  mutating func name(of names: [String]) -> Int? {
    let letters = String(decoding: rest.prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }, as: UTF8.self)
    let index = names.firstIndex { $0.lowercased().hasPrefix(letters.lowercased()) }
    guard letters.utf8.count >= 3, let index else { return nil }
    rest = rest.dropFirst(letters.utf8.count)
    return index
  }

  /// Reads a space, or a comma and a space, and the rest of the text: the abbreviation of a time zone.
  mutating func zoneName() -> String? {
    guard word(", ") || word(" ") else { return nil }
    defer { rest = rest.dropFirst(rest.count) }
    return String(decoding: rest, as: UTF8.self)
  }

  /// Notes what is wrong with a well-formed part.
  mutating func refuse(_ complaint: String) { self.complaint = complaint }

  /// Reads `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fraction`, and truncates the fraction to microseconds.
  mutating func time() -> (hour: Int64, minute: Int64, second: Int64, microseconds: Int64)? {
    guard let hour = number(2), word(":"), let minute = number(2) else { return nil }
    var (second, microseconds): (Int64, Int64) = (0, 0)
    precision = 60_000_000
    if word(":") {
      guard let read = number(2) else { return nil }
      second = read
      precision = 1_000_000
      if word(".") {
        let decimals = rest.prefix(while: \.isDigit)
        guard !decimals.isEmpty else { return nil }
        rest = rest.dropFirst(decimals.count)
        precision = 1
        var place: Int64 = 100_000
        for digit in decimals.prefix(6) {
          microseconds += Int64(digit - UInt8(ascii: "0")) * place
          place /= 10
        }
      }
    }
    guard hour < 24, minute < 60, second < 60 else {
      complaint = "names a time of day that does not exist"
      return nil
    }
    return (hour, minute, second, microseconds)
  }

  /// Reads `Z`, `+HH:MM` or `-HH:MM`, with or without the colon; returns seconds east of UTC.
  mutating func zone() -> Int64? {
    if word("Z") || word("z") { return 0 }
    let sign: Int64
    if word("+") { sign = 1 } else if word("-") { sign = -1 } else { return nil }
    let hours = number(2)
    _ = word(":")
    guard let hours, let minutes = number(2), hours < 24, minutes < 60 else {
      complaint = "has an invalid time zone"
      return nil
    }
    return sign * (hours * 3600 + minutes * 60)
  }

  private mutating func number(_ digits: Int) -> Int64? {
    let found = rest.prefix(digits)
    guard found.count == digits, found.allSatisfy(\.isDigit) else { return nil }
    rest = rest.dropFirst(digits)
    return found.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII digit.
  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
}

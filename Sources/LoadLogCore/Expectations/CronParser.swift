/// Parser of cron expressions.
struct CronParser {
  /// A field, with the numbers and names that it may have.
  enum Field: String {
    case minute, hour, day = "day of the month", month, weekday = "day of the week"

    var range: ClosedRange<Int> {
      switch self {
      case .minute: 0...59
      case .hour: 0...23
      case .day: 1...31
      case .month: 1...12
      case .weekday: 0...7
      }
    }

    /// The names of numbers, from the first of the range.
    var names: [String] {
      switch self {
      case .minute, .hour, .day: []
      case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
      case .weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
      }
    }
  }

  let expression: String

  /// The texts of the five fields.
  func fieldTexts() throws(LoadLogError) -> [Substring] {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var texts = expression.split(whereSeparator: isSpace)
    if let word = texts.first, word.first == "@" {
      guard texts.count == 1 else { throw refusal("nothing may follow \(word)") }
      guard let meaning = Self.words[word.lowercased()] else {
        throw refusal(
          word.lowercased() == "@reboot"
            ? "@reboot has no due times"
            : "the words are @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually")
      }
      texts = meaning.split(whereSeparator: isSpace)
    }
    guard texts.count == 5 else {
      let count = texts.count == 1 ? "1 field" : "\(texts.count) fields"
      throw refusal("it has \(count); minute, hour, day of the month, month and day of the week are needed")
    }
    return texts
  }

  /// The numbers that a field matches, as a set of bits.
  func bits(of text: Substring, _ field: Field) throws(LoadLogError) -> UInt64 {
    var bits: UInt64 = 0
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      let range = try range(parts[0], field, isOpen: parts.count == 2)
      var step = 1
      if parts.count == 2 {
        guard let value = number(parts[1]), value > 0 else {
          throw refusal("\(field.rawValue) \(quoted(item)) has no step of 1 or more after the slash")
        }
        step = value
      }
      for value in stride(from: range.lowerBound, through: range.upperBound, by: step) { bits |= 1 << value }
    }
    return bits
  }

  /// An error about the expression.
  func refusal(_ why: String) -> LoadLogError {
    LoadLogError(
      .invalidInput, what: "cron expression", value: expression, why: why,
      advice: "An example is \"10 2 * * *\": at 02:10 every day.")
  }
}

extension CronParser {
  private static let words = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
  ]

  /// The numbers of an item without its step. A single number before a step begins a range to the end.
  private func range(_ text: Substring, _ field: Field, isOpen: Bool) throws(LoadLogError) -> ClosedRange<Int>
  {
    if text == "*" { return field == .weekday ? 0...6 : field.range }
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.allSatisfy({ !$0.isEmpty }) else {
      throw refusal("\(field.rawValue) \(quoted(text)) is not a number or name")
    }
    let first = try value(ends[0], field)
    let last =
      ends.count == 2
      ? try value(ends[1], field) : isOpen ? (field == .weekday ? 6 : field.range.upperBound) : first
    guard first <= last else {
      throw refusal("\(field.rawValue) \(quoted(text)) ends before it begins; write it as two ranges")
    }
    return first...last
  }

  private func value(_ text: Substring, _ field: Field) throws(LoadLogError) -> Int {
    if let index = field.names.firstIndex(of: text.lowercased()) { return field.range.lowerBound + index }
    if let sign = text.uppercased().first(where: { "L#W?".contains($0) }) {
      throw refusal("\(sign) in \(field.rawValue) \(quoted(text)) is an extension that cron does not have")
    }
    guard let value = number(text) else {
      throw refusal("\(field.rawValue) \(quoted(text)) is not a number or name")
    }
    guard field.range.contains(value) else {
      throw refusal(
        "\(field.rawValue) \(value) is not between \(field.range.lowerBound) and \(field.range.upperBound)")
    }
    return value
  }

  /// A number of up to four digits, without a sign.
  private func number(_ text: Substring) -> Int? {
    (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  private func quoted(_ text: Substring) -> String { VisibleText.quoted(String(text)) }
}

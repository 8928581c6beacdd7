import LoadLogCore
import LoadLogJSON

/// Strict readers of fields: a value of the wrong type is a fault; a missing value and null are nil.
extension JSONRecord {
  func required<Value>(_ value: Value?, of field: RecordField) throws(ImportFault) -> Value {
    guard let value else { throw fault("\(field.name) is missing") }
    return value
  }

  func text(_ field: RecordField) throws(ImportFault) -> String? {
    guard let kind = kind(field) else { return nil }
    guard kind == .string else { throw fault(field, "is not a string") }
    return string(field)
  }

  /// Reads a text of at most `limit` Unicode scalars.
  func text(_ field: RecordField, limit: Int) throws(ImportFault) -> String? {
    guard let text = try text(field) else { return nil }
    guard text.utf8.count > limit || text.utf8.contains(0) else { return text }
    guard text.unicodeScalars.count <= limit else {
      throw fault(field, "is longer than \(limit) characters")
    }
    return TextLimit.cut(text, to: limit)
  }

  func flag(_ field: RecordField) throws(ImportFault) -> Bool {
    switch kind(field) {
    case nil, .no: return false
    case .yes: return true
    default: throw fault(field, "is not true or false")
    }
  }

  func integer(_ field: RecordField) throws(ImportFault) -> Int64? {
    guard let kind = kind(field) else { return nil }
    let isWhole = withBytes(field) { $0?.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") } ?? false }
    guard kind == .number, isWhole else { throw fault(field, "is not an integer") }
    return try number(field)
  }

  /// Reads a count, which cannot be negative; 0 if it is missing.
  func tally(_ field: RecordField) throws(ImportFault) -> Int64 {
    let tally = try integer(field) ?? 0
    guard tally >= 0 else { throw fault(field, "is negative") }
    return tally
  }

  func integers(_ field: RecordField) throws(ImportFault) -> [Int64] {
    guard let kind = kind(field) else { return [] }
    guard kind == .array, !isCut(field) else {
      throw fault("\(field.name) is not an array of integers")
    }
    let parts = withBytes(field) { bytes in bytes.map { String(decoding: $0, as: UTF8.self) } ?? "" }.split(
      separator: ",")
    let numbers = parts.compactMap { Int64($0) }
    guard numbers.count == parts.count else {
      throw fault("\(field.name) is not an array of integers")
    }
    return numbers
  }

  func id(_ field: RecordField) throws(ImportFault) -> SessionID? {
    guard let kind = kind(field) else { return nil }
    guard kind == .string, let id = withBytes(field, { $0.flatMap { SessionID(utf8: $0) } }) else {
      throw fault(field, "is not a load id")
    }
    return id
  }

  /// Reads the unique id of an owner: an even number of lower-case hexadecimal digits.
  func uid(_ field: RecordField) throws(ImportFault) -> String? {
    guard let text = try text(field) else { return nil }
    guard !text.isEmpty, text.utf8.count.isMultiple(of: 2), text.utf8.count <= 128,
      text.utf8.allSatisfy({ $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) })
    else { throw fault(field, "is not the uid of an owner") }
    return text
  }

  /// Reads one of the words of an enumeration.
  ///
  /// - Parameter meaning: what the word stands for, as in `"fine" is not a verdict that a finish can have`.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ field: RecordField, meaning: String, where isAllowed: (Word) -> Bool = { _ in true }
  ) throws(ImportFault) -> Word? {
    guard let text = try text(field) else { return nil }
    if let word = Word(rawValue: text), isAllowed(word) { return word }
    let words = Word.allCases.filter(isAllowed).map(\.rawValue)
    let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    throw fault(field, "is not \(meaning); use \(list)")
  }

  func optionalTime(_ field: RecordField) throws(ImportFault) -> Int64? {
    kind(field) == nil ? nil : try time(field)
  }

  func feed(_ feeds: inout FeedPool) throws(ImportFault) -> Feed? {
    guard let name = try text(.feed) else { return nil }
    return try feeds.feed(name, of: self)
  }

  /// Reads a day, `YYYY-MM-DD`, as the number of days since 1970.
  func day() throws(ImportFault) -> Int64? {
    guard let text = try text(.day) else { return nil }
    var scanner = TimeScanner(text[...].utf8)
    guard let day = scanner.date(), scanner.isAtEnd else {
      throw fault(RecordField.day, scanner.complaint ?? "is not a day")
    }
    return day.dayNumber
  }
}

import LoadLogCore

/// Strict readers: a value of another type than the line's key has is a fault, a missing one and null are nil.
extension JSONRecord {
  func required<Value>(_ value: Value?, _ field: RecordField) throws(ImportFault) -> Value {
    guard let value else { throw fault("there is no \(field.name)") }
    return value
  }

  func text(_ field: RecordField) throws(ImportFault) -> String? {
    guard let kind = kind(field) else { return nil }
    guard kind == .string else { throw fault(field, "it is not a text") }
    return string(field)
  }

  /// A text of so many scalars at most.
  func text(_ field: RecordField, limit: Int) throws(ImportFault) -> String? {
    guard let text = try text(field) else { return nil }
    guard text.utf8.count > limit || text.utf8.contains(0) else { return text }
    guard text.unicodeScalars.count <= limit else {
      throw fault(field, "at most \(limit) characters are allowed")
    }
    return TextLimit.cut(text, to: limit)
  }

  func flag(_ field: RecordField) throws(ImportFault) -> Bool {
    switch kind(field) {
    case nil, .no: return false
    case .yes: return true
    default: throw fault(field, "it is neither true nor false")
    }
  }

  func integer(_ field: RecordField) throws(ImportFault) -> Int64? {
    guard let kind = kind(field) else { return nil }
    let isWhole = withBytes(field) { $0?.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") } ?? false }
    guard kind == .number, isWhole else { throw fault(field, "it is not a whole number") }
    return try number(field)
  }

  /// A number of things; 0 if it is not told.
  func tally(_ field: RecordField) throws(ImportFault) -> Int64 {
    let tally = try integer(field) ?? 0
    guard tally >= 0 else { throw fault(field, "it is negative") }
    return tally
  }

  func integers(_ field: RecordField) throws(ImportFault) -> [Int64] {
    guard let kind = kind(field) else { return [] }
    guard kind == .array, !isCut(field) else {
      throw fault("\(field.name): it is not a list of whole numbers")
    }
    let parts = withBytes(field) { bytes in bytes.map { String(decoding: $0, as: UTF8.self) } ?? "" }.split(
      separator: ",")
    let numbers = parts.compactMap { Int64($0) }
    guard numbers.count == parts.count else {
      throw fault("\(field.name): it is not a list of whole numbers")
    }
    return numbers
  }

  func id(_ field: RecordField) throws(ImportFault) -> SessionID? {
    guard let kind = kind(field) else { return nil }
    guard kind == .string, let id = withBytes(field, { $0.flatMap { SessionID(utf8: $0) } }) else {
      throw fault(field, "it is not an id")
    }
    return id
  }

  /// An owner's name: an even number of hexadecimal digits.
  func uid(_ field: RecordField) throws(ImportFault) -> String? {
    guard let text = try text(field) else { return nil }
    guard !text.isEmpty, text.utf8.count.isMultiple(of: 2), text.utf8.count <= 128,
      text.utf8.allSatisfy({ $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) })
    else { throw fault(field, "it is not an owner's uid") }
    return text
  }

  func word<Word: RawRepresentable<String>>(_ field: RecordField) throws(ImportFault) -> Word? {
    guard let text = try text(field) else { return nil }
    guard let word = Word(rawValue: text) else { throw fault(field, "there is no such word") }
    return word
  }

  func optionalTime(_ field: RecordField) throws(ImportFault) -> Int64? {
    kind(field) == nil ? nil : try time(field)
  }

  func feed(_ feeds: inout FeedPool) throws(ImportFault) -> Feed? {
    guard let name = try text(.feed) else { return nil }
    return try feeds.feed(name, of: self)
  }

  /// `YYYY-MM-DD`, a day that exists, as its number.
  func day() throws(ImportFault) -> Int64? {
    guard let text = try text(.day) else { return nil }
    var scanner = TimeScanner(text[...].utf8)
    guard let day = scanner.date(), scanner.isAtEnd else {
      throw fault(RecordField.day, scanner.complaint ?? "it is not a day")
    }
    return day.dayNumber
  }
}

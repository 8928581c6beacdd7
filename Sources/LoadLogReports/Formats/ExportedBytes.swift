import LoadLogCore

/// Builds the text of a file as UTF-8 bytes.
extension [UInt8] {
  /// Appends a text without escaping.
  mutating func append(text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let start = count
    repeat {
      append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }

  /// Appends a number of thousandths as a decimal number: "1234.567", "12.3", "12".
  mutating func append(thousandths number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(number: Int64(number.magnitude / 1000))
    let rest = number.magnitude % 1000
    guard rest > 0 else { return }
    append(UInt8(ascii: "."))
    for digit in [rest / 100, rest / 10 % 10, rest % 10] { append(UInt8(ascii: "0") + UInt8(digit)) }
    while last == UInt8(ascii: "0") { removeLast() }
  }

  /// Appends a JSON string. Beyond what JSON requires, it escapes characters that break a line or control a
  /// terminal, because people read these files there.
  mutating func append(json text: String) {
    append(UInt8(ascii: "\""))
    var text = text
    let isPlain = text.withUTF8 { bytes in
      let isPlain = bytes.allSatisfy { byte in
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      }
      if isPlain { append(contentsOf: bytes) }
      return isPlain
    }
    if !isPlain {
      for scalar in text.unicodeScalars { append(jsonEscaped: scalar) }
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func append(jsonEscaped scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append(text: "\\\"")
    case "\\": append(text: "\\\\")
    case "\n": append(text: "\\n")
    case "\r": append(text: "\\r")
    case "\t": append(text: "\\t")
    case _ where VisibleText.mustShow(scalar):
      for unit in String(scalar).utf16 { append(contentsOf: "\\u\(unit.hexDigits)".utf8) }
    default: append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }
}

/// Appends members of a JSON object, each with the comma before it.
extension [UInt8] {
  mutating func append(key: StaticString) {
    if last != UInt8(ascii: "{") { append(UInt8(ascii: ",")) }
    append(UInt8(ascii: "\""))
    append(text: key)
    append(text: "\":")
  }

  mutating func append(_ key: StaticString, text: String?) {
    append(key: key)
    if let text { append(json: text) } else { append(text: "null") }
  }

  mutating func append(_ key: StaticString, number: Int64?) {
    append(key: key)
    if let number { append(number: number) } else { append(text: "null") }
  }

  mutating func append(_ key: StaticString, id: SessionID?) {
    append(key: key)
    guard let id else { return append(text: "null") }
    append(UInt8(ascii: "\""))
    id.append(to: &self)
    append(UInt8(ascii: "\""))
  }

  mutating func append(_ key: StaticString, time: Int64?) {
    append(key: key)
    guard let time else { return append(text: "null") }
    append(UInt8(ascii: "\""))
    UTCTime.append(time, to: &self)
    append(UInt8(ascii: "\""))
  }

  /// Appends a member that is true; nothing if the flag is false.
  mutating func append(_ key: StaticString, ifTrue flag: Bool) {
    guard flag else { return }
    append(key: key)
    append(text: "true")
  }

  /// Appends a member with a text; nothing for nil.
  mutating func append(_ key: StaticString, ifAny text: String?) {
    if let text { append(key, text: text) }
  }

  /// Appends a member with a number; nothing for nil.
  mutating func append(_ key: StaticString, ifAny number: Int64?) {
    if let number { append(key, number: number) }
  }

  /// Appends a member with a time; nothing for nil.
  mutating func append(_ key: StaticString, ifAnyTime time: Int64?) {
    if let time { append(key, time: time) }
  }
}

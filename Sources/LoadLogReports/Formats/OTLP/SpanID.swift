/// Parser of trace and span ids.
enum SpanID {
  /// Returns an id as lower-case hexadecimal digits; nil if the text is neither hexadecimal nor base64 of
  /// `bytes` bytes, or if they are all zero.
  static func digits(_ text: String?, bytes: Int) -> String? {
    guard let text else { return nil }
    let digits: String
    if text.utf8.count == bytes * 2, text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) {
      digits = text.lowercased()
    } else if let decoded = decode(base64: text), decoded.count == bytes {
      digits = decoded.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    } else {
      return nil
    }
    return digits.utf8.allSatisfy { $0 == UInt8(ascii: "0") } ? nil : digits
  }

  /// Decodes either base64 alphabet of RFC 4648, with or without padding.
  private static func decode(base64 text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in text.utf8.prefix(64) {
      if byte == UInt8(ascii: "=") { break }
      guard let value = value(byte) else { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }

  private static func value(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

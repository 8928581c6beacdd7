import Foundation
import LoadLogCore

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
      digits = decoded.map(\.hexDigits).joined()
    } else {
      return nil
    }
    return digits.utf8.allSatisfy { $0 == UInt8(ascii: "0") } ? nil : digits
  }

  /// Decodes either base64 alphabet of RFC 4648, with or without padding.
  private static func decode(base64 text: String) -> Data? {
    let digits = text.prefix { $0 != "=" }.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: digits + String(repeating: "=", count: (4 - digits.count % 4) % 4))
  }
}

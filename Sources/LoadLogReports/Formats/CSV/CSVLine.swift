import LoadLogCore

/// Lines of CSV (RFC 4180), and the forms of values in them.
enum CSVLine {
  /// Appends a line.
  static func append(_ values: [String], to bytes: inout [UInt8]) {
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      let mustQuote = value.utf8.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
      if mustQuote {
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
          if byte == UInt8(ascii: "\"") { bytes.append(byte) }
          bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
      } else {
        bytes.append(contentsOf: value.utf8)
      }
    }
    bytes.append(text: "\r\n")
  }

  /// Escapes a text so that a spreadsheet does not evaluate it as a formula.
  static func text(_ text: String?) -> String {
    guard let text, let first = text.utf8.first else { return "" }
    let starts = "=+-@\t\r".utf8
    return (starts.contains(first) ? "'" : "") + VisibleText.line(text)
  }

  /// Converts nanoseconds to decimal seconds without rounding.
  static func seconds(_ nanoseconds: Int64?) -> String {
    guard let nanoseconds else { return "" }
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    var digits = String(rest)
    digits = String(repeating: "0", count: 9 - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return (nanoseconds < 0 ? "-" : "") + String(whole) + (digits.isEmpty ? "" : "." + digits)
  }
}

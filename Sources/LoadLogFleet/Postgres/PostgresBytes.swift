#if Fleet
  /// Bytes in the hexadecimal digits in which PostgreSQL reads and writes them.
  enum PostgresBytes {
    private static let digits = Array("0123456789abcdef".utf8)

    static func append(hexadecimal bytes: [UInt8], to text: inout [UInt8]) {
      for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
      }
    }

    /// The bytes that digits stand for; nil if they are none.
    static func bytes(_ text: Substring.UTF8View) -> [UInt8]? {
      guard text.count.isMultiple(of: 2) else { return nil }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count / 2)
      var digits = text.makeIterator()
      while let high = digits.next(), let low = digits.next() {
        guard let high = value(of: high), let low = value(of: low) else { return nil }
        bytes.append(high << 4 | low)
      }
      return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      default: nil
      }
    }
  }
#endif

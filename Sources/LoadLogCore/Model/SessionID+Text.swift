extension SessionID: CustomStringConvertible {
  /// Parses `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in either case; nil if the text has another form.
  public init?(_ text: String) {
    var text = text
    guard let id = text.withUTF8({ SessionID(utf8: $0) }) else { return nil }
    self = id
  }

  /// Parses the UTF-8 bytes of the text form; nil if they have another form.
  package init?(utf8: UnsafeBufferPointer<UInt8>) {
    guard utf8.count == Self.textLength else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    for (index, byte) in utf8.enumerated() {
      if Self.isHyphen(index) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = Self.digit(byte) else { return nil }
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(digit)
    }
    self.init(high: high, low: low)
  }

  /// The id as `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in lower case.
  public var description: String {
    String(unsafeUninitializedCapacity: Self.textLength) { text in
      write { text[$0] = $1 }
      return Self.textLength
    }
  }

  /// Appends the UTF-8 bytes of ``description``.
  package func append(to bytes: inout [UInt8]) { write { bytes.append($1) } }

  private func write(_ put: (_ index: Int, _ byte: UInt8) -> Void) {
    var (high, low) = (high, low)
    for index in 0..<Self.textLength {
      if Self.isHyphen(index) {
        put(index, UInt8(ascii: "-"))
        continue
      }
      let digit = UInt8(high >> 60)
      put(index, digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
      high = high << 4 | low >> 60
      low <<= 4
    }
  }

  private static let textLength = 36

  private static func isHyphen(_ index: Int) -> Bool {
    index == 8 || index == 13 || index == 18 || index == 23
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

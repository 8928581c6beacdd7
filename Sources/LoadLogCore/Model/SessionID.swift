public import Foundation

/// The id of a loading session or of an unmatched finish: a UUID, version 7 (RFC 9562) when made here.
///
/// An app may make ids itself and pass them to ``LoadingController/start(id:feed:message:tag:fileID:line:)``.
public struct SessionID: Sendable, Hashable {
  /// The 16 bytes, big-endian as in the text form, as two words.
  let high: UInt64
  let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes a new id from the wall clock and random bits.
  public init() {
    self.init(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }

  /// Makes a new id that carries a wall time.
  ///
  /// - Parameter milliseconds: since 1970, UTC; clamped to the 48 bits that the format has.
  public init(milliseconds: Int64) {
    var generator = SystemRandomNumberGenerator()
    let time = UInt64(clamping: milliseconds) & 0xFFFF_FFFF_FFFF
    high = time << 16 | 0x7000 | UInt64.random(in: 0...0xFFF, using: &generator)
    low = 0x8000_0000_0000_0000 | UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF, using: &generator)
  }

  /// Takes over a UUID of any version.
  public init(_ uuid: UUID) {
    let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    high = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads 16 bytes; nil if there are more or fewer.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads 32 hexadecimal digits; nil if they are not.
  public init?(hexDigits: String) {
    guard hexDigits.utf8.count == 32, hexDigits.allSatisfy(\.isHexDigit),
      let high = UInt64(hexDigits.prefix(16), radix: 16),
      let low = UInt64(hexDigits.suffix(16), radix: 16)
    else { return nil }
    self.high = high
    self.low = low
  }

  /// The 16 bytes.
  public var bytes: [UInt8] {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
  }

  /// Lends the 16 bytes without an array.
  package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    try withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
  }

  /// Reads 16 bytes where they lie; nil if there are more or fewer.
  package init?(loading bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// The last 7 digits, as tables show them.
  public var tail: String {
    let digits = String(low & 0xFFF_FFFF, radix: 16)
    return String(repeating: "0", count: 7 - digits.utf8.count) + digits
  }
}

extension SessionID: Comparable {
  /// In the order of their bytes, which for version 7 is the order in which they were made.
  public static func < (lhs: SessionID, rhs: SessionID) -> Bool {
    (lhs.high, lhs.low) < (rhs.high, rhs.low)
  }
}

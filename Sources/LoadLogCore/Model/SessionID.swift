public import Foundation

/// The id of a load or of an unmatched finish: a UUID, created by LoadLog as version 7 (RFC 9562).
///
/// An app can create ids itself and pass them to
/// ``LoadingController/start(id:feed:message:tag:fileID:line:)``.
public struct SessionID: Sendable, Hashable {
  /// The first 8 of the 16 bytes, in big-endian order as in the text form.
  let high: UInt64
  /// The last 8 of the 16 bytes.
  let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an id from the current wall time and random bits.
  public init() {
    self.init(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }

  /// Creates an id from a wall time and random bits.
  ///
  /// - Parameter milliseconds: milliseconds since 1970, UTC; clamped to 48 bits.
  public init(milliseconds: Int64) {
    var generator = SystemRandomNumberGenerator()
    let time = UInt64(clamping: milliseconds) & 0xFFFF_FFFF_FFFF
    high = time << 16 | 0x7000 | UInt64.random(in: 0...0xFFF, using: &generator)
    low = 0x8000_0000_0000_0000 | UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF, using: &generator)
  }

  /// Creates an id from a UUID of any version.
  public init(_ uuid: UUID) {
    let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    high = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Creates an id from 16 bytes; nil if the collection has more or fewer.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Creates an id from 32 hexadecimal digits; nil if the text has another form.
  public init?(hexDigits: String) {
    guard hexDigits.utf8.count == 32, hexDigits.allSatisfy(\.isHexDigit),
      let high = UInt64(hexDigits.prefix(16), radix: 16),
      let low = UInt64(hexDigits.suffix(16), radix: 16)
    else { return nil }
    self.high = high
    self.low = low
  }

  /// The 16 bytes of the id.
  public var bytes: [UInt8] {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
  }

  /// Calls a closure with the 16 bytes, without allocating an array.
  package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    try withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
  }

  /// Creates an id from 16 bytes of any alignment; nil if the buffer has more or fewer.
  package init?(loading bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// The last 7 hexadecimal digits, which tables show.
  public var tail: String { String(low.hexDigits.suffix(7)) }
}

extension SessionID: Comparable {
  /// Orders ids by their bytes, which orders ids of version 7 by creation time.
  public static func < (lhs: SessionID, rhs: SessionID) -> Bool {
    (lhs.high, lhs.low) < (rhs.high, rhs.low)
  }
}

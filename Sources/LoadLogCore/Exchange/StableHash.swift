/// A hash that is the same on every machine and in every version: 128-bit FNV-1a.
///
/// Source: RFC 9923, "The FNV Non-Cryptographic Hash Algorithm". It tells loads apart that differ by chance; it is no
/// defence against somebody who makes two files collide on purpose.
public struct StableHash: Sendable, Hashable {
  /// The hash of what was added so far.
  public private(set) var value: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

  private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B

  /// The hash of nothing.
  public init() {}

  /// Adds bytes as they are.
  public mutating func add(bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt128(byte)) &* Self.prime }
  }

  /// Adds a field, so that no two lists of fields are added as the same bytes: a 1, its length as four bytes with the
  /// lowest first, its bytes; or a 0 for a field that is not there.
  package mutating func add(field: UnsafeBufferPointer<UInt8>?) {
    guard let field else {
      add(bytes: CollectionOfOne(0))
      return
    }
    add(bytes: CollectionOfOne(1))
    add(number: UInt32(clamping: field.count))
    add(bytes: field)
  }

  /// Adds a text as a field.
  package mutating func add(field: String) {
    var field = field
    field.withUTF8 { add(field: $0) }
  }

  /// Adds a number as four bytes, the lowest first.
  package mutating func add(number: UInt32) {
    for shift: UInt32 in [0, 8, 16, 24] {
      add(bytes: CollectionOfOne(UInt8(truncatingIfNeeded: number >> shift)))
    }
  }
}

/// A 128-bit FNV-1a hash, which is the same on every machine and in every version.
///
/// Source: RFC 9923, "The FNV Non-Cryptographic Hash Algorithm". It does not protect against files that were
/// made to collide.
public struct StableHash: Sendable, Hashable {
  /// The hash of everything added so far.
  package private(set) var value: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

  private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B

  /// Creates the hash of no bytes.
  package init() {}

  /// Creates the hash of texts, each added as a field.
  package init(fields: some Sequence<String>) {
    for field in fields { add(field: field) }
  }

  /// The hash as a name, in digits and lower-case letters.
  package var name: String { String(value, radix: 36) }

  /// Adds bytes without a length.
  package mutating func add(bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt128(byte)) &* Self.prime }
  }

  /// Adds a field so that different lists of fields never add the same bytes: a 1, the length as four bytes,
  /// least significant first, and the bytes; or a 0 for a missing field.
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

  /// Adds a number as four bytes, least significant first.
  package mutating func add(number: UInt32) {
    for shift: UInt32 in [0, 8, 16, 24] {
      add(bytes: CollectionOfOne(UInt8(truncatingIfNeeded: number >> shift)))
    }
  }
}

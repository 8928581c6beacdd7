/// What makes an imported load the same load when its file is read again.
public enum LoadIdentity: Sendable, Hashable {
  /// The file carries LoadLog's own id.
  case id(SessionID)
  /// A hash of the format and of the fields that the load starts with, as they stand in the file. Loads that are equal
  /// in all of these are told apart by their number.
  case fields(StableHash)

  /// The id under which it is recorded.
  ///
  /// - Parameter occurrences: counts the loads of this file that start with equal fields.
  public func sessionID<Counter: OccurrenceCounter>(
    counting occurrences: inout Counter
  ) throws(LoadLogError) -> SessionID {
    switch self {
    case .id(let id): return id
    case .fields(let hash): return Self.id(hash, occurrence: try occurrences.count(hash))
    }
  }

  /// A UUID of version 8 (RFC 9562, section 5.8): the hash of the fields and of the number as four bytes, the lowest
  /// first, with version and variant written over it.
  package static func id(_ hash: StableHash, occurrence: UInt32) -> SessionID {
    var hash = hash
    hash.add(number: occurrence)
    let high = UInt64(truncatingIfNeeded: hash.value >> 64) & ~0xF000 | 0x8000
    let low = UInt64(truncatingIfNeeded: hash.value) & ~(3 << 62) | 1 << 63
    return SessionID(high: high, low: low)
  }
}

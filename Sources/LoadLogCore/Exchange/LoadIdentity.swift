/// Identifies an imported load, so that importing its file again adds nothing.
public enum LoadIdentity: Sendable, Hashable {
  /// The file contains the id of the load.
  case id(SessionID)
  /// A hash of the format and of the fields of the load's start, as written in the file. Loads with equal
  /// fields are numbered in the order of the file.
  case fields(StableHash)
  /// A hash of the format and of an id, as written in the file, that no two loads share. A load that a file has twice is the
  /// same load.
  case unique(StableHash)

  /// Returns the identity of a load or finish of another tool at a wall time in microseconds.
  ///
  /// Times in a file may be relative to its start, so two files can have equal fields for loads at different times. Their
  /// ids must differ whatever else a store holds: stores are merged, and loads are pruned.
  package func timed(_ wall: Int64) -> LoadIdentity {
    func timed(_ hash: StableHash) -> StableHash {
      var hash = hash
      hash.add(bytes: withUnsafeBytes(of: wall.littleEndian, Array.init))
      return hash
    }
    switch self {
    case .id: return self
    case .fields(let hash): return .fields(timed(hash))
    case .unique(let hash): return .unique(timed(hash))
    }
  }

  /// Returns the id under which the load is recorded.
  ///
  /// - Parameter occurrences: counts the loads of the file that have equal fields.
  package func sessionID(
    counting occurrences: inout OccurrenceCounter
  ) throws(LoadLogError) -> SessionID {
    switch self {
    case .id(let id): return id
    case .fields(let hash): return Self.id(hash, occurrence: try occurrences.count(hash))
    case .unique(let hash): return Self.id(hash, occurrence: 0)
    }
  }

  /// Creates a UUID of version 8 (RFC 9562, section 5.8): the hash of the fields and of the number as four
  /// bytes, least significant first, overwritten with version and variant.
  package static func id(_ hash: StableHash, occurrence: UInt32) -> SessionID {
    var hash = hash
    hash.add(number: occurrence)
    let high = UInt64(truncatingIfNeeded: hash.value >> 64) & ~0xF000 | 0x8000
    let low = UInt64(truncatingIfNeeded: hash.value) & ~(3 << 62) | 1 << 63
    return SessionID(high: high, low: low)
  }
}

/// Counts how often loads of one file start with equal fields.
public protocol OccurrenceCounter {
  /// How often the fields have been counted before.
  mutating func count(_ fields: StableHash) throws(LoadLogError) -> UInt32
}

/// Counts in bounded memory: exact for the first 786,432 different starts of a file, in 12 MB at most. All that come
/// later, and what has come 255 times, are asked of another counter, which can keep them on a disk; the two never
/// disagree, and a file of fewer loads needs no disk.
///
/// Of a hash it compares 64 bits. That two of its starts are taken for one has a chance of 1 in 60 million; one of them
/// would then merely be numbered 1 instead of 0, and so it would be each time.
public struct OccurrenceTable<Overflow: OccurrenceCounter>: OccurrenceCounter {
  /// Counts what finds no room here.
  public private(set) var overflow: Overflow
  private var fingerprints: [UInt64]
  private var counts: [UInt8]
  private var used = 0
  private let largest: Int

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - capacity: how many different starts fit at least; rounded up to three quarters of a power of two.
  ///   - overflow: counts what finds no room.
  public init(capacity: Int = 786_432, overflow: Overflow) {
    var largest = 16
    while largest / 4 * 3 < capacity, largest < 1 << 40 { largest *= 2 }
    self.largest = largest
    self.overflow = overflow
    fingerprints = Array(repeating: 0, count: min(largest, 1024))
    counts = Array(repeating: 0, count: min(largest, 1024))
  }

  /// How often the fields have been counted before.
  public mutating func count(_ fields: StableHash) throws(LoadLogError) -> UInt32 {
    let fingerprint = Self.fingerprint(fields)
    var slot = place(of: fingerprint)
    if fingerprints[slot] == 0 {
      if used >= fingerprints.count / 4 * 3 {
        guard grow() else { return try overflow.count(fields) }
        slot = place(of: fingerprint)
      }
      fingerprints[slot] = fingerprint
      used += 1
    }
    let count = counts[slot]
    guard count < .max else { return try UInt32(count) + overflow.count(fields) }
    counts[slot] += 1
    return UInt32(count)
  }

  /// The slot that holds the fingerprint, or the empty one where it belongs.
  private func place(of fingerprint: UInt64) -> Int {
    let mask = fingerprints.count - 1
    var slot = Int(truncatingIfNeeded: fingerprint) & mask
    while fingerprints[slot] != 0, fingerprints[slot] != fingerprint { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func grow() -> Bool {
    guard fingerprints.count < largest else { return false }
    let (oldFingerprints, oldCounts) = (fingerprints, counts)
    fingerprints = Array(repeating: 0, count: min(largest, oldFingerprints.count * 4))
    counts = Array(repeating: 0, count: fingerprints.count)
    for index in oldFingerprints.indices where oldFingerprints[index] != 0 {
      let slot = place(of: oldFingerprints[index])
      fingerprints[slot] = oldFingerprints[index]
      counts[slot] = oldCounts[index]
    }
    return true
  }

  /// 64 well-mixed bits; 0 marks an empty slot.
  private static func fingerprint(_ fields: StableHash) -> UInt64 {
    let value = fields.value
    var bits = UInt64(truncatingIfNeeded: value) ^ UInt64(truncatingIfNeeded: value >> 64)
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return max(1, bits ^ bits >> 31)
  }
}

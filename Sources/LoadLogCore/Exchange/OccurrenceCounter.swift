/// Counts the loads of a file that start with equal fields.
package protocol OccurrenceCounter {
  /// Returns how often the fields were counted before, and counts them.
  mutating func count(_ fields: StableHash) throws(LoadLogError) -> UInt32
}

/// Counts in at most 12 MB of memory: the first 786,432 different starts of a file, up to 255 times each. An
/// overflow counter, which can use a disk, counts all others, so that most files need no disk.
///
/// The table compares 64 bits of a hash. With a probability of 1 in 60 million two of its starts collide.
/// Then one of them is numbered 1 instead of 0, in the same way at each import.
package struct OccurrenceTable<Overflow: OccurrenceCounter>: OccurrenceCounter {
  /// The counter for starts that do not fit into the table.
  package private(set) var overflow: Overflow
  private var fingerprints: [UInt64]
  private var counts: [UInt8]
  private var used = 0
  private let largest: Int

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - capacity: the minimum number of different starts that fit; rounded up to three quarters of a power
  ///     of two.
  ///   - overflow: the counter for starts that do not fit.
  package init(capacity: Int = 786_432, overflow: Overflow) {
    var largest = 16
    while largest / 4 * 3 < capacity, largest < 1 << 40 { largest *= 2 }
    self.largest = largest
    self.overflow = overflow
    fingerprints = Array(repeating: 0, count: min(largest, 1024))
    counts = Array(repeating: 0, count: min(largest, 1024))
  }

  /// Returns how often the fields were counted before, and counts them.
  package mutating func count(_ fields: StableHash) throws(LoadLogError) -> UInt32 {
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

  /// Returns the slot that holds the fingerprint, or the empty slot where it belongs.
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

  /// Mixes the hash down to 64 bits. Never returns 0, which marks an empty slot.
  private static func fingerprint(_ fields: StableHash) -> UInt64 {
    let value = fields.value
    var bits = UInt64(truncatingIfNeeded: value) ^ UInt64(truncatingIfNeeded: value >> 64)
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return max(1, bits ^ bits >> 31)
  }
}

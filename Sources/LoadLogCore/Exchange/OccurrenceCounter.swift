/// Counts the loads of a file that start with equal fields.
///
/// In at most 15 MB of memory it counts the first 786,432 different starts, up to 255 times each. It passes all others
/// on to an overflow counter, which can use a disk, so that most files need no disk.
///
/// It compares 64 bits of a hash. With a probability of 1 in 60 million two of its starts collide.
/// Then one of them is numbered 1 instead of 0, in the same way at each import.
package struct OccurrenceCounter {
  /// Returns how often the fields were passed on before.
  package typealias Overflow = (StableHash) throws(LoadLogError) -> UInt32

  private var counts: [UInt64: UInt8] = [:]
  private let capacity: Int
  private let overflow: Overflow

  /// Begins at 0.
  ///
  /// - Parameters:
  ///   - capacity: the number of different starts to keep in memory.
  ///   - overflow: counts the others.
  package init(capacity: Int = 786_432, overflow: @escaping Overflow) {
    self.capacity = capacity
    self.overflow = overflow
  }

  /// Returns how often the fields were counted before, and counts them.
  package mutating func count(_ fields: StableHash) throws(LoadLogError) -> UInt32 {
    let key = UInt64(truncatingIfNeeded: fields.value ^ fields.value >> 64)
    let count = counts[key, default: 0]
    guard count < .max, count > 0 || counts.count < capacity else {
      return try UInt32(count) + overflow(fields)
    }
    counts[key] = count + 1
    return UInt32(count)
  }
}

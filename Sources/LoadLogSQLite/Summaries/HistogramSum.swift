package import LoadLogCore

/// Adds up many histograms in their stored form, faster than by merging one into the other.
package struct HistogramSum {
  private var zeroCount = 0
  /// Counts by index, from the least index on.
  private var counts = [Int](repeating: 0, count: DurationHistogram.indexes.count)
  /// The positions in `counts` that may be other than 0.
  private var used: ClosedRange<Int>?

  package init() {}

  /// Adds a stored histogram.
  ///
  /// - Throws: `damaged` if it cannot be read.
  package mutating func add(_ bytes: [UInt8]) throws(LoadLogError) {
    guard let histogram = try? DurationHistogram(stored: bytes) else { throw VarintReader.damage }
    zeroCount = zeroCount.addingClamping(histogram.zeroCount)
    guard let first = histogram.buckets.first, let last = histogram.buckets.last else { return }
    let (low, high) = (Self.position(of: first.index), Self.position(of: last.index))
    used = min(low, used?.lowerBound ?? low)...max(high, used?.upperBound ?? high)
    for bucket in histogram.buckets {
      let position = Self.position(of: bucket.index)
      counts[position] = counts[position].addingClamping(bucket.count)
    }
  }

  /// The stored form of the sum; nil if it is empty.
  package var stored: [UInt8]? {
    let buckets = (used.map(Array.init) ?? []).filter { counts[$0] > 0 }.map { position in
      DurationHistogram.Bucket(
        index: DurationHistogram.indexes.lowerBound + position, count: counts[position])
    }
    return DurationHistogram(zeroCount: zeroCount, buckets: buckets)?.stored
  }

  private static func position(of index: Int) -> Int { index - DurationHistogram.indexes.lowerBound }
}

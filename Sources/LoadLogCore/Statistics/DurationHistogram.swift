import Foundation

/// An OpenTelemetry exponential histogram of durations at scale 5: 32 buckets for each power of two.
///
/// Bucket `i` holds the durations in (base^i, base^(i+1)] nanoseconds with base = 2^(1/32). A quantile
/// estimated from it is within 1.1 % of a true order statistic.
/// Source: OpenTelemetry metrics data model, "ExponentialHistogram".
public struct DurationHistogram: Sendable, Hashable {
  /// The number of durations between two bounds.
  public struct Bucket: Sendable, Hashable {
    /// The index of the bucket.
    public let index: Int
    /// The number of durations in the bucket.
    public var count: Int

    /// Creates a bucket.
    public init(index: Int, count: Int) {
      self.index = index
      self.count = count
    }

    /// The exclusive lower bound, in nanoseconds.
    public var lowerBound: Double { exp2(Double(index) / bucketsPerOctave) }
    /// The inclusive upper bound, in nanoseconds.
    public var upperBound: Double { exp2(Double(index + 1) / bucketsPerOctave) }
    /// The value with the same relative error to both bounds, in nanoseconds.
    public var middle: Double { 2 * lowerBound * upperBound / (lowerBound + upperBound) }
  }

  /// The scale of the histogram.
  public static let scale = 5
  /// The buckets that are not empty, ordered by index.
  public private(set) var buckets: [Bucket] = []
  /// The number of durations of 0.
  public private(set) var zeroCount = 0
  /// The number of all durations.
  public private(set) var count = 0

  private static let bucketsPerOctave = Double(1 << scale)
  /// The indexes of the buckets for durations of 1 ns and more.
  package static let indexes = index(of: 1)...index(of: .max)

  /// Creates an empty histogram.
  public init() {}

  /// Creates a histogram from its parts.
  ///
  /// - Returns: nil unless the indexes are increasing and valid for durations, and all counts are positive.
  public init?(zeroCount: Int, buckets: [Bucket]) {
    guard zeroCount >= 0 else { return nil }
    var (count, least) = (zeroCount, Self.indexes.lowerBound)
    for bucket in buckets {
      guard bucket.count > 0, bucket.index >= least, bucket.index <= Self.indexes.upperBound else {
        return nil
      }
      count = count.addingClamping(bucket.count)
      least = bucket.index + 1
    }
    self.buckets = buckets
    self.zeroCount = zeroCount
    self.count = count
  }

  /// Adds a duration in nanoseconds; a negative one counts as 0.
  public mutating func add(_ duration: Int64) {
    guard duration > 0 else {
      zeroCount = zeroCount.addingClamping(1)
      count = count.addingClamping(1)
      return
    }
    add(Bucket(index: Self.index(of: duration), count: 1))
  }

  /// Adds the durations of another histogram.
  public mutating func merge(_ other: DurationHistogram) {
    guard count > 0 else { return self = other }
    guard other.buckets.count > 1 else {
      zeroCount = zeroCount.addingClamping(other.zeroCount)
      count = count.addingClamping(other.zeroCount)
      return other.buckets.forEach { add($0) }
    }
    var merged: [Bucket] = []
    merged.reserveCapacity(buckets.count + other.buckets.count)
    var rest = buckets[...]
    for bucket in other.buckets {
      while let next = rest.first, next.index < bucket.index { merged.append(rest.removeFirst()) }
      var bucket = bucket
      if let same = rest.first, same.index == bucket.index {
        bucket.count = bucket.count.addingClamping(same.count)
        rest.removeFirst()
      }
      merged.append(bucket)
    }
    buckets = merged + rest
    zeroCount = zeroCount.addingClamping(other.zeroCount)
    count = count.addingClamping(other.count)
  }

  private mutating func add(_ bucket: Bucket) {
    count = count.addingClamping(bucket.count)
    let place = buckets.partitioningIndex { $0.index >= bucket.index }
    if place < buckets.count, buckets[place].index == bucket.index {
      buckets[place].count = buckets[place].count.addingClamping(bucket.count)
    } else {
      buckets.insert(bucket, at: place)
    }
  }

  /// Returns the index of the bucket for a duration greater than 0, in nanoseconds.
  public static func index(of duration: Int64) -> Int {
    Int((log2(Double(duration)) * bucketsPerOctave).rounded(.up)) - 1
  }

  /// Estimates the duration with a rank, counted from 0, as the middle of its bucket, in nanoseconds.
  public func orderStatistic(_ rank: Int) -> Double {
    var last = zeroCount - 1
    if rank <= last { return 0 }
    for bucket in buckets {
      last = last.addingClamping(bucket.count)
      if rank <= last { return bucket.middle }
    }
    return buckets.last?.middle ?? 0
  }
}

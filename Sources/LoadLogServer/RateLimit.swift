import LoadLogCore
import Synchronization

/// Limits the requests of each address: a bucket that holds the requests of one second, and is filled at that rate.
///
/// Any number of threads may call at the same time.
final class RateLimit: Sendable {
  private struct Bucket {
    var tokens: Double
    /// When it was last filled, on the boot clock in nanoseconds.
    var filled: Int64
  }

  private let perSecond: Double
  private let clock: any LoadClock
  private let buckets = Mutex<[String: Bucket]>([:])

  /// The number of addresses from which those that have been silent are forgotten.
  private static let manyAddresses = 1024

  init(perSecond: Int, clock: any LoadClock = BootClock()) {
    self.perSecond = Double(perSecond)
    self.clock = clock
  }

  /// Whether one more request of an address is within the limit.
  func admits(_ address: String) -> Bool {
    let now = clock.now().boot
    return buckets.withLock { buckets in
      if buckets.count >= Self.manyAddresses {
        // After a second without requests a bucket is full, as that of a new address is.
        buckets = buckets.filter { now - $0.value.filled < 1_000_000_000 }
      }
      var bucket = buckets[address] ?? Bucket(tokens: perSecond, filled: now)
      bucket.tokens = min(perSecond, bucket.tokens + Double(now - bucket.filled) / 1e9 * perSecond)
      bucket.filled = now
      let isAdmitted = bucket.tokens >= 1
      if isAdmitted { bucket.tokens -= 1 }
      buckets[address] = bucket
      return isAdmitted
    }
  }
}

import Foundation
import LoadLogCore
import Synchronization

/// Limits the requests of each address: a bucket that holds the requests of one second, and is filled at that rate. The
/// addresses of IPv6 that begin with the same 64 bits are one, because a single machine has them all.
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
  private let state = Mutex(State())

  private struct State {
    var buckets: [String: Bucket] = [:]
    /// When silent addresses were last forgotten.
    var cleaned: Int64 = 0
  }

  private static let second: Int64 = 1_000_000_000

  init(perSecond: Int, clock: any LoadClock = BootClock()) {
    self.perSecond = Double(perSecond)
    self.clock = clock
  }

  /// Whether one more request of an address is within the limit.
  func admits(_ address: String) -> Bool {
    let network = Self.network(of: address)
    let now = clock.now().boot
    return state.withLock { state in
      if now - state.cleaned >= Self.second {
        // After a second without requests a bucket is full, as that of a new address is.
        state.buckets = state.buckets.filter { now - $0.value.filled < Self.second }
        state.cleaned = now
      }
      var bucket = state.buckets[network] ?? Bucket(tokens: perSecond, filled: now)
      bucket.tokens = min(perSecond, bucket.tokens + Double(now - bucket.filled) / 1e9 * perSecond)
      bucket.filled = now
      let isAdmitted = bucket.tokens >= 1
      if isAdmitted { bucket.tokens -= 1 }
      state.buckets[network] = bucket
      return isAdmitted
    }
  }

  /// The first 64 bits of an address of IPv6; any other address as it is.
  private static func network(of address: String) -> String {
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
    return withUnsafeBytes(of: bytes) { bytes in
      // An address of IPv4 in the form of one of IPv6, ::ffff:192.0.2.1, is all in the last bits.
      let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
      return bytes.prefix(isMapped ? 16 : 8).map { String($0) }.joined(separator: ".")
    }
  }
}

public import Foundation

/// One moment, read on both clocks.
///
/// Durations are differences of ``boot``; ``wall`` is for display and for windows.
public struct LoadInstant: Sendable, Hashable {
  /// Wall time, UTC, in microseconds since 1970.
  public let wall: Int64
  /// Time since boot in nanoseconds, suspend included (CLOCK_BOOTTIME; on Darwin the continuous clock).
  public let boot: Int64

  /// Makes an instant of two readings.
  public init(wall: Int64, boot: Int64) {
    self.wall = wall
    self.boot = boot
  }

  /// The wall time as a date.
  public var date: Date { Date(microseconds: wall) }
}

extension Date {
  /// A date from microseconds since 1970, UTC.
  public init(microseconds: Int64) {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(timeIntervalSince1970: Double(seconds) + Double(rest) / 1_000_000)
  }

  /// Microseconds since 1970, UTC, rounded; nil if they do not fit.
  public var microseconds: Int64? {
    Int64(exactly: (timeIntervalSince1970 * 1_000_000).rounded())
  }
}

public import Foundation

/// A point in time, read from the wall clock and from the boot clock.
///
/// Durations are differences of ``boot``. ``wall`` is for display and for time windows.
public struct LoadInstant: Sendable, Hashable {
  /// Wall time in microseconds since 1970, UTC.
  public let wall: Int64
  /// Time since boot in nanoseconds, including suspension (CLOCK_BOOTTIME; the continuous clock on Darwin).
  public let boot: Int64

  /// Creates an instant from readings of both clocks.
  public init(wall: Int64, boot: Int64) {
    self.wall = wall
    self.boot = boot
  }

  /// The wall time as a date.
  public var date: Date { Date(microseconds: wall) }
}

extension Date {
  /// Creates a date from microseconds since 1970, UTC.
  package init(microseconds: Int64) {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(timeIntervalSince1970: Double(seconds) + Double(rest) / 1_000_000)
  }

  /// The date in microseconds since 1970, UTC, rounded; nil if they do not fit into 64 bits.
  package var microseconds: Int64? {
    Int64(exactly: (timeIntervalSince1970 * 1_000_000).rounded())
  }
}

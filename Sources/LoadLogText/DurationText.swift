/// Formats durations for people: "45 ms", "1.2 s", "4 m 08 s", "3 h 12 m", "1 d 7 h".
///
/// Durations below 0.1 s are in milliseconds, durations below a minute in seconds with one decimal place, and longer
/// ones in their two largest units. Seconds after minutes have two digits, so that columns line up.
package enum DurationText {
  /// Formats a measured duration, rounded to the displayed precision.
  ///
  /// - Parameter nanoseconds: The duration; a negative one is formatted as 0.
  package static func measured(_ nanoseconds: Int64) -> String {
    if nanoseconds <= 0 { return "0 s" }
    if nanoseconds < milli { return "<1 ms" }
    let milliseconds = rounded(nanoseconds, to: milli)
    if milliseconds < 100 { return "\(milliseconds) ms" }
    let tenths = rounded(nanoseconds, to: second / 10)
    if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
    let seconds = rounded(nanoseconds, to: second)
    if seconds < 3600 { return whole(seconds: seconds) }
    let minutes = rounded(nanoseconds, to: second * 60)
    if minutes < 1440 { return whole(seconds: minutes * 60) }
    return whole(seconds: rounded(nanoseconds, to: second * 3600) * 3600)
  }

  /// Formats an estimated duration in nanoseconds, such as a quantile.
  package static func measured(_ nanoseconds: Double) -> String {
    measured(Int64(exactly: nanoseconds.rounded()) ?? .max)
  }

  /// Formats elapsed time in nanoseconds, rounded down to the displayed precision: "2 s", "4 m 08 s", "3 h 12 m".
  package static func elapsed(_ nanoseconds: Int64) -> String {
    whole(seconds: max(nanoseconds, 0) / second)
  }

  /// Formats a limit in nanoseconds that a user has set. Limits of 1.5 s, 30 s, 5 m and 24 h become "1.5 s",
  /// "30 s", "5 m 00 s" and "1 d 0 h".
  package static func limit(_ nanoseconds: Int64) -> String {
    nanoseconds % second == 0 ? elapsed(nanoseconds) : measured(nanoseconds)
  }

  private static let milli: Int64 = 1_000_000
  private static let second: Int64 = 1_000_000_000

  private static func whole(seconds: Int64) -> String {
    let minutes = seconds / 60
    let hours = minutes / 60
    if minutes == 0 { return "\(seconds) s" }
    if hours == 0 { return "\(minutes) m \(TwoDigits.text(seconds % 60)) s" }
    if hours < 24 { return "\(hours) h \(minutes % 60) m" }
    return "\(hours / 24) d \(hours % 24) h"
  }

  private static func rounded(_ value: Int64, to unit: Int64) -> Int64 {
    let (quotient, rest) = value.quotientAndRemainder(dividingBy: unit)
    return rest >= unit - rest ? quotient + 1 : quotient
  }
}

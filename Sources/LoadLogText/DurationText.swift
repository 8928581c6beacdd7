/// Durations as people read them: "45 ms", "1.2 s", "4 m 08 s", "3 h 12 m", "1 d 7 h".
///
/// Two units at most. Below 0.1 s milliseconds, below a minute seconds with one decimal, then the two
/// greatest units; seconds beside minutes have two digits, so that columns line up.
public enum DurationText {
  /// A measured duration, rounded to what is shown.
  ///
  /// - Parameter nanoseconds: negative counts as 0.
  public static func measured(_ nanoseconds: Int64) -> String {
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

  /// An estimated duration, such as a quantile.
  public static func measured(_ nanoseconds: Double) -> String {
    measured(Int64(exactly: nanoseconds.rounded()) ?? .max)
  }

  /// Time gone by so far: whole seconds, and nothing rounded up: "2 s", "4 m 08 s", "3 h 12 m".
  public static func elapsed(_ nanoseconds: Int64) -> String {
    whole(seconds: max(nanoseconds, 0) / second)
  }

  /// A duration that a person gave as a limit: "30 s", "1.5 s", "5 m", "24 h" become "30 s", "1.5 s",
  /// "5 m 00 s", "1 d 0 h".
  public static func limit(_ nanoseconds: Int64) -> String {
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

/// Formats durations for people, with two or three digits that count.
///
/// | from | examples |
/// | --- | --- |
/// | 0 | `0 s` |
/// | above 0 | `<0.01 ms`, `0.052 ms`, `0.42 ms` |
/// | 1 ms | `1.90 ms`, `12.3 ms`, `104 ms` |
/// | 1 s | `1.90 s`, `12.0 s`, `59.9 s` |
/// | 1 minute | `1 m 00 s`, `4 m 08 s`, `59 m 59 s` |
/// | 1 hour | `1 h 7 m`, `23 h 59 m` |
/// | 1 day | `1 d 7 h`, `106752 d 0 h` |
///
/// A duration that rounds up to the next unit is in that unit: `1.00 s`, never `1000 ms`. Seconds after minutes have two
/// digits, so that columns line up. There is no `µs`, which terminals without UTF-8 cannot show.
package enum DurationText {
  /// Formats a measured duration, rounded to the displayed precision.
  ///
  /// - Parameter nanoseconds: The duration; a negative one is formatted as 0.
  package static func measured(_ nanoseconds: Int64) -> String {
    if nanoseconds <= 0 { return "0 s" }
    if nanoseconds < milli / 100 { return "<0.01 ms" }
    for rung in decimals {
      let steps = rounded(nanoseconds, to: rung.step)
      if steps < rung.end { return decimal(steps, of: rung.unit / rung.step) + rung.name }
    }
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

  /// The shortest duration in nanoseconds that is formatted like another one, which was read from a screen.
  package static func least(shownLike nanoseconds: Int64) -> Int64 {
    let text = measured(nanoseconds)
    let steps = decimals.map(\.step) + [second, second * 60, second * 3600]
    return steps.map { nanoseconds - $0 / 2 }.last { $0 > 0 && measured($0) == text } ?? nanoseconds
  }

  /// Formats elapsed time in nanoseconds, rounded down to the displayed precision: "2 s", "4 m 08 s", "3 h 12 m".
  package static func elapsed(_ nanoseconds: Int64) -> String {
    whole(seconds: max(nanoseconds, 0) / second)
  }

  /// Formats a limit in nanoseconds that a user has set, without rounding it, and in one unit where that is short: limits
  /// of 1.5 s, 90 s, 25 h, 7 d and 25.5 h become "1.50 s", "90 s", "25 h", "7 d" and "1 d 1 h 30 m".
  package static func limit(_ nanoseconds: Int64) -> String {
    if let text = short(nanoseconds) { return text }
    let rung = decimals.first { nanoseconds / $0.step < $0.end }
    return rung.map { nanoseconds % $0.step == 0 } == true ? measured(nanoseconds) : exact(nanoseconds)
  }

  /// Formats a limit in nanoseconds that LoadLog has learned: like one that a user has set if that is short, otherwise
  /// rounded.
  package static func learned(_ nanoseconds: Int64) -> String { short(nanoseconds) ?? measured(nanoseconds) }

  private static let milli: Int64 = 1_000_000
  private static let second: Int64 = 1_000_000_000
  /// The units of limits, in nanoseconds. None is longer than a day.
  private static let units: [(name: String, length: Int64)] = [
    ("d", second * 86_400), ("h", second * 3600), ("m", second * 60), ("s", second),
  ]

  /// A duration in one unit; nil if that is not short, or not exact.
  private static func short(_ nanoseconds: Int64) -> String? {
    for (name, length) in units where nanoseconds % length == 0 {
      let count = nanoseconds / length
      if count >= 1, count < 100 || name == "d" { return "\(count) \(name)" }
    }
    return nil
  }

  /// A duration in all units that it needs: "1 d 1 h 30 m", "1 m 01.5 s".
  private static func exact(_ nanoseconds: Int64) -> String {
    var (rest, parts) = (max(nanoseconds, 0), [String]())
    for (name, length) in units.dropLast() where rest >= length {
      parts.append("\(rest / length) \(name)")
      rest %= length
    }
    guard rest > 0 else { return parts.joined(separator: " ") }
    var seconds = (parts.isEmpty || rest >= 10 * second ? "" : "0") + decimal(rest, of: second)
    while seconds.last == "0" { seconds.removeLast() }
    if seconds.last == "." { seconds.removeLast() }
    return (parts + ["\(seconds) s"]).joined(separator: " ")
  }

  /// The precision of durations below a minute: each rung counts steps, up to `end` of them.
  private static let decimals: [(step: Int64, end: Int64, unit: Int64, name: String)] = [
    (milli / 1000, 100, milli, " ms"), (milli / 100, 1000, milli, " ms"), (milli / 10, 1000, milli, " ms"),
    (milli, 1000, milli, " ms"), (second / 100, 1000, second, " s"), (second / 10, 600, second, " s"),
  ]

  /// Formats a number of parts of a whole, of which there are `parts`, a power of ten: 190 of 100 is "1.90".
  private static func decimal(_ count: Int64, of parts: Int64) -> String {
    guard parts > 1 else { return "\(count)" }
    // The leading 1 keeps the zeros before the digits of the fraction; it is dropped.
    return "\(count / parts).\("\(parts + count % parts)".dropFirst())"
  }

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

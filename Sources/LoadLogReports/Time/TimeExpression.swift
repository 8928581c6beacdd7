public import LoadLogCore

/// Parser of times on the command line: RFC 3339, "2026-11-21", "14:05", "yesterday 14:05", "24h", "7d",
/// "today", "yesterday", "now".
///
/// Times without a zone are local. A duration counts back from now.
public struct TimeExpression: Sendable {
  /// Current wall time in microseconds.
  public let now: Int64
  /// Time zone of times without a zone.
  public let zone: LocalZone

  /// Creates a parser for a current time and a time zone.
  public init(now: Int64, zone: LocalZone = .current) {
    self.now = now
    self.zone = zone
  }

  /// Returns the wall time of an expression in microseconds.
  ///
  /// - Throws: `invalidInput`, with examples of what is allowed.
  public func microseconds(_ text: String) throws(LoadLogError) -> Int64 {
    if text == "now" { return now }
    let moment = try moment(text)
    guard moment >= Self.earliest else { throw refusal(of: text, why: "it is too far in the past") }
    guard moment <= Self.latest else { throw refusal(of: text, why: "it is too far in the future") }
    return moment
  }

  private func moment(_ text: String) throws(LoadLogError) -> Int64 {
    if DurationExpression.isMeant(by: text) {
      return now.subtractingClamping(try DurationExpression.microseconds(text))
    }
    var scanner = TimeScanner(text[...].utf8)
    guard let moment = read(&scanner), scanner.isAtEnd, scanner.complaint == nil else {
      throw refusal(of: text, why: "it \(scanner.complaint ?? "is not a time")")
    }
    return moment
  }

  /// Returns the window between two times, either of which may be missing.
  ///
  /// - Throws: `invalidInput` if one of them is not a time, or if `until` is not after `since`.
  public func window(
    since: String?, until: String?
  ) throws(LoadLogError) -> (since: Int64?, until: Int64?) {
    let start = try since.map(microseconds)
    let end = try until.map(microseconds)
    if let start, let end, start >= end {
      throw LoadLogError(
        .invalidInput, what: "--until", value: until, why: "it is not after --since",
        advice: "Use a later time.")
    }
    return (start, end)
  }

  /// First instant of the year 1 and last instant of the year 9999 in UTC: RFC 3339 cannot express others.
  private static let earliest: Int64 = -62_135_596_800_000_000
  private static let latest: Int64 = 253_402_300_799_999_999

  private func refusal(of text: String, why: String) -> LoadLogError {
    LoadLogError(
      .invalidInput, what: "time", value: text, why: why,
      advice: "Examples: 2026-11-21T14:05:00Z, 2026-11-21, 14:05, \"yesterday 14:05\", 24h, 7d, today, "
        + "yesterday, now.")
  }

  private func read(_ scanner: inout TimeScanner<Substring.UTF8View>) -> Int64? {
    guard let day = day(&scanner) else { return nil }
    if scanner.isAtEnd, !day.isImplied { return wallTime(of: day.civil) }
    guard day.isImplied || scanner.separator(), let time = scanner.time() else { return nil }
    var civil = day.civil
    (civil.hour, civil.minute, civil.second) = (time.hour, time.minute, time.second)
    guard day.isWritten, let offset = scanner.zone() else {
      return wallTime(of: civil, microseconds: time.microseconds)
    }
    return (civil.seconds - offset) * 1_000_000 + time.microseconds
  }

  /// Reads the day that the text names; today if the text starts with a time of day.
  private func day(
    _ scanner: inout TimeScanner<Substring.UTF8View>
  ) -> (civil: CivilTime, isImplied: Bool, isWritten: Bool)? {
    let today = now / 1_000_000
    if scanner.word("today") { return (midnight(of: today), false, false) }
    if scanner.word("yesterday") {
      return (CivilTime(seconds: midnight(of: today).seconds - 86_400), false, false)
    }
    if scanner.startsWithDate { return scanner.date().map { ($0, false, true) } }
    return (midnight(of: today), true, false)
  }

  private func midnight(of seconds: Int64) -> CivilTime {
    var civil = zone.civil(at: seconds)
    (civil.hour, civil.minute, civil.second) = (0, 0, 0)
    return civil
  }

  private func wallTime(of civil: CivilTime, microseconds: Int64 = 0) -> Int64 {
    zone.seconds(of: civil) * 1_000_000 + microseconds
  }
}

public import LoadLogCore

/// A time as it is typed: RFC 3339, "2026-11-21", "14:05", "yesterday 14:05", "24h", "7d", "today",
/// "yesterday", "now". Local time unless it carries a zone; a duration counts back from now.
public struct TimeExpression: Sendable {
  /// Now, wall time in microseconds.
  public let now: Int64
  /// What local time is.
  public let zone: LocalZone

  /// Reads times against a clock and a zone.
  public init(now: Int64, zone: LocalZone = .current) {
    self.now = now
    self.zone = zone
  }

  /// Wall time in microseconds.
  ///
  /// - Throws: `invalidInput`, naming what is allowed.
  public func microseconds(_ text: String) throws(LoadLogError) -> Int64 {
    if text == "now" { return now }
    let moment = try moment(text)
    guard moment >= Self.earliest else { throw refusal(of: text, why: "it is too long ago") }
    guard moment <= Self.latest else { throw refusal(of: text, why: "it is too far ahead") }
    return moment
  }

  private func moment(_ text: String) throws(LoadLogError) -> Int64 {
    if DurationExpression.isMeant(by: text) {
      return now.subtractingClamping(try DurationExpression.microseconds(text))
    }
    var scanner = TimeScanner(text[...].utf8)
    guard let moment = read(&scanner), scanner.isAtEnd, scanner.complaint == nil else {
      throw refusal(of: text, why: scanner.complaint ?? "it is not a time")
    }
    return moment
  }

  /// A window of two times, either of which may be missing.
  ///
  /// - Throws: `invalidInput` if one is no time, or if nothing can lie between them.
  public func window(
    since: String?, until: String?
  ) throws(LoadLogError) -> (since: Int64?, until: Int64?) {
    let start = try since.map(microseconds)
    let end = try until.map(microseconds)
    if let start, let end, start >= end {
      throw LoadLogError(
        .invalidInput, what: "--until", value: until, why: "it is not after --since",
        advice: "Give a later time.")
    }
    return (start, end)
  }

  /// The first instant of the year 1 and the last of the year 9999, UTC: beyond them RFC 3339 has no words.
  private static let earliest: Int64 = -62_135_596_800_000_000
  private static let latest: Int64 = 253_402_300_799_999_999

  private func refusal(of text: String, why: String) -> LoadLogError {
    LoadLogError(
      .invalidInput, what: "time", value: text, why: why,
      advice: "Allowed: 2026-11-21T14:05:00Z, 2026-11-21, 14:05, \"yesterday 14:05\", 24h, 7d, today, "
        + "yesterday, now.")
  }

  private func read(_ scanner: inout TimeScanner<Substring.UTF8View>) -> Int64? {
    guard let day = day(&scanner) else { return nil }
    if scanner.isAtEnd, !day.isImplied { return local(day.civil, 0) }
    guard day.isImplied || scanner.separator(), let time = scanner.time() else { return nil }
    var civil = day.civil
    (civil.hour, civil.minute, civil.second) = (time.hour, time.minute, time.second)
    guard day.isWritten, let offset = scanner.zone() else { return local(civil, time.microseconds) }
    return (civil.seconds - offset) * 1_000_000 + time.microseconds
  }

  /// The day that the text names, or today if it starts with a time of day.
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

  private func local(_ civil: CivilTime, _ microseconds: Int64) -> Int64 {
    zone.seconds(of: civil) * 1_000_000 + microseconds
  }
}

public import LoadLogCore

/// Parser of times on the command line: RFC 3339, "2026-11-21", "14:05", "yesterday 14:05", "monday", "24h", "7d",
/// "2 days ago", "now", Unix seconds, and every time that the screens print, such as "13 Oct 22:01", "20 h ago" and
/// "Sat 21 Nov 2026 09:41:07 CET".
///
/// Times without a zone are local. A duration counts back from now. A weekday, or a date without a year, is the last
/// such day, which may be today.
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
  public func microseconds(_ text: String) throws(LoadLogError) -> Int64 { try span(text).lowerBound }

  /// Returns the time that an expression names, in microseconds: "14:05" is a whole minute, as the screens print it,
  /// and every other time is a second, unless it has a fraction.
  ///
  /// - Throws: `invalidInput`, with examples of what is allowed.
  public func span(_ text: String) throws(LoadLogError) -> Range<Int64> {
    let (moment, precision) = try moment(text)
    guard moment >= Self.earliest else { throw refusal(of: text, why: "it is too far in the past") }
    guard moment <= Self.latest else { throw refusal(of: text, why: "it is too far in the future") }
    return moment..<moment + precision
  }

  private func moment(_ text: String) throws(LoadLogError) -> (wall: Int64, precision: Int64) {
    // The screens print a moment in the future as an age of 0.
    if text == "now" || text == AgeText.text(of: 1, at: 0) { return (now, 1) }
    if DurationExpression.isMeant(by: text) {
      return (now.subtractingClamping(try DurationExpression.microseconds(text)), 1)
    }
    // Fewer digits could mean a year or a date, and twelve a minute: 202611211405.
    if (9...11).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit), let seconds = Int64(text) {
      return (seconds * 1_000_000, 1_000_000)
    }
    var scanner = TimeScanner(text[...].utf8)
    guard let moment = read(&scanner), scanner.isAtEnd, scanner.complaint == nil else {
      throw refusal(of: text, why: "it \(scanner.complaint ?? "is not a time")")
    }
    return (moment, scanner.precision)
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
      advice:
        "Examples: 2026-11-21T14:05:00Z, 2026-11-21, \"21 Nov 14:05\", 14:05, \"yesterday 14:05\", monday, "
        + "24h, \"2 days ago\", today, now.")
  }

  private func read(_ scanner: inout TimeScanner<Substring.UTF8View>) -> Int64? {
    guard let day = day(&scanner) else { return nil }
    var (civil, microseconds) = (day.civil, Int64(0))
    if day.isImplied || !scanner.isAtEnd && !scanner.continues(with: ",") {
      guard day.isImplied || scanner.separator(), let time = scanner.time() else { return nil }
      (civil.hour, civil.minute, civil.second) = (time.hour, time.minute, time.second)
      microseconds = time.microseconds
      // "+0100" may be behind a space; "-03" is the name of a zone.
      var ahead = scanner
      if ahead.word(" "), ahead.zone() != nil, ahead.isAtEnd { _ = scanner.word(" ") }
      if day.isWritten, let offset = scanner.zone() {
        return (civil.seconds - offset) * 1_000_000 + microseconds
      }
    }
    guard day.isWritten, let name = scanner.zoneName() else {
      return zone.seconds(of: civil) * 1_000_000 + microseconds
    }
    guard let offset = offset(of: name, at: civil.seconds) else {
      scanner.refuse("names a time zone that is not the local one; write an offset, such as +01:00")
      return nil
    }
    return (civil.seconds - offset) * 1_000_000 + microseconds
  }

  /// Seconds east of UTC of a zone that the screens name: the local one, at a time that may occur twice, or UTC.
  private func offset(of name: String, at local: Int64) -> Int64? {
    let near = [-86_400, 86_400].map { zone.offset(at: local + $0) }
    return near.first { $0.abbreviation == name }?.seconds ?? (["UTC", "GMT"].contains(name) ? 0 : nil)
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
    if let weekday = scanner.name(of: LocalTime.weekdays) {
      var ahead = scanner
      guard ahead.word(" "), let written = ahead.dayAndMonth() else {
        let midnight = midnight(of: today)
        let days = Int64((midnight.weekday - weekday + 7) % 7)
        return (CivilTime(seconds: midnight.seconds - days * 86_400), false, false)
      }
      scanner = ahead
      guard let civil = civil(written, &scanner) else { return nil }
      if civil.weekday != weekday { scanner.refuse("names a weekday that the date does not have") }
      return (civil, false, true)
    }
    if let written = scanner.dayAndMonth() { return civil(written, &scanner).map { ($0, false, true) } }
    return (midnight(of: today), true, false)
  }

  /// Midnight of a written day; without a year, of the last such day up to today.
  private func civil(
    _ written: (day: Int64, month: Int64, year: Int64?), _ scanner: inout TimeScanner<Substring.UTF8View>
  ) -> CivilTime? {
    let today = midnight(of: now / 1_000_000)
    // 29 February may be eight years ago.
    let last = (today.year - 8...today.year).reversed().lazy
      .compactMap { CivilTime(year: $0, month: written.month, day: written.day) }
      .first { $0.dayNumber <= today.dayNumber }
    return scanner.civil(
      year: written.year ?? last?.year ?? today.year, month: written.month, day: written.day)
  }

  private func midnight(of seconds: Int64) -> CivilTime {
    var civil = zone.civil(at: seconds)
    (civil.hour, civil.minute, civil.second) = (0, 0, 0)
    return civil
  }
}

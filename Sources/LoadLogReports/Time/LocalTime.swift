import LoadLogCore

/// Formatter of moments in local time; always in English, independent of the locale.
package struct LocalTime: Sendable {
  package let zone: LocalZone

  /// Creates a formatter for a time zone.
  package init(zone: LocalZone) { self.zone = zone }

  /// Date, time and zone: "Sat 21 Nov 2026 09:41:07 CET".
  package func full(_ wall: Int64) -> String { "\(day(wall)) \(clock(wall)) \(abbreviation(wall))" }

  /// Date with weekday: "Sat 21 Nov 2026".
  package func day(_ wall: Int64) -> String {
    let civil = civil(wall)
    return "\(Self.shortWeekdays[civil.weekday]) \(Self.date(civil))"
  }

  /// Date: "21 Nov 2026".
  package func date(_ wall: Int64) -> String { Self.date(civil(wall)) }

  /// "20 Nov" in the year of `reference`, "20 Nov 2025" in another year. The day has two digits.
  package func date(_ wall: Int64, near reference: Int64) -> String {
    Self.date(civil(wall), near: civil(reference))
  }

  /// Date without year: "21 Nov". The day has two digits.
  package func shortDate(_ wall: Int64) -> String { Self.shortDate(civil(wall)) }

  /// Time of day with seconds: "06:29:03".
  package func clock(_ wall: Int64) -> String { Self.clock(civil(wall)) }

  /// Time of day: "06:29".
  package func minute(_ wall: Int64) -> String { Self.minute(civil(wall)) }

  /// Abbreviation of the zone at that moment: "CET".
  package func abbreviation(_ wall: Int64) -> String { zone.offset(at: seconds(wall)).abbreviation }

  /// Abbreviations of the zone at some moments, in their order: "CET", or "CEST and CET" if clocks were changed between
  /// them.
  func abbreviations(_ walls: [Int64]) -> String {
    var names: [String] = []
    for name in walls.sorted().map(abbreviation) where !names.contains(name) { names.append(name) }
    return Words.list(names)
  }

  /// "06:29" on the day of `reference`, "20 Nov 06:29" on another day, "20 Nov 2025 06:29" in another year.
  package func minute(_ wall: Int64, near reference: Int64) -> String {
    dated(wall, near: reference, isAlwaysDated: false, Self.minute)
  }

  /// "06:29:03" on the day of `reference`, "20 Nov 06:29:03" on another day, "20 Nov 2025 06:29:03" in
  /// another year.
  package func clock(_ wall: Int64, near reference: Int64) -> String {
    dated(wall, near: reference, isAlwaysDated: false, Self.clock)
  }

  /// A due time, or the end of its grace: to the minute, or to the second if the minute alone hides a grace that is shorter.
  ///
  /// - Parameter grace: the grace in nanoseconds; nil if it is unknown.
  package func due(_ wall: Int64, grace: Int64?, near reference: Int64) -> String {
    let isShort = grace.map { $0 < 60_000_000_000 } ?? false
    return isShort && wall % 60_000_000 != 0 ? clock(wall, near: reference) : minute(wall, near: reference)
  }

  /// "20 Nov 06:29" in the year of `reference`, "20 Nov 2025 06:29" in another year.
  package func dayMinute(_ wall: Int64, near reference: Int64) -> String {
    dated(wall, near: reference, isAlwaysDated: true, Self.minute)
  }

  /// "20 Nov 06:29:03" in the year of `reference`, "20 Nov 2025 06:29:03" in another year.
  package func dayClock(_ wall: Int64, near reference: Int64) -> String {
    dated(wall, near: reference, isAlwaysDated: true, Self.clock)
  }

  /// Whether two moments are on the same local day.
  package func isSameDay(_ one: Int64, _ other: Int64) -> Bool {
    civil(one).dayNumber == civil(other).dayNumber
  }

  private func dated(
    _ wall: Int64, near reference: Int64, isAlwaysDated: Bool, _ time: (CivilTime) -> String
  ) -> String {
    let (civil, reference) = (civil(wall), civil(reference))
    if !isAlwaysDated, civil.dayNumber == reference.dayNumber { return time(civil) }
    return "\(Self.date(civil, near: reference)) \(time(civil))"
  }

  private static func date(_ civil: CivilTime, near reference: CivilTime) -> String {
    civil.year == reference.year ? shortDate(civil) : date(civil)
  }

  private static func date(_ civil: CivilTime) -> String { "\(shortDate(civil)) \(civil.year)" }

  private static func shortDate(_ civil: CivilTime) -> String {
    "\(TwoDigits.text(civil.day)) \(shortMonths[Int(civil.month - 1)])"
  }

  private static func clock(_ civil: CivilTime) -> String {
    "\(minute(civil)):\(TwoDigits.text(civil.second))"
  }

  private static func minute(_ civil: CivilTime) -> String {
    "\(TwoDigits.text(civil.hour)):\(TwoDigits.text(civil.minute))"
  }

  private func civil(_ wall: Int64) -> CivilTime { zone.civil(at: seconds(wall)) }

  private func seconds(_ wall: Int64) -> Int64 { CivilTime.floorDivide(wall, by: 1_000_000).quotient }

  /// Weekdays in the order of ``CivilTime/weekday``.
  static let weekdays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]
  private static let shortWeekdays = weekdays.map { $0.prefix(3) }
  private static let shortMonths = months.map { $0.prefix(3) }
}

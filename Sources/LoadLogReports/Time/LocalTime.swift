/// Moments in local time, as tables show them. English whatever the locale: this is a tool's output.
public struct LocalTime: Sendable {
  private let zone: LocalZone

  /// Shows times of a zone.
  public init(zone: LocalZone) { self.zone = zone }

  /// "Sat 21 Nov 2026 09:41:07 CET".
  public func full(_ wall: Int64) -> String { "\(day(wall)) \(clock(wall)) \(abbreviation(wall))" }

  /// "Sat 21 Nov 2026".
  public func day(_ wall: Int64) -> String {
    let civil = civil(wall)
    let weekday = Self.weekdays[Int(CivilTime.floorDivide(civil.dayNumber, by: 7).rest)]
    return "\(weekday) \(Self.date(civil))"
  }

  /// "21 Nov 2026".
  public func date(_ wall: Int64) -> String { Self.date(civil(wall)) }

  /// "21 Nov"; the day has two digits.
  public func shortDate(_ wall: Int64) -> String { Self.shortDate(civil(wall)) }

  /// "06:29:03".
  public func clock(_ wall: Int64) -> String { Self.clock(civil(wall)) }

  /// "06:29".
  public func minute(_ wall: Int64) -> String { Self.minute(civil(wall)) }

  /// The zone's short name then: "CET".
  public func abbreviation(_ wall: Int64) -> String { zone.offset(at: seconds(wall)).abbreviation }

  /// "06:29" on the day of `reference`, else "20 Nov 06:29", in another year "20 Nov 2025 06:29".
  public func minute(_ wall: Int64, near reference: Int64) -> String {
    dated(wall, near: reference, Self.minute)
  }

  /// "06:29:03" on the day of `reference`, else "20 Nov 06:29:03", in another year "20 Nov 2025 06:29:03".
  public func clock(_ wall: Int64, near reference: Int64) -> String {
    dated(wall, near: reference, Self.clock)
  }

  /// "20 Nov 06:29", in another year than that of `reference` "20 Nov 2025 06:29".
  public func dayMinute(_ wall: Int64, near reference: Int64) -> String {
    let (civil, reference) = (civil(wall), civil(reference))
    return "\(Self.date(civil, near: reference)) \(Self.minute(civil))"
  }

  /// "20 Nov 06:29:03", in another year than that of `reference` "20 Nov 2025 06:29:03".
  public func dayClock(_ wall: Int64, near reference: Int64) -> String {
    let (civil, reference) = (civil(wall), civil(reference))
    return "\(Self.date(civil, near: reference)) \(Self.clock(civil))"
  }

  /// Whether two moments are on one local day.
  public func isSameDay(_ one: Int64, _ other: Int64) -> Bool {
    civil(one).dayNumber == civil(other).dayNumber
  }

  private func dated(
    _ wall: Int64, near reference: Int64, _ time: (CivilTime) -> String
  ) -> String {
    let (civil, reference) = (civil(wall), civil(reference))
    if civil.dayNumber == reference.dayNumber { return time(civil) }
    return "\(Self.date(civil, near: reference)) \(time(civil))"
  }

  private static func date(_ civil: CivilTime, near reference: CivilTime) -> String {
    civil.year == reference.year ? shortDate(civil) : date(civil)
  }

  private static func date(_ civil: CivilTime) -> String { "\(shortDate(civil)) \(civil.year)" }

  private static func shortDate(_ civil: CivilTime) -> String {
    "\(TwoDigits.text(civil.day)) \(months[Int(civil.month - 1)])"
  }

  private static func clock(_ civil: CivilTime) -> String {
    "\(minute(civil)):\(TwoDigits.text(civil.second))"
  }

  private static func minute(_ civil: CivilTime) -> String {
    "\(TwoDigits.text(civil.hour)):\(TwoDigits.text(civil.minute))"
  }

  private func civil(_ wall: Int64) -> CivilTime { zone.civil(at: seconds(wall)) }

  private func seconds(_ wall: Int64) -> Int64 { CivilTime.floorDivide(wall, by: 1_000_000).quotient }

  /// From Thursday on, as 1 January 1970 was one.
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

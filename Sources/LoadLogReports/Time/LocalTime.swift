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
    return "\(weekday) \(date(wall))"
  }

  /// "21 Nov 2026".
  public func date(_ wall: Int64) -> String { "\(shortDate(wall)) \(civil(wall).year)" }

  /// "21 Nov"; the day has two digits.
  public func shortDate(_ wall: Int64) -> String {
    let civil = civil(wall)
    return "\(TwoDigits.text(civil.day)) \(Self.months[Int(civil.month - 1)])"
  }

  /// "06:29:03".
  public func clock(_ wall: Int64) -> String {
    "\(minute(wall)):\(TwoDigits.text(civil(wall).second))"
  }

  /// "06:29".
  public func minute(_ wall: Int64) -> String {
    let civil = civil(wall)
    return "\(TwoDigits.text(civil.hour)):\(TwoDigits.text(civil.minute))"
  }

  /// The zone's short name then: "CET".
  public func abbreviation(_ wall: Int64) -> String { zone.offset(at: seconds(wall)).abbreviation }

  /// "06:29" on the day of `reference`, else "20 Nov 06:29", in another year "20 Nov 2025 06:29".
  public func minute(_ wall: Int64, near reference: Int64) -> String {
    dated(minute(wall), wall, near: reference)
  }

  /// "06:29:03" on the day of `reference`, else "20 Nov 06:29:03", in another year "20 Nov 2025 06:29:03".
  public func clock(_ wall: Int64, near reference: Int64) -> String {
    dated(clock(wall), wall, near: reference)
  }

  /// "20 Nov 06:29", in another year than that of `reference` "20 Nov 2025 06:29".
  public func dayMinute(_ wall: Int64, near reference: Int64) -> String {
    "\(nearDate(wall, reference)) \(minute(wall))"
  }

  /// "20 Nov 06:29:03", in another year than that of `reference` "20 Nov 2025 06:29:03".
  public func dayClock(_ wall: Int64, near reference: Int64) -> String {
    "\(nearDate(wall, reference)) \(clock(wall))"
  }

  /// Whether two moments are on one local day.
  public func isSameDay(_ one: Int64, _ other: Int64) -> Bool {
    civil(one).dayNumber == civil(other).dayNumber
  }

  private func dated(_ time: String, _ wall: Int64, near reference: Int64) -> String {
    isSameDay(wall, reference) ? time : "\(nearDate(wall, reference)) \(time)"
  }

  private func nearDate(_ wall: Int64, _ reference: Int64) -> String {
    civil(wall).year == civil(reference).year ? shortDate(wall) : date(wall)
  }

  private func civil(_ wall: Int64) -> CivilTime { zone.civil(at: seconds(wall)) }

  private func seconds(_ wall: Int64) -> Int64 { CivilTime.floorDivide(wall, by: 1_000_000).quotient }

  /// From Thursday on, as 1 January 1970 was one.
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

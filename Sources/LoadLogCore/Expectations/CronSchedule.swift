/// The due times of a cron expression in a time zone.
///
/// An expression has five fields: minute, hour, day of the month, month and day of the week. A field is `*`, a number, a
/// name (`jan`, `mon`), a range (`1-5`), a step (`*/10`, `8-18/2`), or a list of these; 0 and 7 are Sunday. `@hourly`,
/// `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly` and `@annually` stand for whole expressions. If the day of the
/// month or the day of the week begins with `*`, both must match; otherwise one of them is enough.
///
/// Where clocks change, due times are those of Debian's cron. If minute or hour begin with `*`, every matching minute is
/// due. Fixed times are due once: those that a clock set forward skips, at the end of the gap; those that occur twice,
/// the first time. Fixed times in a gap of more than three hours are not due.
public struct CronSchedule: Sendable {
  /// The expression as it was given, such as `10 2 * * *` or `@daily`.
  public let expression: String
  /// The name of the time zone, such as `Europe/Berlin`.
  public let timezone: String

  private let fields: CronFields
  private let zone: ZoneRules

  /// Creates a schedule.
  ///
  /// - Throws: `invalidInput` if the expression is invalid or never due, or if there is no such zone.
  public init(_ expression: String, timezone: String) throws(LoadLogError) {
    self.expression = expression
    self.timezone = timezone
    fields = try CronFields(expression)
    guard let zone = ZoneRules.named(timezone) else {
      throw LoadLogError(
        .invalidInput, what: "time zone", value: timezone, why: "there is no such time zone",
        advice: "Use a name such as Europe/Berlin or UTC.")
    }
    self.zone = zone
  }

  /// Returns the first due time after a wall time, both in microseconds since 1970; nil if there is none before the
  /// year 2500.
  public func next(after wall: Int64) -> Int64? {
    var minute = CivilTime.floorDivide(wall, by: Self.minute).quotient + 1
    for period in zone.periods[zone.period(at: minute)...] {
      minute = max(minute, period.start)
      if let due = next(from: minute, in: period) { return due * Self.minute }
    }
    return nil
  }
}

extension CronSchedule: Hashable {
  /// The offset of the schedule's zone at a wall time in microseconds since 1970: seconds east of UTC.
  package func offset(at wall: Int64) -> Int64 {
    zone.periods[zone.period(at: wall / 60_000_000)].offset * 60
  }

  /// Schedules are equal if expression and zone are.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    (lhs.expression, lhs.timezone) == (rhs.expression, rhs.timezone)
  }

  /// Hashes expression and zone.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(expression)
    hasher.combine(timezone)
  }
}

extension CronSchedule {
  private static let minute: Int64 = 60_000_000

  /// The first due minute in a period at or after a minute.
  private func next(from minute: Int64, in period: ZoneRules.Period) -> Int64? {
    if minute == period.start, fires(atEndOfGapBefore: period) { return minute }
    let first = max(minute + period.offset, firstLocalMinute(of: period))
    let end = period.end == .max ? CronFields.end : period.end + period.offset
    return fields.next(from: first, before: end).map { $0 - period.offset }
  }

  /// The first local minute of a period that counts. Fixed times that occur a second time do not.
  private func firstLocalMinute(of period: ZoneRules.Period) -> Int64 {
    guard period.start != .min else { return CronFields.start }
    let repeats = !fields.isWildcard && period.jump < 0 && period.jump > -ZoneRules.mostMinutes
    return period.start + period.offset - (repeats ? period.jump : 0)
  }

  /// Whether a fixed time lies in the gap that begins a period.
  private func fires(atEndOfGapBefore period: ZoneRules.Period) -> Bool {
    guard !fields.isWildcard, period.jump > 0, period.jump < ZoneRules.mostMinutes else { return false }
    let end = period.start + period.offset
    return fields.next(from: end - period.jump, before: end) != nil
  }
}

/// The five fields of a cron expression, and the minutes of a calendar without a time zone that they match. Minutes count
/// from 1970.
struct CronFields: Sendable {
  /// The minutes, hours, days of the month, months and days of the week (0 is Sunday) that match, as sets of bits.
  private var minutes: UInt64, hours: UInt64, days: UInt64, months: UInt64, weekdays: UInt64
  /// Whether the day of the month and the day of the week must both match, not only one of them.
  private let needsBothDays: Bool
  /// Whether minute or hour begin with `*`.
  let isWildcard: Bool

  /// The calendar in which days are searched: from 1970 to 2500. Every possible date and weekday occurs in 400 years.
  static let start: Int64 = 0, end: Int64 = 193_579 * minutesOfDay

  /// Parses an expression.
  ///
  /// - Throws: `invalidInput` if it is invalid, or matches no minute.
  init(_ expression: String) throws(LoadLogError) {
    let parser = CronParser(expression: expression)
    let texts = try parser.fieldTexts()
    minutes = try parser.bits(of: texts[0], .minute)
    hours = try parser.bits(of: texts[1], .hour)
    days = try parser.bits(of: texts[2], .day)
    months = try parser.bits(of: texts[3], .month)
    let found = try parser.bits(of: texts[4], .weekday)
    weekdays = found >> 7 & 1 | found & 0x7F
    let isStar = texts.map { $0.first == "*" }
    isWildcard = isStar[0] || isStar[1]
    needsBothDays = isStar[2] || isStar[4]
    guard next(from: Self.start, before: Self.end) != nil else {
      throw parser.refusal("it is never due; there is no such date")
    }
  }

  /// The first matching minute from one minute to before another one.
  func next(from first: Int64, before end: Int64) -> Int64? {
    guard first < end else { return nil }
    var (day, minute) = CivilTime.floorDivide(first, by: Self.minutesOfDay)
    while day * Self.minutesOfDay < end {
      let date = CivilTime(seconds: day * 86_400)
      guard Self.has(months, date.month) else {
        (day, minute) = (day + CivilTime.days(inMonth: date.month, of: date.year) - date.day + 1, 0)
        continue
      }
      if matches(date), let found = next(from: minute) {
        let due = day * Self.minutesOfDay + found
        return due < end ? due : nil
      }
      (day, minute) = (day + 1, 0)
    }
    return nil
  }
}

extension CronFields {
  private static let minutesOfDay: Int64 = 1440

  private static func has(_ bits: UInt64, _ value: Int64) -> Bool { bits >> value & 1 == 1 }

  private func matches(_ date: CivilTime) -> Bool {
    let day = Self.has(days, date.day)
    // Weekdays of a civil time count from Thursday.
    let weekday = Self.has(weekdays, Int64(date.weekday + 4) % 7)
    return needsBothDays ? day && weekday : day || weekday
  }

  /// The first matching minute of a day at or after a minute.
  private func next(from minute: Int64) -> Int64? {
    let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
    for hour in hour..<24 where Self.has(hours, hour) {
      let later = hour * 60 < minute ? (minutes >> rest) << rest : minutes
      if later != 0 { return hour * 60 + Int64(later.trailingZeroBitCount) }
    }
    return nil
  }
}

/// Date and time of day without a time zone, in the Gregorian calendar.
///
/// The arithmetic follows Howard Hinnant, "chrono-compatible low-level date algorithms": it is exact for
/// every year and needs no calendar library.
package struct CivilTime: Sendable, Hashable {
  /// Astronomical year: 0 is 1 BC.
  package var year: Int64
  /// Month and day, counted from 1.
  package var month: Int64, day: Int64
  package var hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0

  /// Creates midnight of a date; nil if the date does not exist.
  package init?(year: Int64, month: Int64, day: Int64) {
    guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Creates the date and time that is a number of seconds after midnight of 1 January 1970.
  package init(seconds: Int64) {
    let (days, rest) = Self.floorDivide(seconds, by: 86_400)
    let shifted = days + 719_468
    let (era, dayOfEra) = Self.floorDivide(shifted, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
  }

  /// Seconds since midnight of 1 January 1970 in the same time zone.
  package var seconds: Int64 {
    (dayNumber * 24 + hour) * 3600 + minute * 60 + second
  }

  /// Days since 1 January 1970.
  package var dayNumber: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = Self.floorDivide(shiftedYear, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Days since the last Thursday, because 1 January 1970 was one: 0 to 6.
  package var weekday: Int { Int(Self.floorDivide(dayNumber, by: 7).rest) }

  /// Returns the number of days of a month.
  package static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Divides, rounding the quotient towards minus infinity, so that the remainder is never negative.
  package static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
    let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }
}

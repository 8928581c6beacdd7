public import Foundation

/// Formats the last-updated line: "Last Updated: 21.11.26, 09:41", "Last Updated: yesterday", "Last Updated: Never".
///
/// Dates are in the locale's short format, with the time. Set ``texts`` to translate everything else.
public struct LastUpdatedText: Sendable {
  /// A way to format a date.
  public enum Form: Sendable, Hashable {
    /// Date and time.
    case date
    /// Age: minutes, then hours within the same day, then "yesterday", days and weeks of the calendar. From four
    /// weeks on, date and time.
    case relative
  }

  /// The words that surround dates and ages.
  public struct Texts: Sendable {
    /// Makes the whole line from the formatted date or age.
    public var line: @Sendable (String) -> String = { "Last Updated: \($0)" }
    /// Used if there is no date.
    public var never = "Never"
    /// An age of less than a minute, or a date in the future, which occurs after a clock is set back.
    public var justNow = "just now"
    /// An age in minutes, from 1 to 59.
    public var minutesAgo: @Sendable (Int) -> String = { $0 == 1 ? "1 minute ago" : "\($0) minutes ago" }
    /// An age in hours, from 1 to 24; 24 occurs on a day of 25 hours.
    public var hoursAgo: @Sendable (Int) -> String = { $0 == 1 ? "1 hour ago" : "\($0) hours ago" }
    /// A date on the previous day.
    public var yesterday = "yesterday"
    /// An age in days, from 2 to 6.
    public var daysAgo: @Sendable (Int) -> String = { "\($0) days ago" }
    /// An age in weeks, from 1 to 3.
    public var weeksAgo: @Sendable (Int) -> String = { $0 == 1 ? "1 week ago" : "\($0) weeks ago" }

    /// Creates the English texts.
    public init() {}
  }

  /// The way to format dates.
  public var form: Form
  /// The words that surround the date.
  public var texts: Texts
  /// The locale that formats dates.
  public var locale: Locale
  /// The time zone of dates, which also determines when days begin.
  public var timeZone: TimeZone
  /// The calendar of dates, which also counts days.
  public var calendar: Calendar

  /// Creates a format; locale, time zone and calendar are the user's by default, and follow the settings.
  public init(
    form: Form = .date, texts: Texts = Texts(), locale: Locale = .autoupdatingCurrent,
    timeZone: TimeZone = .autoupdatingCurrent, calendar: Calendar = .autoupdatingCurrent
  ) {
    self.form = form
    self.texts = texts
    self.locale = locale
    self.timeZone = timeZone
    self.calendar = calendar
  }

  /// Returns the line for a date, or for "Never" if the date is nil.
  public func text(for date: Date?, at now: Date) -> String {
    guard let date else { return texts.line(texts.never) }
    return texts.line(form == .relative ? age(of: date, at: now) ?? written(date) : written(date))
  }

  private func written(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.calendar = calendar
    formatter.locale = locale
    formatter.timeZone = timeZone
    formatter.dateStyle = .short
    formatter.timeStyle = .short
    return formatter.string(from: date)
  }

  /// Returns nil if the date is at least four weeks ago.
  private func age(of date: Date, at now: Date) -> String? {
    let seconds = now.timeIntervalSince(date)
    if seconds < 60 { return texts.justNow }
    if seconds < 3600 { return texts.minutesAgo(Int(seconds / 60)) }
    switch days(from: date, to: now) {
    case 0: return texts.hoursAgo(Int(seconds / 3600))
    case 1: return texts.yesterday
    case let days? where days < 7: return texts.daysAgo(days)
    case let days? where days < 28: return texts.weeksAgo(days / 7)
    default: return nil
    }
  }

  /// Number of midnights between two dates.
  private func days(from date: Date, to now: Date) -> Int? {
    var calendar = calendar
    calendar.timeZone = timeZone
    let start = calendar.startOfDay(for: date)
    return calendar.dateComponents([.day], from: start, to: calendar.startOfDay(for: now)).day
  }
}

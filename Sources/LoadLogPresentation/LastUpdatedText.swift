public import Foundation

/// The last-updated line: "Last Updated: 21.11.26, 09:41", "Last Updated: yesterday", "Last Updated: Never".
///
/// Dates are those of the locale, short, with the time. Give your own words to translate the rest.
public struct LastUpdatedText: Sendable {
  /// How a date is told.
  public enum Form: Sendable, Hashable {
    /// As date and time.
    case date
    /// As its age: minutes, and hours of the same day; then "yesterday", days and weeks by the calendar; from four
    /// weeks on as date and time.
    case relative
  }

  /// The words around dates and ages.
  public struct Texts: Sendable {
    /// The whole line, of what is told of the date.
    public var line: @Sendable (String) -> String = { "Last Updated: \($0)" }
    /// There is no date.
    public var never = "Never"
    /// Less than a minute ago, or in the future because a clock was set back.
    public var justNow = "just now"
    /// From 1 to 59.
    public var minutesAgo: @Sendable (Int) -> String = { $0 == 1 ? "1 minute ago" : "\($0) minutes ago" }
    /// From 1 to 24.
    public var hoursAgo: @Sendable (Int) -> String = { $0 == 1 ? "1 hour ago" : "\($0) hours ago" }
    /// On the day before.
    public var yesterday = "yesterday"
    /// From 2 to 6.
    public var daysAgo: @Sendable (Int) -> String = { "\($0) days ago" }
    /// From 1 to 3.
    public var weeksAgo: @Sendable (Int) -> String = { $0 == 1 ? "1 week ago" : "\($0) weeks ago" }

    /// English.
    public init() {}
  }

  /// How a date is told.
  public var form: Form
  /// The words around it.
  public var texts: Texts
  /// How dates are written.
  public var locale: Locale
  /// Where days begin.
  public var timeZone: TimeZone
  /// Which days there are.
  public var calendar: Calendar

  /// Makes a form of its parts; by default the user's.
  public init(
    form: Form = .date, texts: Texts = Texts(), locale: Locale = .current, timeZone: TimeZone = .current,
    calendar: Calendar = .current
  ) {
    self.form = form
    self.texts = texts
    self.locale = locale
    self.timeZone = timeZone
    self.calendar = calendar
  }

  /// The line for a date; nil stands for never.
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

  /// Nil if it is too long ago for words.
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

  /// How many midnights lie between.
  private func days(from date: Date, to now: Date) -> Int? {
    var calendar = calendar
    calendar.timeZone = timeZone
    let start = calendar.startOfDay(for: date)
    return calendar.dateComponents([.day], from: start, to: calendar.startOfDay(for: now)).day
  }
}

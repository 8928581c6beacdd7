public import LoadLogCore

/// The forms in which a date is printed.
public enum DateForm: String, Sendable, Hashable, CaseIterable {
  /// RFC 3339, UTC.
  case utc
  /// "10 h ago".
  case relative
  /// "Sat 21 Nov 2026 09:41:07 CET".
  case local
  /// Seconds since 1970.
  case unix
}

/// `last-updated`: one date.
public struct LastUpdatedReport: Sendable {
  /// The feed.
  public let feed: Feed
  /// When it was last updated, wall time in microseconds; nil for never.
  public let date: Int64?
  /// When it was asked, and in which store.
  public let head: JSONHead

  /// Makes a report of an answer.
  public init(feed: Feed, date: Int64?, head: JSONHead) {
    self.feed = feed
    self.date = date
    self.head = head
  }

  /// The date in a form; "never" if there is none.
  public func text(_ form: DateForm, zone: LocalZone) -> String {
    guard let date else { return "never" }
    switch form {
    case .utc: return UTCTime.text(date)
    case .relative: return AgeText.text(of: date, at: head.generated)
    case .local: return LocalTime(zone: zone).full(date)
    case .unix: return String(CivilTime.floorDivide(date, by: 1_000_000).quotient)
    }
  }

  /// The date for programs.
  public func json() -> JSONValue {
    head.object.appending(["feed": .string(feed.name), "last_updated": .moment(date)])
  }
}

public import LoadLogCore

/// Format of the date that `loadlog last-updated` prints.
public enum DateForm: String, Sendable, Hashable, CaseIterable {
  /// RFC 3339 in UTC: "2026-11-21T08:41:07.123Z".
  case utc
  /// Age: "10 h ago".
  case relative
  /// Local time: "Sat 21 Nov 2026 09:41:07 CET".
  case local
  /// Whole seconds since 1 January 1970 UTC.
  case unix
}

/// Report of `loadlog last-updated`: the date of one feed's last update.
public struct LastUpdatedReport: Sendable {
  private let feed: Feed
  private let date: Int64?
  private let head: JSONHead

  /// Creates a report of a feed's last update.
  ///
  /// - Parameters:
  ///   - feed: the feed.
  ///   - date: wall time of the last update in microseconds; nil if the feed was never updated.
  ///   - head: the members that every JSON answer begins with.
  public init(feed: Feed, date: Int64?, head: JSONHead) {
    self.feed = feed
    self.date = date
    self.head = head
  }

  /// Returns the date in the given format, or "never" if there is none.
  public func text(_ form: DateForm, zone: LocalZone) -> String {
    guard let date else { return "never" }
    switch form {
    case .utc: return UTCTime.text(date)
    case .relative: return AgeText.text(of: date, at: head.generated)
    case .local: return LocalTime(zone: zone).full(date)
    case .unix: return String(CivilTime.floorDivide(date, by: 1_000_000).quotient)
    }
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    head.object.appending(["feed": .string(feed.name), "last_updated": .moment(date)])
  }
}

import Foundation
package import LoadLogCore

/// Time zone of reports: its offset from UTC and its abbreviation at any instant.
public struct LocalZone: Sendable {
  /// Offset of a zone from UTC at one instant.
  public struct Offset: Sendable, Hashable {
    /// Seconds east of UTC.
    public let seconds: Int64
    /// Abbreviation of the zone, such as "CET".
    public let abbreviation: String

    /// Creates an offset.
    public init(seconds: Int64, abbreviation: String) {
      self.seconds = seconds
      self.abbreviation = abbreviation
    }
  }

  private let lookUp: @Sendable (Int64) -> Offset

  /// Creates a zone from a function that returns the offset at an instant, in seconds since 1970 UTC.
  public init(_ lookUp: @escaping @Sendable (Int64) -> Offset) { self.lookUp = lookUp }

  /// Zone of this process: `$TZ`, or else the machine's.
  public static let current = LocalZone { seconds in
    var time = time_t(clamping: seconds)
    var fields = tm()
    guard localtime_r(&time, &fields) != nil else { return Offset(seconds: 0, abbreviation: "UTC") }
    let name = fields.tm_zone.map { String(cString: $0) } ?? ""
    return Offset(seconds: Int64(fields.tm_gmtoff), abbreviation: name)
  }

  /// Returns a zone with a constant offset.
  public static func fixed(hours: Int64, _ abbreviation: String) -> LocalZone {
    LocalZone { _ in Offset(seconds: hours * 3600, abbreviation: abbreviation) }
  }

  /// Returns the offset at an instant, in seconds since 1970 UTC.
  public func offset(at seconds: Int64) -> Offset { lookUp(seconds) }

  /// Returns the local date and time at an instant, in seconds since 1970 UTC.
  package func civil(at seconds: Int64) -> CivilTime {
    CivilTime(seconds: seconds + offset(at: seconds).seconds)
  }

  /// Returns the instant of a local date and time, in seconds since 1970 UTC.
  ///
  /// If clocks are set back and the time occurs twice, this is the first occurrence. If clocks are set
  /// forward and the time does not occur, the offset before the change applies.
  package func seconds(of civil: CivilTime) -> Int64 {
    let local = civil.seconds
    let before = offset(at: local - 86_400).seconds
    let after = offset(at: local + 86_400).seconds
    let candidates = [local - before, local - after]
    return candidates.filter { $0 + offset(at: $0).seconds == local }.min() ?? local - before
  }
}

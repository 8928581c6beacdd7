import Foundation

/// What local time is: the offset from UTC and the zone's name, for any instant.
public struct LocalZone: Sendable {
  /// A zone's state at one instant.
  public struct Offset: Sendable, Hashable {
    /// Seconds east of UTC.
    public let seconds: Int64
    /// The zone's short name then, such as "CET".
    public let abbreviation: String

    /// Makes an offset of its parts.
    public init(seconds: Int64, abbreviation: String) {
      self.seconds = seconds
      self.abbreviation = abbreviation
    }
  }

  private let lookUp: @Sendable (Int64) -> Offset

  /// A zone by a function from seconds since 1970, UTC, to the offset then.
  public init(_ lookUp: @escaping @Sendable (Int64) -> Offset) { self.lookUp = lookUp }

  /// The zone of this process: `$TZ`, else the machine's.
  public static let current = LocalZone { seconds in
    var time = time_t(seconds)
    var fields = tm()
    guard localtime_r(&time, &fields) != nil else { return Offset(seconds: 0, abbreviation: "UTC") }
    let name = fields.tm_zone.map { String(cString: $0) } ?? ""
    return Offset(seconds: Int64(fields.tm_gmtoff), abbreviation: name)
  }

  /// A zone that never changes.
  public static func fixed(hours: Int64, _ abbreviation: String) -> LocalZone {
    LocalZone { _ in Offset(seconds: hours * 3600, abbreviation: abbreviation) }
  }

  /// The offset at an instant, in seconds since 1970, UTC.
  public func offset(at seconds: Int64) -> Offset { lookUp(seconds) }

  /// The local date and time at an instant, in seconds since 1970, UTC.
  public func civil(at seconds: Int64) -> CivilTime {
    CivilTime(seconds: seconds + offset(at: seconds).seconds)
  }

  /// The instant of a local date and time, in seconds since 1970, UTC.
  ///
  /// Of a time that comes twice, when clocks are set back, the first; a time that is left out, when they
  /// are set forward, counts on from before the gap.
  public func seconds(of civil: CivilTime) -> Int64 {
    let local = civil.seconds
    let before = offset(at: local - 86_400).seconds
    let after = offset(at: local + 86_400).seconds
    let candidates = [local - before, local - after]
    return candidates.filter { $0 + offset(at: $0).seconds == local }.min() ?? local - before
  }
}

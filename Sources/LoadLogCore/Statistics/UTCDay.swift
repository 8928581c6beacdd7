/// A calendar day in UTC.
public struct UTCDay: Sendable, Hashable, Comparable {
  /// The length of a day in microseconds. Unix time has no leap seconds.
  public static let length: Int64 = 86_400_000_000

  /// The number of days since 1 January 1970.
  public let number: Int64

  /// Creates a day from the number of days since 1 January 1970.
  public init(number: Int64) { self.number = number }

  /// Creates the day that contains a wall time in microseconds since 1970.
  public init(of wall: Int64) {
    number = CivilTime.floorDivide(wall, by: Self.length).quotient
  }

  /// The first instant of the day, in microseconds since 1970.
  public var start: Int64 { number.multipliedClamping(by: Self.length) }

  /// The first instant after the day, in microseconds since 1970.
  public var end: Int64 { next.start }

  /// The following day.
  public var next: UTCDay { UTCDay(number: number.addingClamping(1)) }

  /// Orders days by time.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.number < rhs.number }
}

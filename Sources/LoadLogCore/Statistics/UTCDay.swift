/// A day of the calendar in UTC, by its number: 0 is 1 January 1970.
public struct UTCDay: Sendable, Hashable, Comparable {
  /// The length of a day in microseconds; UTC as computers keep it knows no leap seconds.
  public static let length: Int64 = 86_400_000_000

  /// Days since 1 January 1970.
  public let number: Int64

  /// Makes a day of its number.
  public init(number: Int64) { self.number = number }

  /// The day of a wall time in microseconds.
  public init(of wall: Int64) {
    let (day, rest) = wall.quotientAndRemainder(dividingBy: Self.length)
    number = rest < 0 ? day - 1 : day
  }

  /// Its first instant, wall time in microseconds.
  public var start: Int64 { number.multipliedClamping(by: Self.length) }

  /// The first instant after it, wall time in microseconds.
  public var end: Int64 { next.start }

  /// The day after it.
  public var next: UTCDay { UTCDay(number: number.addingClamping(1)) }

  /// By time.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.number < rhs.number }
}

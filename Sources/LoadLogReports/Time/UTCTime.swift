/// Moments in UTC, as programs read them (RFC 3339).
public enum UTCTime {
  /// "2026-11-21T08:41:07.123Z": a wall time in microseconds, cut to milliseconds.
  public static func text(_ wall: Int64) -> String {
    let (seconds, rest) = CivilTime.floorDivide(wall, by: 1_000_000)
    return "\(day(seconds))T\(clock(seconds)).\(padded(rest / 1000, to: 3))Z"
  }

  private static func day(_ seconds: Int64) -> String {
    let civil = CivilTime(seconds: seconds)
    return "\(padded(civil.year, to: 4))-\(TwoDigits.text(civil.month))-\(TwoDigits.text(civil.day))"
  }

  private static func clock(_ seconds: Int64) -> String {
    let civil = CivilTime(seconds: seconds)
    return [civil.hour, civil.minute, civil.second].map(TwoDigits.text).joined(separator: ":")
  }

  private static func padded(_ value: Int64, to width: Int) -> String {
    let digits = String(value.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return (value < 0 ? "-" : "") + zeros + digits
  }
}

import LoadLogCore

/// Formatter of moments in UTC for programs (RFC 3339).
package enum UTCTime {
  /// Returns a wall time in microseconds, truncated to milliseconds: "2026-11-21T08:41:07.123Z".
  package static func text(_ wall: Int64) -> String {
    var bytes: [UInt8] = []
    append(wall, decimals: 3, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the day of a wall time in microseconds: "2026-11-21".
  static func day(_ wall: Int64) -> String { String(text(wall).prefix { $0 != "T" }) }

  /// Appends a wall time in microseconds with three or six decimals: "2026-11-21T08:41:07.123456Z".
  static func append(_ wall: Int64, decimals: Int = 6, to bytes: inout [UInt8]) {
    let (seconds, rest) = CivilTime.floorDivide(wall, by: 1_000_000)
    let civil = CivilTime(seconds: seconds)
    if civil.year < 0 { bytes.append(UInt8(ascii: "-")) }
    append(civil.year.magnitude, digits: 4, then: "-", to: &bytes)
    append(civil.month.magnitude, digits: 2, then: "-", to: &bytes)
    append(civil.day.magnitude, digits: 2, then: "T", to: &bytes)
    append(civil.hour.magnitude, digits: 2, then: ":", to: &bytes)
    append(civil.minute.magnitude, digits: 2, then: ":", to: &bytes)
    append(civil.second.magnitude, digits: 2, then: ".", to: &bytes)
    append(
      decimals == 3 ? rest.magnitude / 1000 : rest.magnitude, digits: decimals, then: "Z", to: &bytes)
  }

  private static func append(
    _ value: UInt64, digits: Int, then end: Unicode.Scalar, to bytes: inout [UInt8]
  ) {
    var places: UInt64 = 1
    for _ in 1..<digits { places *= 10 }
    while value / 10 >= places { places *= 10 }
    while places > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(value / places % 10))
      places /= 10
    }
    bytes.append(UInt8(ascii: end))
  }
}

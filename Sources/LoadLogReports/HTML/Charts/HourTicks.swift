import LoadLogCore

/// Ticks at full hours of the local day.
enum HourTicks {
  /// Returns at most `most` ticks within a range of wall times in microseconds; midnight is labelled with its date.
  static func `in`(
    _ window: Range<Int64>, time: LocalTime, most: Int
  ) -> [(wall: Int64, label: String)] {
    // Offsets of zones are multiples of 15 minutes.
    let quarter: Int64 = 900_000_000
    let first = CivilTime.floorDivide(window.lowerBound.addingClamping(quarter - 1), by: quarter).quotient
    let last = CivilTime.floorDivide(window.upperBound, by: quarter).quotient
    guard first <= last else { return [] }
    let hours = (first...last).map { (wall: $0 * quarter, label: time.minute($0 * quarter)) }
      .filter { $0.label.hasSuffix(":00") }
    for step in [1, 2, 3, 6, 12, 24] {
      let ticks = hours.filter { (Int($0.label.prefix(2)) ?? 0).isMultiple(of: step) }
      guard ticks.count <= most else { continue }
      return ticks.map { ($0.wall, $0.label == "00:00" ? time.shortDate($0.wall) : $0.label) }
    }
    return []
  }
}

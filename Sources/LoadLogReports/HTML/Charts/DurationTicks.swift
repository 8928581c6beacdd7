import Foundation

/// Round durations in nanoseconds, and their labels on an axis.
enum DurationTicks {
  private static let units: [(name: String, length: Double)] = [
    ("d", 86_400e9), ("h", 3600e9), ("m", 60e9), ("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1),
  ]

  /// Durations in which people count, with a rank: 0 for the roundest, 2 for the least round.
  static let round: [(value: Double, rank: Int)] = {
    let decimal: [(Double, Int)] = [
      (1, 0), (2, 2), (5, 2), (10, 0), (20, 2), (50, 2), (100, 0), (200, 2), (500, 2),
    ]
    let sixty: [(Double, Int)] = [(1, 0), (2, 2), (5, 2), (10, 0), (20, 2), (30, 2)]
    let hours: [(Double, Int)] = [(1, 0), (2, 2), (3, 2), (6, 1), (12, 2)]
    let days: [(Double, Int)] = [(1, 0), (2, 2), (5, 2), (10, 0), (20, 2), (50, 2), (100, 0), (200, 2)]
    let series = [
      days + [(500, 2), (1000, 0), (10_000, 0), (100_000, 0)], hours, sixty, sixty, decimal, decimal, decimal,
    ]
    return zip(units, series).reversed().flatMap { unit, series in
      series.map { (unit.length * $0.0, $0.1) }
    }
  }()

  /// Label of a duration: "200 ms", "1.5 m", "12 h"; in the next smaller unit, "80 s", if a tenth of the larger one is
  /// not exact.
  static func label(_ nanoseconds: Double) -> String {
    guard nanoseconds > 0 else { return "0" }
    let fitting = units.drop { nanoseconds < $0.length }.prefix(2)
    let exact = fitting.first { (nanoseconds * 10).truncatingRemainder(dividingBy: $0.length) == 0 }
    let unit = exact ?? fitting.first ?? ("ns", 1)
    return "\(DrawnPath.number(nanoseconds / unit.length)) \(unit.name)"
  }

  /// Returns the smallest round duration that reaches `duration` in `count` steps.
  static func step(reaching duration: Double, in count: Double) -> Double {
    round.first { $0.value * count >= duration }?.value ?? duration / count
  }
}

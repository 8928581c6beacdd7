/// Round numbers for an axis of counts.
enum CountTicks {
  /// Returns ticks from 0 in at most four equal steps, of which the last is at least `count`.
  static func values(reaching count: Int) -> [Int] {
    let greatest = min(max(count, 1), Int(clamping: 1_000_000_000_000 as Int64))
    var power = 1
    while 5 * power * steps < greatest { power *= 10 }
    let step = [1, 2, 5].map { $0 * power }.first { $0 * steps >= greatest } ?? greatest
    return Array(stride(from: 0, through: (greatest + step - 1) / step * step, by: step))
  }

  /// Short label of a count: "950", "12k", "1.5M".
  static func label(_ count: Int) -> String {
    if count < 10_000 { return Words.count(count) }
    if count < 1_000_000 { return DrawnPath.number(Double(count) / 1e3) + "k" }
    return DrawnPath.number(Double(count) / 1e6) + "M"
  }

  private static let steps = 4
}

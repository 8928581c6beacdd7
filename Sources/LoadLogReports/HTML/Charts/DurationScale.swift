import Foundation

/// Scale that maps durations in nanoseconds to positions on an axis.
struct DurationScale {
  /// Whether equal ratios, rather than equal differences, have equal lengths.
  let isLogarithmic: Bool
  private let low: Double, high: Double
  private let start: Double, end: Double

  init(logarithmic durations: ClosedRange<Double>, from start: Double, to end: Double) {
    isLogarithmic = true
    (low, high) = (log2(max(durations.lowerBound, 1)), log2(max(durations.upperBound, 2)))
    (self.start, self.end) = (start, end)
  }

  /// Creates a linear scale that starts at 0.
  init(upTo duration: Double, from start: Double, to end: Double) {
    isLogarithmic = false
    (low, high) = (0, max(duration, 1))
    (self.start, self.end) = (start, end)
  }

  /// Creates a scale for values: logarithmic if the greatest is more than 25 times the least, otherwise
  /// linear.
  init(fitting values: [Double], from start: Double, to end: Double) {
    let least = values.filter { $0 > 0 }.min() ?? 1
    let greatest = values.max() ?? 1
    if greatest > 25 * least {
      self.init(logarithmic: least / 1.3...greatest * 1.3, from: start, to: end)
    } else {
      self.init(upTo: greatest * 1.06, from: start, to: end)
    }
  }

  /// Returns the position of a duration, clamped to the axis.
  func position(_ nanoseconds: Double) -> Double {
    let value = isLogarithmic ? log2(max(nanoseconds, 1)) : nanoseconds
    guard high > low else { return (start + end) / 2 }
    return start + min(max((value - low) / (high - low), 0), 1) * (end - start)
  }

  /// Returns ticks at round durations that are at least `gap` apart.
  func ticks(gap: Double) -> [(position: Double, label: String)] {
    let values = isLogarithmic ? logarithmicTicks(gap: gap) : linearTicks(gap: gap)
    return values.map { (position($0), DurationTicks.label($0)) }
  }

  private func linearTicks(gap: Double) -> [Double] {
    let step = DurationTicks.step(reaching: high, in: max(1, (abs(end - start) / gap).rounded(.down)))
    return Array(stride(from: 0, through: high, by: step))
  }

  private func logarithmicTicks(gap: Double) -> [Double] {
    var kept: [Double] = []
    let inside = DurationTicks.round.filter { (low...high).contains(log2($0.value)) }
    for rank in 0...2 {
      for tick in inside where tick.rank == rank {
        if kept.allSatisfy({ abs(position($0) - position(tick.value)) >= gap }) { kept.append(tick.value) }
      }
    }
    guard kept.count < 2 else { return kept.sorted() }
    // A narrow range contains fewer than two round durations, so use equal steps.
    let (least, greatest) = (exp2(low), exp2(high))
    let step = DurationTicks.step(reaching: greatest - least, in: 4)
    return Array(stride(from: (least / step).rounded(.up) * step, through: greatest, by: step))
  }
}

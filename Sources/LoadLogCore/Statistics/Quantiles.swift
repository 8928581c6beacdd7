/// Quantiles by linear interpolation between closest ranks (Hyndman and Fan, type 7; the default of NumPy and
/// R).
package enum Quantiles {
  /// Computes a quantile of sorted values.
  ///
  /// - Parameters:
  ///   - fraction: 0 for the least value, 1 for the greatest.
  ///   - count: the number of values; at least 1.
  ///   - value: returns the value with a rank, counted from 0.
  package static func quantile(_ fraction: Double, count: Int, value: (Int) -> Double) -> Double {
    let position = fraction * Double(count - 1)
    let rank = min(Int(position), count - 1)
    let rest = position - Double(rank)
    let lower = value(rank)
    guard rest > 0, rank + 1 < count else { return lower }
    return lower + rest * (value(rank + 1) - lower)
  }
}

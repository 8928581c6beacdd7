/// Quantiles by linear interpolation between closest ranks (Hyndman and Fan, type 7; the default of NumPy
/// and R).
public enum Quantiles {
  /// The quantile of sorted values.
  ///
  /// - Parameters:
  ///   - fraction: 0 for the least value, 1 for the greatest.
  ///   - count: how many values there are; at least 1.
  ///   - value: the value with a rank, counted from 0.
  public static func quantile(_ fraction: Double, count: Int, value: (Int) -> Double) -> Double {
    let position = fraction * Double(count - 1)
    let rank = min(Int(position), count - 1)
    let rest = position - Double(rank)
    let lower = value(rank)
    guard rest > 0, rank + 1 < count else { return lower }
    return lower + rest * (value(rank + 1) - lower)
  }
}

/// Pads numbers to two digits, as in times of day.
package enum TwoDigits {
  /// Formats a number with at least two digits; a negative one or one above 99 stays as it is.
  package static func text(_ value: some BinaryInteger) -> String {
    guard let index = Int(exactly: value), texts.indices.contains(index) else { return "\(value)" }
    return texts[index]
  }

  /// Precomputed, because a long page contains tens of thousands of times.
  private static let texts = (0..<100).map { $0 < 10 ? "0\($0)" : "\($0)" }
}

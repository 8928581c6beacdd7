/// Numbers padded to two digits, as in clocks.
public enum TwoDigits {
  /// The number as text.
  public static func text(_ value: some BinaryInteger) -> String {
    value < 10 ? "0\(value)" : "\(value)"
  }
}

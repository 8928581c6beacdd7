/// Numbers padded to two digits, as in clocks.
public enum TwoDigits {
  /// The number as text.
  public static func text(_ value: some BinaryInteger) -> String {
    guard let index = Int(exactly: value), texts.indices.contains(index) else { return "\(value)" }
    return texts[index]
  }

  /// All of them: long pages hold tens of thousands of clocks.
  private static let texts = (0..<100).map { $0 < 10 ? "0\($0)" : "\($0)" }
}

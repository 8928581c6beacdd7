/// An enumeration that a store saves as numbers: the positions of its cases. New cases come last, so that a number keeps
/// its meaning.
public protocol StoredCode: CaseIterable, Equatable where AllCases == [Self] {}

extension StoredCode {
  /// The number that a store saves.
  public var code: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

  /// Creates the case with a number; nil if there is none.
  public init?(code: Int64) {
    guard let index = Int(exactly: code), Self.allCases.indices.contains(index) else { return nil }
    self = Self.allCases[index]
  }
}

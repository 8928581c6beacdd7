/// The signs that tables use. They only repeat words, so that nothing is lost without them.
public struct Glyphs: Sendable, Hashable {
  /// Success, failure, alarm, running, nothing new.
  public let good: String, bad: String, alarm: String, running: String, same: String
  /// Nothing to count, and not known.
  public let zero: String, none: String
  /// Text was cut here.
  public let ellipsis: String
  /// Between a number and what it counts.
  public let times: String
  /// Before a lower bound, and behind a duration that still grows.
  public let atLeast: String, growing: String
  /// Before an estimate.
  public let about: String
  /// Between the parts of a line.
  public let separator: String

  /// `text` in at most so many cells.
  public func fitted(_ text: String, to width: Int, _ cut: DisplayWidth.Cut = .end) -> String {
    DisplayWidth.cut(text, to: width, cut, ellipsis: ellipsis)
  }

  /// For terminals that show UTF-8.
  public static let unicode = Glyphs(
    good: "✓", bad: "✗", alarm: "!", running: "●", same: "=", zero: "·", none: "–", ellipsis: "…", times: "×",
    atLeast: "≥", growing: "+", about: "~", separator: " · ")

  /// For all others.
  public static let ascii = Glyphs(
    good: "+", bad: "x", alarm: "!", running: "*", same: "=", zero: ".", none: "-", ellipsis: "...",
    times: "x",
    atLeast: ">=", growing: "+", about: "~", separator: " - ")
}

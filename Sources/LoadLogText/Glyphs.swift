/// The set of characters for tables and drawings. Each one only repeats what words say.
public struct Glyphs: Sendable, Hashable {
  /// Success, failure, alarm, a running load, an unchanged load.
  package let good: String, bad: String, alarm: String, running: String, same: String
  /// A count of zero, and an unknown value.
  package let zero: String, none: String
  /// The place where text was cut.
  package let ellipsis: String
  /// The separator between a number and the counted noun.
  package let times: String
  /// The prefix of a lower bound, and the suffix of the duration of a running load.
  package let atLeast: String, growing: String
  /// The prefix of an estimate.
  package let about: String
  /// The separator between the parts of a line.
  package let separator: String

  /// Cuts a text to at most `width` cells.
  package func fitted(_ text: String, to width: Int, cutting cut: DisplayWidth.Cut = .end) -> String {
    DisplayWidth.cut(text, to: width, cutting: cut, ellipsis: ellipsis)
  }

  /// The characters for terminals that support UTF-8.
  public static let unicode = Glyphs(
    good: "✓", bad: "✗", alarm: "!", running: "●", same: "=", zero: "·", none: "–", ellipsis: "…", times: "×",
    atLeast: "≥", growing: "+", about: "~", separator: " · ")

  /// The characters for all other terminals.
  public static let ascii = Glyphs(
    good: "+", bad: "x", alarm: "!", running: "*", same: "=", zero: ".", none: "-", ellipsis: "...",
    times: "x",
    atLeast: ">=", growing: "+", about: "~", separator: " - ")
}

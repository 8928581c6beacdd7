/// The most Unicode scalars that texts may have, and what happens beyond.
public enum TextLimit {
  /// Messages, reasons and call sites. A longer message or reason is cut and ends in "…": recording must
  /// not fail the work.
  public static let message = 2000
  /// Tags.
  public static let tag = 200

  /// `text` with at most `limit` scalars, the last of them "…" if something was cut. A NUL, at which C and
  /// SQL shells would end the text, becomes "␀".
  public static func cut(_ text: String?, to limit: Int = message) -> String? {
    guard var text else { return nil }
    if text.utf8.contains(0) { text = text.replacing("\0", with: "\u{2400}") }
    guard text.utf8.count > limit else { return text }
    let scalars = text.unicodeScalars
    guard scalars.count > limit else { return text }
    return String(scalars.prefix(limit - 1)) + "…"
  }

  /// `text`, if it is within the limit.
  ///
  /// - Throws: `invalidInput`, naming the field, the limit and what was given.
  public static func checked(_ text: String?, field: String, limit: Int) throws(LoadLogError) -> String? {
    guard let text else { return nil }
    guard text.utf8.count > limit else { return text }
    let count = text.unicodeScalars.count
    guard count <= limit else {
      throw LoadLogError(
        .invalidInput, what: field, value: text,
        why: "it has \(count) characters; at most \(limit) are allowed")
    }
    return text
  }
}

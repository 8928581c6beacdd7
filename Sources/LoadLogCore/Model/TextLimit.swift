/// The maximum lengths of texts in the record, in Unicode scalars.
public enum TextLimit {
  /// The maximum length of messages, reasons and call sites. Longer ones are cut and end in "…", because
  /// recording must not make the work fail.
  public static let message = 2000
  /// The maximum length of tags.
  public static let tag = 200

  /// Cuts a text to at most `limit` scalars, the last of which is "…" if something was cut. Replaces NUL, at
  /// which C and SQL shells end a text, by "␀".
  public static func cut(_ text: String?, to limit: Int = message) -> String? {
    guard var text else { return nil }
    if text.utf8.contains(0) { text = text.replacing("\0", with: "\u{2400}") }
    guard text.utf8.count > limit else { return text }
    let scalars = text.unicodeScalars
    guard scalars.count > limit else { return text }
    return String(scalars.prefix(limit - 1)) + "…"
  }

  /// Returns a text that is within the limit.
  ///
  /// - Throws: `invalidInput` with the field, the limit and the text.
  package static func checked(_ text: String?, field: String, limit: Int) throws(LoadLogError) -> String? {
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

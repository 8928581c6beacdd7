import LoadLogCore

#if Reports
  import Mustache
#endif

/// Escaping of text for HTML and SVG, in elements and in quoted attributes.
///
/// Text is escaped scalar by scalar, not character by character: Unicode combines U+0600 and a following `<`
/// into one character, so a search for the character `<` would miss that tag.
enum Markup {
  /// Returns the text with `&`, `<`, `>` and both quotation marks escaped, and with control and bidirectional
  /// characters made visible.
  static func escaped(_ text: String) -> String {
    let visible = VisibleText.line(text)
    guard visible.utf8.contains(where: { entity(for: $0) != nil }) else { return visible }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(visible.utf8.count + 32)
    for byte in visible.utf8 {
      if let entity = entity(for: byte) { bytes += entity.utf8 } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func entity(for byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    default: nil
    }
  }
}

#if Reports
  /// Escaping that templates apply to every `{{variable}}`.
  struct MarkupContentType: MustacheContentType {
    /// Name by which templates select this escaping.
    static let name = "LOADLOG_MARKUP"

    func escapeText(_ text: String) -> String { Markup.escaped(text) }
  }
#endif

import LoadLogCore
import Mustache

/// Text made safe for HTML and SVG, in elements and in quoted attributes.
///
/// Escapes scalar by scalar. A character may hold more than one: Unicode joins U+0600 and the `<` behind it into
/// one, so whoever looks for the character `<` does not see that tag.
enum Markup {
  /// The text with `&`, `<`, `>` and both quotation marks escaped, and with control and bidirectional
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

/// What templates do with every `{{variable}}`.
struct MarkupContentType: MustacheContentType {
  /// The name by which templates ask for it.
  static let name = "LOADLOG_MARKUP"

  func escapeText(_ text: String) -> String { Markup.escaped(text) }
}

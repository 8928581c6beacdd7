/// Escapes control and bidirectional characters, so that text from a record is safe to print on a terminal.
public enum VisibleText {
  /// Returns the text on one line, with every control and bidirectional character escaped.
  public static func line(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: mustShow) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      if mustShow(scalar) { shown += escape(scalar) } else { shown.unicodeScalars.append(scalar) }
    }
    return shown
  }

  /// Returns the text in quotation marks, escaped, and cut to 120 scalars so that an error stays on one line.
  public static func quoted(_ text: String) -> String {
    let limit = 120
    let cut = text.unicodeScalars.count > limit
    let head = cut ? String(text.unicodeScalars.prefix(limit)) + "…" : text
    return "\"" + line(head) + "\""
  }

  /// Whether a scalar would control a terminal or the direction of text instead of being displayed.
  public static func mustShow(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    return isHostile(scalar)
  }

  /// Whether a scalar is a control character, a line or paragraph separator, a bidirectional control, a tag
  /// or an invisible format character (Unicode 15, general categories Cc, Zl and Zp; property Bidi_Control).
  static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    case 0x2028, 0x2029: true
    case 0xFEFF, 0xE0001, 0xFFF9...0xFFFB: true
    default: false
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }
}

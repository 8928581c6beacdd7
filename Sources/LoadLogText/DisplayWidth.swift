/// Measures text in terminal cells, and cuts or pads it to a width.
package enum DisplayWidth {
  /// Width of a text in cells: 2 for each wide character (East Asian, emoji), 0 for combining ones, otherwise 1.
  package static func of(_ text: String) -> Int {
    let bytes = text.utf8
    func isASCII(_ bytes: some Sequence<UInt8>) -> Bool { bytes.allSatisfy { $0 < 0x80 } }
    if bytes.withContiguousStorageIfAvailable(isASCII) ?? isASCII(bytes) { return bytes.count }
    // Plain scalars never combine, so counting them avoids grapheme breaking, which is slow.
    if text.unicodeScalars.allSatisfy(isPlain) { return text.unicodeScalars.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// Width of a character in cells: 2 for an emoji, of however many scalars, otherwise the sum of its scalars, because
  /// terminals give each vowel sign of Thai or Devanagari that is not above or below its consonant a cell of its own.
  package static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    if scalars.count > 1, scalars.contains(where: { $0 == "\u{FE0F}" || $0.properties.isEmojiPresentation }) {
      return 2
    }
    return scalars.reduce(0) { $0 + of($1) }
  }

  /// The alignment of text in a column.
  package enum Alignment: Sendable, Hashable {
    case left, right
  }

  /// Pads a text with spaces to a width in cells.
  package static func padded(_ text: String, to width: Int, alignment: Alignment = .left) -> String {
    let spaces = spaces(width - of(text))
    return alignment == .left ? text + spaces : spaces + text
  }

  /// A string of `count` spaces; empty if `count` is negative.
  ///
  /// Faster than `String(repeating:count:)`, which appends the spaces one by one.
  package static func spaces(_ count: Int) -> String {
    String(unsafeUninitializedCapacity: max(0, count)) { bytes in
      bytes.initialize(repeating: 0x20)
      return max(0, count)
    }
  }

  /// The part of a text that is removed if the text is too long.
  package enum Cut: Sendable, Hashable {
    /// The start, so that call sites keep their line number.
    case start
    /// The middle, so that feed names keep both ends.
    case middle
    /// The end.
    case end
  }

  /// Cuts a text to at most `width` cells and puts `ellipsis` in place of the removed part.
  package static func cut(_ text: String, to width: Int, cutting cut: Cut = .end, ellipsis: String) -> String
  {
    guard of(text) > width else { return text }
    let ellipsis = prefix(of: ellipsis, width: width)
    let room = max(0, width - of(ellipsis))
    switch cut {
    case .end: return prefix(of: text, width: room) + ellipsis
    case .start: return ellipsis + suffix(of: text, width: room)
    case .middle:
      let head = prefix(of: text, width: (room + 1) / 2)
      return head + ellipsis + suffix(of: text, width: room - of(head))
    }
  }

  private static func prefix(of text: String, width: Int) -> String {
    var left = width
    return String(
      text.prefix { character in
        left -= of(character)
        return left >= 0
      })
  }

  private static func suffix(of text: String, width: Int) -> String {
    String(prefix(of: String(text.reversed()), width: width).reversed())
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if isPlain(scalar) { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    // Vowels and final consonants of Hangul are drawn into the cells of their first consonant.
    if 0x1160...0x11FF ~= scalar.value || 0xD7B0...0xD7FF ~= scalar.value { return 0 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// Whether a scalar is one cell wide and never combines with others: Latin letters and punctuation, except control
  /// characters and the soft hyphen.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F, 0xAE..<0x300, 0x2010..<0x2028: true
    default: false
    }
  }

  /// The scalars with East_Asian_Width W or F (Unicode 15, EastAsianWidth.txt), except emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x16FE4, 0x17000...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265,
    0x20000...0x3FFFD,
  ]
}

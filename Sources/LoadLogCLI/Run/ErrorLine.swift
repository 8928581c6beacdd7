import LoadLog

/// Keeps the last line of a stream of bytes that says "error" or "fatal", or else the last line that is not empty, in
/// bounded memory.
struct ErrorLine {
  private static let limit = 4 * TextLimit.message
  private static let words = ["error", "fatal"].map { Array($0.utf8) }
  private var last: String?
  private var lastError: String?
  private var current: [UInt8] = []

  /// The line without escape sequences, cut at the end if it is very long.
  var text: String? {
    var lines = self
    lines.endLine()
    return lines.lastError ?? lines.last
  }

  mutating func append(_ bytes: [UInt8]) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        endLine()
      } else if current.count < Self.limit {
        current.append(byte)
      }
    }
  }

  private mutating func endLine() {
    let line = EscapeSequence.removed(from: current).drop { $0 <= 0x20 }
    current.removeAll(keepingCapacity: true)
    guard let end = line.lastIndex(where: { $0 > 0x20 }) else { return }
    let bytes = line[...end]
    last = String(decoding: bytes, as: UTF8.self)
    if Self.saysError(bytes) { lastError = last }
  }

  /// Whether a line has one of the words: "error: …", "ERROR …", "ValueError: …", but not "0 errors".
  private static func saysError(_ line: ArraySlice<UInt8>) -> Bool {
    let lower = line.map { isLetter($0) ? $0 | 0x20 : $0 }
    return words.contains { word in
      lower.indices.contains { start in
        guard lower[start...].starts(with: word) else { return false }
        let next = lower[start...].dropFirst(word.count).first ?? 0
        let isAlone = start == 0 || !isLetter(lower[start - 1])
        return next == UInt8(ascii: ":") || isAlone && !isLetter(next)
      }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

/// Sequences of bytes that control a terminal (ECMA-48).
enum EscapeSequence {
  private static let escape: UInt8 = 0x1B

  /// A text without its escape sequences.
  static func removed(from text: [UInt8]) -> [UInt8] {
    var (rest, kept) = (text[...], [UInt8]())
    while let byte = rest.popFirst() {
      guard byte == escape else {
        kept.append(byte)
        continue
      }
      switch rest.popFirst() ?? 0 {
      case UInt8(ascii: "["):
        rest = rest.drop { (0x20...0x3F).contains($0) }.dropFirst()
      case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
        // A string, up to BEL or ESC \
        rest = rest.drop { $0 != 0x07 && $0 != escape }
        if rest.popFirst() == escape { rest = rest.dropFirst() }
      case 0x20...0x2F:
        rest = rest.drop { (0x20...0x2F).contains($0) }.dropFirst()
      default: break
      }
    }
    return kept
  }
}

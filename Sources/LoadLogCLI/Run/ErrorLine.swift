import CLoadLogCLI
import Foundation
package import LoadLogCore

/// Keeps the last line of a stream of bytes that says "error" or "fatal", or else the last line that is not empty, in
/// bounded memory.
package struct ErrorLine {
  private static let limit = 4 * TextLimit.message
  private static let words = ["error", "fatal"].map { Array($0.utf8) }
  private var last: String?
  private var lastError: String?
  private var current: [UInt8] = []

  init() {}

  /// Creates the line of an output.
  package init(_ output: KeptOutput) {
    output.bytes.withUnsafeBytes { append($0) }
  }

  /// The line without escape sequences, cut at the end if it is very long.
  package var text: String? {
    var lines = self
    lines.endLine()
    return lines.lastError ?? lines.last
  }

  /// Adds bytes. Lines that end in them are read only if they may be wanted: a command can write millions.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let first = Self.lineEnd(of: bytes[...]) else { return keep(bytes[...]) }
    keep(bytes[..<first])
    endLine()
    let end = bytes.lastIndex(where: Self.endsLine) ?? first
    if end > first { add(lines: bytes[(first + 1)...end]) }
    keep(bytes[(end + 1)...])
  }

  private typealias Bytes = Slice<UnsafeRawBufferPointer>

  private mutating func keep(_ bytes: Bytes) {
    current.append(contentsOf: bytes.prefix(max(0, Self.limit - current.count)))
  }

  private mutating func endLine() {
    guard !current.isEmpty else { return }
    note(current)
    current.removeAll(keepingCapacity: true)
  }

  /// Adds complete lines.
  private mutating func add(lines: Bytes) {
    // Each word is searched for from where it was found last, so that the lines are read once, however many have one.
    var places = Self.spellings.map { Self.place(of: $0, in: lines) }
    while let place = places.compactMap(\.self).min() {
      let start = lines[..<place].lastIndex(where: Self.endsLine).map { $0 + 1 } ?? lines.startIndex
      let end = Self.lineEnd(of: lines[place...]) ?? lines.endIndex
      note(Array(lines[start..<end].prefix(Self.limit)))
      for (index, word) in Self.spellings.enumerated() where places[index].map({ $0 < end }) == true {
        places[index] = Self.place(of: word, in: lines[end...])
      }
    }
    var rest = lines.dropLast()
    while !rest.isEmpty {
      let start = rest.lastIndex(where: Self.endsLine).map { $0 + 1 } ?? rest.startIndex
      if note(Array(rest[start...].prefix(Self.limit))) { break }
      rest = rest[..<max(rest.startIndex, start - 1)]
    }
  }

  /// Remembers a line.
  ///
  /// - Returns: false if it is blank.
  @discardableResult
  private mutating func note(_ bytes: [UInt8]) -> Bool {
    let line = EscapeSequence.removed(from: bytes).drop { $0 <= 0x20 }
    guard let end = line.lastIndex(where: { $0 > 0x20 }) else { return false }
    last = String(decoding: line[...end], as: UTF8.self)
    if Self.saysError(line[...end]) { lastError = last }
    return true
  }

  private static func endsLine(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// The position of the first line feed or carriage return; the C library finds it many bytes at a time.
  private static func lineEnd(of bytes: Bytes) -> Int? {
    guard let base = bytes.base.baseAddress, !bytes.isEmpty else { return nil }
    func position(of byte: Int32, in count: Int) -> Int? {
      memchr(base + bytes.startIndex, byte, count).map { UnsafeRawPointer($0) - base }
    }
    let newline = position(of: 0x0A, in: bytes.count)
    return position(of: 0x0D, in: (newline ?? bytes.endIndex) - bytes.startIndex) ?? newline
  }

  /// Where a word first occurs.
  private static func place(of word: [UInt8], in bytes: Bytes) -> Int? {
    guard let base = bytes.base.baseAddress, !bytes.isEmpty else { return nil }
    let found = loadlog_find_bytes(base + bytes.startIndex, Int64(bytes.count), word, Int64(word.count))
    return found.map { $0 - base }
  }

  /// The words in lower, upper or title case. Without their first letter, "ValueError" and "error" are the same.
  private static let spellings = ["rror", "RROR", "atal", "ATAL"].map { Array($0.utf8) }

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

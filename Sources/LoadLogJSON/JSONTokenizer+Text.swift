extension JSONTokenizer {
  @inlinable
  mutating func beginText(isKey: Bool, isWanted: Bool) {
    self.isKey = isKey
    self.isWanted = isWanted
    state = .string
    if text.isUsed { text.reset() }
  }

  @inlinable
  mutating func readString<Sink: JSONSink>(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: inout Int, into sink: inout Sink
  ) throws(JSONFault) {
    let start = index
    index = Self.endOfPlainText(bytes, from: start)
    let piece = UnsafeBufferPointer(rebasing: bytes[start..<index])
    guard index < bytes.count else {
      if isWanted { text.append(piece) }
      return
    }
    switch bytes[index] {
    case UInt8(ascii: "\""):
      index += 1
      endText(piece, into: &sink)
    case UInt8(ascii: "\\"):
      index += 1
      if isWanted { text.append(piece) }
      state = .escape
    default: throw unexpected(bytes[index], at: index, expected: "text")
    }
  }

  @inlinable
  mutating func endText<Sink: JSONSink>(_ piece: UnsafeBufferPointer<UInt8>, into sink: inout Sink) {
    if isWanted {
      if text.isUsed {
        text.append(piece)
        text.endSurrogate()
        text.bytes.withUnsafeBufferPointer { deliver($0, isCut: text.isCut, into: &sink) }
        text.reset()
      } else if piece.count > JSONTokenizer.longestText {
        deliver(UnsafeBufferPointer(rebasing: piece[..<JSONTokenizer.longestText]), isCut: true, into: &sink)
      } else {
        deliver(piece, isCut: false, into: &sink)
      }
    }
    if isKey { state = .colon } else { endValue() }
  }

  @inlinable
  func deliver<Sink: JSONSink>(
    _ bytes: UnsafeBufferPointer<UInt8>, isCut: Bool, into sink: inout Sink
  ) {
    if isKey { sink.key(bytes) } else { sink.scalar(.string, bytes: bytes, isCut: isCut) }
  }

  @usableFromInline
  mutating func readEscape(_ byte: UInt8, at index: Int) throws(JSONFault) {
    let escaped: UInt8
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): escaped = byte
    case UInt8(ascii: "b"): escaped = 0x08
    case UInt8(ascii: "f"): escaped = 0x0C
    case UInt8(ascii: "n"): escaped = 0x0A
    case UInt8(ascii: "r"): escaped = 0x0D
    case UInt8(ascii: "t"): escaped = 0x09
    case UInt8(ascii: "u"):
      text.beginEscape()
      progress = 0
      state = .unicode
      return
    default: throw unexpected(byte, at: index, expected: "an escape")
    }
    if isWanted { text.append(escaped: escaped) }
    state = .string
  }

  @usableFromInline
  mutating func readUnicode(_ byte: UInt8, at index: Int) throws(JSONFault) {
    guard text.append(hexDigit: byte) else {
      throw unexpected(byte, at: index, expected: "a hexadecimal digit")
    }
    progress += 1
    guard progress == 4 else { return }
    if isWanted { text.endEscape() }
    state = .string
  }

  /// The first byte that is a quotation mark, a backslash or a control character; eight bytes at a time.
  @usableFromInline
  static func endOfPlainText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let raw = UnsafeRawBufferPointer(bytes)
    var index = start
    while index + 8 <= raw.count {
      let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let quotes = word ^ ones &* 0x22
      let backslashes = word ^ ones &* 0x5C
      // A byte below n is the lowest one whose highest bit is set in (x - n…) & ~x.
      let stops =
        ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word)
        & highs
      if stops != 0 { return index + stops.trailingZeroBitCount >> 3 }
      index += 8
    }
    while index < raw.count {
      let byte = raw[index]
      if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
      index += 1
    }
    return index
  }
}

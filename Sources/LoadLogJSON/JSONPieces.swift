/// The decoded part of a string or number that arrives in several pieces, cut at ``JSONTokenizer/longestText``.
@usableFromInline
package struct JSONPieces: Sendable {
  @usableFromInline package private(set) var bytes: [UInt8] = []
  /// Whether a piece was appended, even an empty one.
  @usableFromInline package private(set) var isUsed = false
  @usableFromInline package private(set) var isCut = false
  /// The first half of a character written as two escapes.
  private var highSurrogate: UInt32 = 0
  private var escape: UInt32 = 0

  @usableFromInline
  package init() {}

  /// Empties the pieces for the next string.
  @usableFromInline
  package mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    isUsed = false
    isCut = false
    highSurrogate = 0
  }

  @usableFromInline
  package mutating func append(_ piece: UnsafeBufferPointer<UInt8>) {
    isUsed = true
    guard !piece.isEmpty else { return }
    endSurrogate()
    let room = JSONTokenizer.longestText - bytes.count
    if piece.count <= room {
      bytes.append(contentsOf: piece)
    } else {
      isCut = true
      if room > 0 { bytes.append(contentsOf: piece.prefix(room)) }
    }
  }

  /// Ends the string: the missing half of a surrogate pair will not come.
  @usableFromInline
  package mutating func endSurrogate() {
    guard highSurrogate != 0 else { return }
    highSurrogate = 0
    append(scalar: 0xFFFD)
  }

  mutating func append(escaped byte: UInt8) {
    isUsed = true
    endSurrogate()
    append(scalar: UInt32(byte))
  }

  /// Begins a `\u` escape.
  mutating func beginEscape() {
    isUsed = true
    escape = 0
  }

  /// Takes one of the four digits of `\u`; false if it is none.
  mutating func append(hexDigit byte: UInt8) -> Bool {
    let digit: UInt8
    switch byte {
    case 0x30...0x39: digit = byte - 0x30
    case 0x41...0x46: digit = byte - 0x41 + 10
    case 0x61...0x66: digit = byte - 0x61 + 10
    default: return false
    }
    escape = escape << 4 | UInt32(digit)
    return true
  }

  /// Takes the character that the four digits are, or the half of one.
  mutating func endEscape() {
    switch escape {
    case 0xD800...0xDBFF:
      endSurrogate()
      highSurrogate = escape
    case 0xDC00...0xDFFF where highSurrogate != 0:
      let scalar = 0x10000 + (highSurrogate - 0xD800) << 10 + (escape - 0xDC00)
      highSurrogate = 0
      append(scalar: scalar)
    case 0xDC00...0xDFFF: append(scalar: 0xFFFD)
    default:
      endSurrogate()
      append(scalar: escape)
    }
  }

  private mutating func append(scalar: UInt32) {
    guard bytes.count + 4 <= JSONTokenizer.longestText else {
      isCut = true
      return
    }
    bytes += Unicode.Scalar(scalar).flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter
  }
}

/// Reads JSON piece by piece: one document, or several in a row.
///
/// The pieces may be cut anywhere, even inside an escape or a character. Nothing is recursive: nesting costs one bit per
/// level, and more than ``deepest`` levels are refused. Of each wanted text at most ``longestText`` bytes are kept.
///
/// The grammar is that of RFC 8259, with these decisions: a byte-order mark may stand at the start; NaN, Infinity and
/// -Infinity are tokens of their own, so that the tokenizer can skip them in unwanted values; bytes that are not UTF-8 and half
/// surrogates are passed on for the reader of the text to repair (U+FFFD); U+0000 and other escaped control characters
/// are passed on as they are. Numbers stay text. Keys may be repeated; what that means is the sink's choice.
@usableFromInline
package struct JSONTokenizer: Sendable {
  /// Maximum number of nested levels.
  @usableFromInline package static let deepest = 1 << 20
  /// Maximum number of bytes that are kept of a string or number.
  @usableFromInline package static let longestText = 1 << 16

  @usableFromInline
  enum State: UInt8, Sendable {
    case mark, value, firstElement, firstKey, key, colon, afterValue, string, escape, unicode, number, word
  }

  @usableFromInline var state = State.mark
  @usableFromInline var levels = JSONLevels()
  /// Number of open levels that the sink knows; deeper ones are skipped.
  @usableFromInline var wantedDepth = 0
  /// Whether the sink wants the value or key that is being read.
  @usableFromInline var isWanted = false
  @usableFromInline var isKey = false
  @usableFromInline var text = JSONPieces()
  @usableFromInline var number = JSONNumberState.minus
  @usableFromInline var word = JSONWord.null
  /// Number of bytes read of a word, a byte-order mark or an escape.
  @usableFromInline var progress = 0

  /// Number of bytes in the pieces before this one.
  @usableFromInline var base = 0
  @usableFromInline var line = 1
  /// The offset at which the current line begins.
  @usableFromInline var lineStart = 0

  @usableFromInline
  package init() {}

  /// Where the next piece begins.
  @usableFromInline package var position: JSONPosition { position(0) }

  /// Whether nothing but white space has been read since the last document ended.
  @inlinable package var isBetweenDocuments: Bool {
    levels.depth == 0 && (state == .value || (state == .mark && progress == 0))
  }

  /// Whether the document is an array that could end here: between two of its elements, or behind a comma.
  @usableFromInline package var isBetweenElements: Bool {
    levels.depth == 1 && !levels.isObject
      && (state == .afterValue || state == .value || state == .firstElement)
  }

  /// Reads the next piece.
  ///
  /// - Throws: a fault at the first byte that is not allowed in its place. Nothing more can be read then.
  @inlinable
  package mutating func read<Sink: JSONSink>(
    _ bytes: UnsafeBufferPointer<UInt8>, into sink: inout Sink
  ) throws(JSONFault) {
    var index = 0
    while index < bytes.count {
      switch state {
      case .string: try readString(bytes, at: &index, into: &sink)
      case .number: try readNumber(bytes, at: &index, into: &sink)
      case .escape:
        try readEscape(bytes[index], at: index)
        index += 1
      case .unicode:
        try readUnicode(bytes[index], at: index)
        index += 1
      case .word: try readWord(bytes, at: &index, into: &sink)
      case .mark: try readMark(bytes[index], at: &index)
      default: try readStructure(bytes, at: &index, into: &sink)
      }
    }
    base += bytes.count
  }

  /// Ends the text.
  ///
  /// - Throws: if the text ends inside a document.
  @inlinable
  package mutating func finish<Sink: JSONSink>(into sink: inout Sink) throws(JSONFault) {
    if levels.depth == 0, state == .number, number.isComplete { endNumber(&sink) }
    guard isBetweenDocuments else { throw fault(at: 0, "the text ends inside a value") }
  }

  /// Skips bytes without reading them.
  @usableFromInline
  package mutating func skip(_ count: Int) { base += count }

  /// Skips a line feed and begins a new document after it, whatever was open.
  @usableFromInline
  package mutating func skipLineEnd() {
    base += 1
    line += 1
    lineStart = base
    state = .value
    levels.removeAll()
    wantedDepth = 0
  }

  @inlinable
  mutating func newLine(_ index: Int) {
    line += 1
    lineStart = base + index + 1
  }

  @inlinable
  func position(_ index: Int) -> JSONPosition {
    JSONPosition(offset: base + index, line: line, column: base + index - lineStart + 1)
  }

  @usableFromInline
  func fault(at index: Int, _ cause: String) -> JSONFault { JSONFault(at: position(index), cause) }

  @usableFromInline
  mutating func readMark(_ byte: UInt8, at index: inout Int) throws(JSONFault) {
    if progress == 0, byte != 0xEF {
      state = .value
      return
    }
    let expected: UInt8 = progress == 0 ? 0xEF : progress == 1 ? 0xBB : 0xBF
    guard byte == expected else { throw fault(at: index, "the byte-order mark is not that of UTF-8") }
    index += 1
    progress += 1
    if progress == 3 {
      state = .value
      progress = 0
      lineStart = base + index
    }
  }
}

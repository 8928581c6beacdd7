import LoadLogCore

/// Reads JSON piece by piece: one document, or several in a row.
///
/// The pieces may be cut anywhere, even inside an escape or a character. Nothing is recursive: nesting costs one bit a
/// level, and more than ``deepest`` levels are refused. Of each wanted text at most ``longestText`` bytes are kept.
///
/// The grammar is that of RFC 8259, with these decisions: a byte-order mark may stand at the start; NaN, Infinity and
/// -Infinity are tokens of their own, so that a value nobody wants does no harm; bytes that are not UTF-8 and half
/// surrogates are passed on for the reader of the text to repair (U+FFFD); U+0000 and other escaped control characters
/// are passed on as they are. Numbers stay text. Keys may be repeated; what that means is the sink's choice.
struct JSONTokenizer {
  /// How many levels may be nested.
  static let deepest = 1 << 20
  /// How many bytes of one text are kept.
  static let longestText = 1 << 16

  enum State: UInt8 {
    case mark, value, firstElement, firstKey, key, colon, afterValue, string, escape, unicode, number, word
  }

  var state = State.mark
  var levels = JSONLevels()
  /// How many levels are open from the sink's point of view; deeper ones are passed over.
  var wantedDepth = 0
  /// The value or key that is being read is wanted.
  var isWanted = false
  var isKey = false
  var text = JSONPieces()
  var number = JSONNumberState.minus
  var word = JSONWord.null
  /// How many bytes of a word, a mark or an escape have been read.
  var progress = 0

  /// Bytes in the pieces before this one, and where the current line begins.
  private(set) var base = 0
  private var line = 1
  private var lineStart = 0

  /// Where the next piece begins.
  var position: FilePosition { position(0) }

  /// Whether nothing but white space has been read since the last document ended.
  var isBetweenDocuments: Bool { levels.depth == 0 && (state == .value || (state == .mark && progress == 0)) }

  /// Whether the document is an array that could end here: between two of its elements, or behind a comma.
  var isBetweenElements: Bool {
    levels.depth == 1 && !levels.isObject
      && (state == .afterValue || state == .value || state == .firstElement)
  }

  /// Reads the next piece.
  ///
  /// - Throws: at the first byte that cannot stand where it stands. Nothing more can be read then.
  mutating func read<Sink: JSONSink>(
    _ bytes: UnsafeBufferPointer<UInt8>, into sink: inout Sink
  ) throws(ImportFault) {
    var index = 0
    while index < bytes.count {
      switch state {
      case .string: try readString(bytes, &index, &sink)
      case .number: try readNumber(bytes, &index, &sink)
      case .escape:
        try readEscape(bytes[index], index)
        index += 1
      case .unicode:
        try readUnicode(bytes[index], index)
        index += 1
      case .word: try readWord(bytes, &index, &sink)
      case .mark: try readMark(bytes[index], &index)
      default: try readStructure(bytes, &index, &sink)
      }
    }
    base += bytes.count
  }

  /// Says that no more comes.
  ///
  /// - Throws: if the text ends inside a document.
  mutating func finish<Sink: JSONSink>(into sink: inout Sink) throws(ImportFault) {
    if levels.depth == 0, state == .number, number.isComplete { endNumber(&sink) }
    guard isBetweenDocuments else { throw fault(0, "the text ends inside a value") }
  }

  /// Passes over bytes without reading them.
  mutating func skip(_ count: Int) { base += count }

  /// Passes over a line's end and begins a new document behind it, whatever was open.
  mutating func skipLineEnd() {
    base += 1
    line += 1
    lineStart = base
    state = .value
    levels.removeAll()
    wantedDepth = 0
  }

  mutating func newLine(_ index: Int) {
    line += 1
    lineStart = base + index + 1
  }

  func position(_ index: Int) -> FilePosition {
    FilePosition(offset: base + index, line: line, column: base + index - lineStart + 1)
  }

  func fault(_ index: Int, _ cause: String) -> ImportFault { ImportFault(at: position(index), cause) }

  private mutating func readMark(_ byte: UInt8, _ index: inout Int) throws(ImportFault) {
    if progress == 0, byte != 0xEF {
      state = .value
      return
    }
    let expected: UInt8 = progress == 0 ? 0xEF : progress == 1 ? 0xBB : 0xBF
    guard byte == expected else { throw fault(index, "the byte-order mark is not that of UTF-8") }
    index += 1
    progress += 1
    if progress == 3 {
      state = .value
      progress = 0
      lineStart = base + index
    }
  }
}

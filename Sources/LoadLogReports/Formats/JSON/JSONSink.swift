import LoadLogCore

/// What a value is.
enum JSONKind: UInt8 {
  case null, no, yes, number, string, array, object
  /// NaN or an infinity: no JSON, but some writers make it.
  case notANumber
}

/// What receives the tokens of a ``JSONTokenizer``.
///
/// It is asked before each value whether it wants it. A value that is not wanted is checked and passed over: nothing
/// of it is kept, however long or deep it is.
protocol JSONSink {
  /// Whether the value that begins here is wanted.
  mutating func wants(_ kind: JSONKind, at position: FilePosition) -> Bool
  /// A wanted text, number or word. The bytes are those of a decoded text or of a written number, and live no longer
  /// than the call; `isCut` if there were more than ``JSONTokenizer/longestText``.
  mutating func scalar(_ kind: JSONKind, _ bytes: UnsafeBufferPointer<UInt8>, isCut: Bool)
  /// A wanted array or object has begun.
  mutating func open(_ kind: JSONKind)
  /// The key of the next value, in an object that is wanted.
  mutating func key(_ bytes: UnsafeBufferPointer<UInt8>)
  /// The array or object that was opened last has ended; the position is that behind it.
  mutating func close()
}

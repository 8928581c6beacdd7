/// The type of a value.
@usableFromInline
package enum JSONKind: UInt8, Sendable {
  case null, no, yes, number, string, array, object
  /// NaN or an infinity. These are not JSON, but some programs write them.
  case notANumber
}

/// Receives the tokens of a ``JSONTokenizer``.
///
/// The tokenizer asks before each value whether the sink wants it. It checks an unwanted value and skips it without
/// keeping any of it, however long or deep it is.
@usableFromInline
package protocol JSONSink {
  /// Returns whether the sink wants the value that begins here.
  mutating func wants(_ kind: JSONKind, at position: JSONPosition) -> Bool
  /// Receives a wanted string, number or word.
  ///
  /// - Parameters:
  ///   - bytes: a decoded string, or a number as written. Valid only during the call.
  ///   - isCut: whether there were more than ``JSONTokenizer/longestText`` bytes.
  mutating func scalar(_ kind: JSONKind, bytes: UnsafeBufferPointer<UInt8>, isCut: Bool)
  /// Begins a wanted array or object.
  mutating func open(_ kind: JSONKind)
  /// Receives the key of the next value, in a wanted object.
  mutating func key(_ bytes: UnsafeBufferPointer<UInt8>)
  /// Ends the array or object that was opened last.
  mutating func close()
}

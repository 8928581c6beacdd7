/// A place in a text: byte, line and column.
@usableFromInline
package struct JSONPosition: Sendable, Hashable {
  /// Number of bytes before it.
  @usableFromInline package var offset: Int
  /// The line, counted from 1.
  @usableFromInline package var line: Int
  /// The column in bytes, counted from 1.
  @usableFromInline package var column: Int

  /// Makes a position of its parts.
  @usableFromInline
  package init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The first byte.
  @usableFromInline package static let start = JSONPosition(offset: 0, line: 1, column: 1)
}

/// What is wrong in a JSON text, and where.
@usableFromInline
package struct JSONFault: Error, Sendable, Hashable {
  /// The position of the byte that cannot stand there.
  @usableFromInline package var position: JSONPosition
  /// The reason, in words. It may quote what was read, so escape it before showing it.
  @usableFromInline package var cause: String

  /// Makes a fault of its parts.
  @usableFromInline
  package init(at position: JSONPosition, _ cause: String) {
    self.position = position
    self.cause = cause
  }
}

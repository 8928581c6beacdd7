/// A place in a file that is read: byte, line and column.
public struct FilePosition: Sendable, Hashable {
  /// How many bytes stand before it.
  public var offset: Int
  /// The line, counted from 1.
  public var line: Int
  /// The column in bytes, counted from 1.
  public var column: Int

  /// Names a place.
  public init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The first byte.
  public static let start = FilePosition(offset: 0, line: 1, column: 1)
}

extension FilePosition: CustomStringConvertible {
  /// "line 3, column 14 (byte 210)".
  public var description: String { "line \(line), column \(column) (byte \(offset))" }
}

/// What was wrong in a file, and where.
public struct ImportFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where.
  public var position: FilePosition
  /// Why, in words. It may quote what was read, so show it through ``VisibleText``.
  public var cause: String

  /// Makes a fault of its parts.
  public init(at position: FilePosition, _ cause: String) {
    self.position = position
    self.cause = cause
  }

  /// "line 3, column 14 (byte 210): the text ends inside a value".
  public var description: String { "\(position): \(cause)" }
}

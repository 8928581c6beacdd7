/// A position in an imported file.
public struct FilePosition: Sendable, Hashable {
  /// The number of bytes before the position.
  public var offset: Int
  /// The line number, counted from 1.
  public var line: Int
  /// The column in bytes, counted from 1.
  public var column: Int

  /// Creates a position.
  package init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The position of the first byte.
  public static let start = FilePosition(offset: 0, line: 1, column: 1)
}

extension FilePosition: CustomStringConvertible {
  /// The position as text: "line 3, column 14 (byte 210)".
  public var description: String { "line \(line), column \(column) (byte \(offset))" }
}

/// An error in an imported file.
public struct ImportFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The position of the error.
  public var position: FilePosition
  /// The cause, as a phrase. It can quote the file, so escape it with ``VisibleText`` before printing it.
  public var cause: String
  /// The load that the invalid item would have started, if its id could be read.
  package var start: SessionID?

  /// Creates a fault.
  package init(at position: FilePosition, _ cause: String) {
    self.position = position
    self.cause = cause
  }

  /// The fault as text: "line 3, column 14 (byte 210): the text ends inside a value".
  public var description: String { "\(position): \(cause)" }
}

/// An item that an importer finds in a file.
public enum ImportedItem: Sendable, Hashable {
  /// A load.
  case load(ForeignLoad)
  /// The end of a load whose start is not in the file.
  case orphan(ForeignFinish)
  /// A line of ndjson.
  case line(PositionedLine)
  /// An invalid item. The importer continues behind it.
  case rejected(ImportFault)
  /// Items that are not loads, such as "phase C"; one item for each cause, at the end of the file.
  case skipped(cause: String, count: Int)
  /// Keys of LoadLog's own format that this version does not know; one item at the end of the file.
  case ignored(IgnoredKeys)
  /// The file is truncated or unreadable from here on. Only loads that are still open follow.
  case fault(ImportFault)

  /// The position of the item in the file; nil for skipped items and ignored keys.
  public var position: FilePosition? {
    switch self {
    case .load(let load): load.position
    case .orphan(let finish): finish.position
    case .line(let line): line.position
    case .rejected(let fault), .fault(let fault): fault.position
    case .skipped, .ignored: nil
    }
  }
}

/// A line of ndjson with its position.
public struct PositionedLine: Sendable, Hashable {
  /// The contents of the line.
  public var line: RecordLine
  /// The value that identifies the line when the file is imported again: its id, or a hash of its fields. Nil
  /// for lines that add no row of their own: finishes, resets, owners, feeds, acknowledgements and sealed
  /// days.
  public var identity: LoadIdentity?
  /// The position of the line in the file.
  public var position: FilePosition

  /// Creates a line from its parts.
  package init(line: RecordLine, identity: LoadIdentity?, position: FilePosition) {
    self.line = line
    self.identity = identity
    self.position = position
  }
}

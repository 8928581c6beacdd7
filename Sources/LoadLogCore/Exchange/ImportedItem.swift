/// What an importer finds in a file.
public enum ImportedItem: Sendable, Hashable {
  /// A load.
  case load(ForeignLoad)
  /// An end without a beginning.
  case orphan(ForeignFinish)
  /// A line of ndjson.
  case line(PositionedLine)
  /// Something that cannot be taken over; what follows it is read all the same.
  case rejected(ImportFault)
  /// So many things that are no loads, such as "phase M"; told once for each cause, at the end.
  case skipped(cause: String, count: Int)
  /// The file ends too early or makes no sense from here on. Nothing but what was still open follows.
  case fault(ImportFault)

  /// Where it stands in the file; nil of what is told for the whole file.
  public var position: FilePosition? {
    switch self {
    case .load(let load): load.position
    case .orphan(let finish): finish.position
    case .line(let line): line.position
    case .rejected(let fault), .fault(let fault): fault.position
    case .skipped: nil
    }
  }
}

/// A line of ndjson and its place.
public struct PositionedLine: Sendable, Hashable {
  /// What it says.
  public var line: RecordLine
  /// What makes it the same when the file is read again: its id, or a hash of its fields. Nil for lines that make no
  /// row of their own: finishes, resets, owners, feeds, acknowledgements, sealed days.
  public var identity: LoadIdentity?
  /// Where it begins.
  public var position: FilePosition

  /// Makes a line of its parts.
  public init(line: RecordLine, identity: LoadIdentity?, position: FilePosition) {
    self.line = line
    self.identity = identity
    self.position = position
  }
}

/// What became of a file that was imported.
public struct ImportResult: Sendable, Hashable {
  /// Something that a file holds and the record cannot have, such as "phase M".
  public struct Other: Sendable, Hashable {
    /// What it is.
    public let cause: String
    /// How many there were.
    public package(set) var count: Int
  }

  /// At most so many rejections are kept with their places.
  public static let mostRejections = 10

  /// Loads and unmatched finishes, acknowledgements and sealed days that are new in the record, and loads of the
  /// record that got their verdict.
  public package(set) var imported = 0
  /// Those that the record had already, and things of the file that are none of these.
  public package(set) var skipped = 0
  /// Those that could not be taken over.
  public package(set) var rejected = 0
  /// The first of these, with place and cause.
  public package(set) var rejections: [ImportFault] = []
  /// What was skipped for other reasons than that the record had it already.
  public package(set) var others: [Other] = []
  /// Where and why reading ended before the file did. What stood before it was imported.
  public package(set) var fault: ImportFault?

  /// Everything was taken over.
  public var isComplete: Bool { rejected == 0 && fault == nil }

  /// Nothing has been read yet.
  package init() {}

  package mutating func reject(_ fault: ImportFault) {
    rejected += 1
    // What the store rejects comes later than what its line alone tells.
    let index = rejections.firstIndex { $0.position.offset > fault.position.offset } ?? rejections.count
    rejections.insert(fault, at: index)
    if rejections.count > Self.mostRejections { rejections.removeLast() }
  }

  package mutating func skip(_ cause: String, _ count: Int) {
    skipped += count
    if let index = others.firstIndex(where: { $0.cause == cause }) {
      others[index].count += count
    } else {
      others.append(Other(cause: cause, count: count))
    }
  }
}

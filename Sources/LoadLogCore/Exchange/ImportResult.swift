/// The result of importing a file.
public struct ImportResult: Sendable, Hashable {
  /// Skipped items of one kind, such as "phase C".
  public struct Other: Sendable, Hashable {
    /// What was skipped and why.
    public let cause: String
    /// The number of skipped items.
    public package(set) var count: Int
  }

  /// The maximum number of ``rejections``.
  public static let mostRejections = 10

  /// The number of loads that were added to the record, and of recorded loads that got a verdict.
  public package(set) var loads = 0
  /// The number of unmatched finishes that were added to the record.
  public package(set) var unmatched = 0
  /// The number of acknowledgements that were added to the record.
  public package(set) var acknowledgements = 0
  /// The number of expectations that were set.
  public package(set) var expectations = 0
  /// The number of flips that were added to the record.
  public package(set) var flips = 0
  /// The number of sealed days that were added to the record.
  public package(set) var sealedDays = 0
  /// The number of items that the record already contained or that the record cannot contain.
  public package(set) var skipped = 0
  /// The number of invalid items.
  public package(set) var rejected = 0
  /// The first invalid items, with position and cause.
  public package(set) var rejections: [ImportFault] = []
  /// The items that were skipped for another reason than that the record already contained them.
  public package(set) var others: [Other] = []
  /// The keys that were ignored because this version does not know them.
  public package(set) var ignored = IgnoredKeys()
  /// The fault that ended the import before the end of the file. Everything before it was imported.
  public package(set) var fault: ImportFault?

  /// The number of items that changed the record: the sum of ``loads``, ``unmatched``, ``acknowledgements``,
  /// ``expectations``, ``flips`` and ``sealedDays``.
  public var imported: Int { loads + unmatched + acknowledgements + expectations + flips + sealedDays }

  /// Whether the whole file was read and no item was rejected.
  public var isComplete: Bool { rejected == 0 && fault == nil }

  /// Creates the result of an import that has read nothing yet.
  package init() {}

  package mutating func reject(_ fault: ImportFault) {
    rejected += 1
    // The store rejects an item later than the importer rejects a line behind it, so sort by position.
    let index = rejections.firstIndex { $0.position.offset > fault.position.offset } ?? rejections.count
    rejections.insert(fault, at: index)
    if rejections.count > Self.mostRejections { rejections.removeLast() }
  }

  package mutating func skip(_ cause: String, count: Int) {
    skipped += count
    if let index = others.firstIndex(where: { $0.cause == cause }) {
      others[index].count += count
    } else {
      others.append(Other(cause: cause, count: count))
    }
  }
}

/// Unknown keys in a file of LoadLog's own format: misspelled, or written by a later version.
public struct IgnoredKeys: Sendable, Hashable {
  /// The maximum number of ``names``.
  public static let mostNames = 10

  /// The number of values that were ignored.
  public private(set) var count = 0
  /// The first different keys, in the order of the file.
  public private(set) var names: [String] = []
  /// Whether the file has more different keys than ``names``.
  public private(set) var hasMoreNames = false

  /// Creates an empty list.
  package init() {}

  /// Counts a value under a key.
  package mutating func add(_ name: String) {
    count += 1
    guard !names.contains(name) else { return }
    if names.count < Self.mostNames { names.append(name) } else { hasMoreNames = true }
  }

  /// Adds the keys of another list.
  package mutating func merge(_ other: IgnoredKeys) {
    let sum = count + other.count
    for name in other.names { add(name) }
    count = sum
    hasMoreNames = hasMoreNames || other.hasMoreNames
  }
}

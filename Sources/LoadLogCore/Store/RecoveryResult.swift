/// What was saved of a damaged store, and what was not.
public struct RecoveryResult: Sendable, Hashable {
  /// Why a row was not saved.
  public enum Rejection: String, Sendable, Hashable, CaseIterable {
    /// Its bytes contradict each other.
    case unreadable
    /// The new store has a row with its number or its id.
    case duplicate
    /// A value breaks a rule of the schema.
    case invalid
    /// It belongs to a row that is lost.
    case orphaned
  }

  /// The rows of one table.
  public struct Table: Sendable, Hashable {
    /// The table's name.
    public let name: String
    /// The number of rows in the new store.
    public package(set) var saved = 0
    /// The number of rows that were found and not saved, by reason.
    public package(set) var rejected: [Rejection: Int] = [:]

    package init(name: String) { self.name = name }
  }

  /// A file that was read, and not changed.
  public struct Source: Sendable, Hashable {
    /// The file's path.
    public let path: String
    /// The SHA-256 digest in hexadecimal digits; nil if parts of the file could not be read.
    public let digest: String?

    package init(path: String, digest: String?) { (self.path, self.digest) = (path, digest) }
  }

  /// The write-ahead log beside a store.
  public enum Log: Sendable, Hashable {
    /// There is none, or nothing was committed to it.
    case none
    /// It belongs to another store, and was ignored.
    case foreign
    /// It was read: the number of frames, and of those before the last commit that cannot be verified.
    case read(frames: Int, damaged: Int)
  }

  /// The maximum number of unreadable pages that are listed.
  public static let mostListedPages = 10

  /// The tables whose rows were found, in the order of the schema.
  public package(set) var tables: [Table] = []
  /// The store, and its write-ahead log if there is one.
  public package(set) var sources: [Source] = []
  /// The write-ahead log.
  public package(set) var log = Log.none
  /// The number of pages of the damaged store.
  public package(set) var pages = 0
  /// The number of pages that may have held rows, and cannot be read.
  public package(set) var unreadablePages = 0
  /// The numbers of the first unreadable pages.
  public package(set) var listedPages: [Int] = []
  /// The number of messages, reasons, tags and call sites of rows that are lost.
  public package(set) var lostReferences = 0
  /// The number of feeds whose names are lost, and that have loads.
  public package(set) var namelessFeeds = 0
  /// The number of owners that are lost, and have loads.
  public package(set) var unknownOwners = 0
  /// The number of days and feeds that lost the counts of their pruned loads.
  public package(set) var lostCounts = 0

  package init() {}

  /// The number of rows that were found and not saved. Copies of saved rows do not count.
  public var rejected: Int {
    tables.reduce(0) { $0 + $1.rejected.filter { $0.key != .duplicate }.values.reduce(0, +) }
  }

  /// Whether everything was saved.
  public var isComplete: Bool {
    if case .read(_, let damaged) = log, damaged > 0 { return false }
    return log != .foreign
      && unreadablePages + lostReferences + namelessFeeds + unknownOwners + lostCounts == 0
      && rejected == 0 && sources.allSatisfy { $0.digest != nil }
  }

  /// The number of rows of a table in the new store.
  public func saved(_ table: String) -> Int { tables.first { $0.name == table }?.saved ?? 0 }
}

import Foundation
import GRDB
public import LoadLogCore

/// Reads a whole record page by page, for conversion to another format.
///
///     let export = try StoreExport(at: path)
///     while let page = try export.nextLines() {
///       for line in page { line.append(to: &bytes) }
///     }
///
/// Each page is one short, consistent read, so that the export does not delay checkpoints. A load is exported
/// as it is when its page is read, and the dates of feeds as they are at the beginning. Loads recorded after the export
/// began are left out.
///
/// Calls block the thread. Use an export from one thread at a time.
public final class StoreExport {
  /// The maximum number of sessions to read for one page.
  static let pageSize: Int64 = 1000
  /// The number of bytes of kept output with which a page ends, however few sessions it has.
  static let outputSize = 1 << 22
  /// The maximum number of sealed days in one page.
  static let sealedPageSize = 500
  /// The maximum number of owners whose uids are cached.
  static let mostOwners = 4096

  let reader: SQLiteLoadReader
  let filter: LoadFilter
  private let withOutput: Bool
  let limits: Limits
  var stage = Stage.feeds
  var cursor = Cursor()

  /// Where the last page ended, and what is known from the pages so far.
  struct Cursor {
    /// The last exported row.
    var position: Int64 = 0
    /// The last exported sealed day.
    var sealedPosition: SummaryKey?
    /// The rows of the owners that were exported. They are mostly consecutive, so the set stays small.
    var describedOwners = IndexSet()
    var uids: [Int64: String] = [:]
    var texts = TextCache()
    /// The number of reset pushes that were exported as forgiven.
    var forgiven: [Pushes: Int64] = [:]
  }

  /// An owner's pushes to a feed, by the rows of both.
  struct Pushes: Hashable {
    let feed: Int64, owner: Int64
  }

  /// The extent of the record when the export began.
  struct Limits {
    let session: Int64
    let unmatched: Int64
    let feeds: Set<Int64>?
    /// The number of sessions; 0 if none was ever pruned.
    let rows: Int

    /// Counts the sessions up to a row, if some were pruned.
    static func rows(upTo session: Int64, in database: Database) throws -> Int {
      try Int.fetchOne(
        database,
        sql: """
          SELECT count(*) FROM session
          WHERE seq <= ? AND EXISTS (SELECT 1 FROM summary WHERE feed = 0 AND day = -1 AND is_sealed = 1)
          """,
        arguments: [session]) ?? 0
    }
  }

  /// The kind of the next page, in the order of the lines.
  enum Stage: Int {
    case feeds, expectations, sessions, unmatched, sealedDays, flips, end
  }

  /// Begins an export of the store at a path.
  ///
  /// - Parameters:
  ///   - path: the store.
  ///   - filter: the feeds, and the time window of the loads' starts. Its states and limit are ignored.
  ///   - onlyFlips: whether to export only the flips of the feeds, those that were noticed in the window.
  ///   - withOutput: whether to export what the commands of loads wrote, which may contain secrets.
  ///   - processes: how to inspect other processes.
  ///   - locks: how to probe the locks of owners; by default the lock files beside the store.
  ///   - clock: the clock for verdicts.
  /// - Throws: what opening a store for reading throws.
  public convenience init(
    at path: String, _ filter: LoadFilter = LoadFilter(), onlyFlips: Bool = false, withOutput: Bool = false,
    processes: any ProcessTable = SystemProcessTable(),
    locks: (any LockTable)? = nil, clock: any LoadClock = BootClock()
  ) throws(LoadLogError) {
    try self.init(
      of: SQLiteLoadReader(at: path, processes: processes, locks: locks, clock: clock), filter,
      onlyFlips: onlyFlips, withOutput: withOutput)
  }

  /// Begins an export of an open store; see ``init(at:_:onlyFlips:withOutput:processes:locks:clock:)``.
  package init(
    of reader: SQLiteLoadReader, _ filter: LoadFilter, onlyFlips: Bool = false, withOutput: Bool = false
  ) throws(LoadLogError) {
    self.reader = reader
    self.filter = filter
    self.withOutput = withOutput
    if onlyFlips { stage = .flips }
    limits = try reader.read { query in
      let last = try Int64.fetchOne(query.database, sql: "SELECT max(seq) FROM session") ?? 0
      return Limits(
        session: last,
        unmatched: try Int64.fetchOne(query.database, sql: "SELECT max(seq) FROM unmatched") ?? 0,
        feeds: try query.feedRows(filter), rows: try Limits.rows(upTo: last, in: query.database))
    }
  }

  /// The number of load rows read so far, and the total, for a progress display.
  public var progress: (done: Int64, of: Int64) {
    switch stage {
    case .feeds, .expectations: (0, limits.session)
    case .sessions: (cursor.position, limits.session)
    case .unmatched, .sealedDays, .flips, .end: (limits.session, limits.session)
    }
  }

  func next(_ stage: Stage) {
    self.stage = stage
    cursor.position = 0
  }

  /// Reads a page. A read may be made twice; each time it begins where the last page ended.
  func page<Element: Sendable>(
    _ work: (RecordQuery) throws -> [Element]?
  ) throws(LoadLogError) -> [Element]? {
    let before = cursor
    return try reader.read { query in
      cursor = before
      return try work(query)
    }
  }

  /// The filter as a SQL condition on the given columns; empty, or beginning with " AND ".
  func condition(feed: String, at time: String) -> String {
    var conditions: [String] = []
    if let feeds = limits.feeds {
      // Row numbers need no binding.
      conditions.append("\(feed) IN (\(feeds.map(String.init).joined(separator: ", ")))")
    }
    if let since = filter.since { conditions.append("\(time) >= \(since)") }
    if let until = filter.until { conditions.append("\(time) < \(until)") }
    return conditions.map { " AND " + $0 }.joined()
  }

  /// The lines with what the command of a session wrote; none if they are not wanted.
  func outputLines(_ session: StoredSession, _ id: SessionID, in database: Database) throws -> [OutputLine] {
    guard withOutput, let output = try KeptOutput.fetch(of: session.row, in: database) else { return [] }
    return OutputLine.lines(of: output, id: id)
  }

  /// Returns the rows of the next page of sessions or unmatched finishes; nil at the end.
  func nextPage(in database: Database) throws -> ClosedRange<Int64>? {
    let (table, limit) = stage == .unmatched ? ("unmatched", limits.unmatched) : ("session", limits.session)
    let first = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT min(seq) FROM \(table) WHERE seq > ? AND seq <= ?"),
      arguments: [cursor.position, limit])
    guard let first else { return nil }
    cursor.position = min(first.addingClamping(Self.pageSize - 1), limit)
    return first...cursor.position
  }
}

/// A cache of texts by row, because many loads share their texts.
struct TextCache {
  private var texts: [Int64: String] = [:]
  private var bytes = 0
  private static let mostTexts = 4096, mostBytes = 1 << 22

  mutating func text(_ row: Int64?, in database: Database) throws -> String? {
    guard let row else { return nil }
    if let text = texts[row] { return text }
    let text = try RowCache.text(row, in: database)
    let size = text?.utf8.count ?? 0
    if texts.count >= Self.mostTexts || bytes + size > Self.mostBytes { (texts, bytes) = ([:], 0) }
    texts[row] = text
    bytes += size
    return text
  }
}

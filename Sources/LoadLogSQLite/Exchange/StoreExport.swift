import Foundation
import GRDB
public import LoadLogCore

/// Reads a record from its beginning to its end, page by page, so that it can be written in another form.
///
///     let export = try StoreExport(at: path)
///     while let page = try export.nextLines() {
///       for line in page { line.append(to: &bytes) }
///     }
///
/// Every page is one short, consistent read, so that no reader holds up a checkpoint; each load is given as the record
/// had it when its page was read, and what is recorded after the beginning is left out. In a store that nobody writes
/// to that is one moment.
///
/// Its calls block; one thread at a time uses it.
public final class StoreExport {
  /// So many sessions are looked at for one page.
  static let pageSize: Int64 = 1000
  /// So many sealed days make one page.
  static let sealedPageSize = 500
  /// Memory stays bounded however many owners there are.
  static let mostOwners = 4096

  let reader: SQLiteLoadReader
  let filter: LoadFilter
  let limits: Limits
  var stage = Stage.feeds
  /// The last row that was given.
  var position: Int64 = 0
  /// The last sealed day that was given.
  var sealedPosition: SummaryKey?
  /// The rows of the owners that lines have described already: mostly in a row, and then small.
  var describedOwners = IndexSet()
  var uids: [Int64: String] = [:]
  var texts = TextCache()
  /// How many reset pushes were told to be forgiven a pop.
  var forgiven: [Pushes: Int64] = [:]

  /// The pushes of an owner to a feed; rows.
  struct Pushes: Hashable {
    let feed: Int64, owner: Int64
  }

  /// The last rows when the export began.
  struct Limits {
    let session: Int64
    let unmatched: Int64
    let feeds: Set<Int64>?
    /// How many sessions had rows; 0 where none was ever pruned.
    let rows: Int

    /// Counts the rows up to a session, if some were pruned.
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

  /// What the next page is of.
  enum Stage {
    case feeds, sessions, unmatched, sealedDays, end
  }

  /// Begins an export of the store at a path.
  ///
  /// - Parameter filter: the feeds, and the window in which loads have started. Its states and limit are passed over.
  /// - Throws: what opening a store for reading throws.
  public init(
    at path: String, _ filter: LoadFilter = LoadFilter(), processes: any ProcessTable = SystemProcessTable(),
    locks: (any LockTable)? = nil, clock: any LoadClock = BootClock()
  ) throws(LoadLogError) {
    reader = try SQLiteLoadReader(at: path, processes: processes, locks: locks, clock: clock)
    self.filter = filter
    limits = try reader.read { query in
      let last = try Int64.fetchOne(query.database, sql: "SELECT max(seq) FROM session") ?? 0
      return Limits(
        session: last,
        unmatched: try Int64.fetchOne(query.database, sql: "SELECT max(seq) FROM unmatched") ?? 0,
        feeds: try query.feedRows(filter), rows: try Limits.rows(upTo: last, in: query.database))
    }
  }

  /// How many rows of loads the record has gone through, and how many there are: for showing progress.
  public var progress: (done: Int64, of: Int64) {
    switch stage {
    case .feeds: (0, limits.session)
    case .sessions: (position, limits.session)
    case .unmatched, .sealedDays, .end: (limits.session, limits.session)
    }
  }

  func next(_ stage: Stage) {
    self.stage = stage
    position = 0
  }

  /// The condition that the filter puts on rows, by the names of their columns.
  func condition(feed: String, at time: String) -> String {
    var conditions: [String] = []
    if let feeds = limits.feeds {
      // Rows are numbers: nothing has to be bound.
      conditions.append("\(feed) IN (\(feeds.map(String.init).joined(separator: ", ")))")
    }
    if let since = filter.since { conditions.append("\(time) >= \(since)") }
    if let until = filter.until { conditions.append("\(time) < \(until)") }
    return conditions.map { " AND " + $0 }.joined()
  }

  /// The rows of the next page of sessions or unmatched finishes; nil if there are no more.
  func nextPage(in database: Database) throws -> ClosedRange<Int64>? {
    let (table, limit) = stage == .unmatched ? ("unmatched", limits.unmatched) : ("session", limits.session)
    let first = try Int64.fetchOne(
      database.cachedStatement(sql: "SELECT min(seq) FROM \(table) WHERE seq > ? AND seq <= ?"),
      arguments: [position, limit])
    guard let first else { return nil }
    position = min(first.addingClamping(Self.pageSize - 1), limit)
    return first...position
  }
}

/// Texts by their rows: many loads say the same.
struct TextCache {
  private var texts: [Int64: String] = [:]
  private var bytes = 0
  private static let mostTexts = 4096, mostBytes = 1 << 22

  mutating func text(_ row: Int64?, in database: Database) throws -> String? {
    guard let row else { return nil }
    if let text = texts[row] { return text }
    let statement = try RawStatement(database, "SELECT value FROM text WHERE id = ?")
    statement.bind(1, row)
    let text = try statement.first { try $0.text(0) } ?? nil
    let size = text?.utf8.count ?? 0
    if texts.count >= Self.mostTexts || bytes + size > Self.mostBytes { (texts, bytes) = ([:], 0) }
    texts[row] = text
    bytes += size
    return text
  }
}

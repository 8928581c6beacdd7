import GRDB
import LoadLogCore

/// The loads that are not counted yet, the newest of the record. The indexes of starts and of what runs do not hold them
/// either; here they are found. Hold for one reading.
struct NewLoads {
  /// In the order of their rows.
  let all: [StoredSession]
  /// Those that the indexes do not hold and that run.
  let running: [StoredSession]
  /// Those that the indexes do not hold, by feed, in the order of their starts.
  private let byFeed: [Int64: [StoredSession]]

  init(_ database: Database) throws {
    let rows = try RawStatement(
      database, "SELECT \(StoredSession.columns), is_new FROM session WHERE seq > ? ORDER BY seq")
    rows.bind(1, try SettlementMarks(database).counted)
    var (all, new): ([StoredSession], [StoredSession]) = ([], [])
    try rows.forEach { row in
      let session = try StoredSession(row)
      all.append(session)
      if try row.number(StoredSession.columnCount) != 0 { new.append(session) }
    }
    self.all = all
    running = new.filter { $0.state == .running }
    byFeed = Dictionary(grouping: new, by: \.feedRow).mapValues { $0.sorted { $0.startsBefore($1) } }
  }

  /// A feed's, as far as the indexes do not hold them, in the order of their starts.
  ///
  /// - Parameter bounds: when they started; wall time in microseconds.
  func of(_ feed: Int64, _ bounds: Range<Int64> = .min ..< .max) -> [StoredSession] {
    (byFeed[feed] ?? []).filter { bounds.contains($0.started.wall) }
  }

  /// The load of a feed that started last, new or not, of those that are meant.
  func newest(_ meant: NewestLoad, of feed: Int64, in database: Database) throws -> StoredSession? {
    let statement = try RawStatement(database, meant.indexed)
    statement.bind(1, feed)
    let old = try statement.first { try StoredSession($0) }
    let new = byFeed[feed]?.last { meant.states?.contains($0.state) ?? true }
    guard let old, let new else { return old ?? new }
    return old.startsBefore(new) ? new : old
  }
}

/// Which of a feed's loads is meant: that which started last of those in some states, or of all.
struct NewestLoad {
  static let ofAll = NewestLoad(nil)
  static let success = NewestLoad([.succeeded, .unchanged])
  static let failure = NewestLoad([.failed])

  fileprivate let states: Set<SessionState>?
  /// Finds it among those that the index of starts holds.
  fileprivate let indexed: String

  private init(_ states: Set<SessionState>?) {
    self.states = states
    let codes = states?.map { "\($0.code)" }.sorted().joined(separator: ", ")
    indexed = """
      SELECT \(StoredSession.columns) FROM session
      WHERE feed = ? AND is_new = 0 \(codes.map { "AND state IN (\($0))" } ?? "")
      ORDER BY started_at DESC, seq DESC LIMIT 1
      """
  }
}

extension StoredSession {
  /// Whether it comes first in the order of starts.
  func startsBefore(_ other: StoredSession) -> Bool {
    (started.wall, row) < (other.started.wall, other.row)
  }
}

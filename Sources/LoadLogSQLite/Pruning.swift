import GRDB
import LoadLogCore

/// Drops old finished loads. What runs, what is unbalanced and each feed's last load, success and failure stay, and
/// so do all counts, dates and histograms.
struct Pruning {
  private let database: Database
  /// Only loads that ended before this go; wall time in microseconds.
  private let cutoff: Int64

  init(_ database: Database, before cutoff: Int64) {
    self.database = database
    self.cutoff = cutoff
  }

  /// Drops the loads of one transaction, in which the caller is.
  ///
  /// - Parameter limit: at most so many.
  /// - Returns: how many were dropped; fewer than the limit if no more may go.
  func prune(limit: Int) throws -> Int {
    // What goes must be counted and in the sweeps, for it cannot be added up any more. After that no load is new.
    try Settlement.settle(database, withEnds: true)
    let newLoads = try NewLoads(database)
    var dropped = 0
    var sealed: Set<SummaryKey> = []
    for feed in try Int64.fetchAll(database, sql: "SELECT id FROM feed") where dropped < limit {
      let statement = try bound(Self.candidates, feed, kept(of: feed, newLoads))
      statement.bind(7, Int64(limit - dropped))
      var sessions: [StoredSession] = []
      try statement.forEach { sessions.append(try StoredSession($0)) }
      for session in sessions {
        sealed.formUnion(Self.days(of: session))
        try drop(session)
      }
      dropped += sessions.count
    }
    for key in sealed { try seal(key) }
    return dropped
  }

  /// How many loads of each feed may go.
  func forecast() throws -> [Feed: Int] {
    let newLoads = try NewLoads(database)
    var loads: [Feed: Int] = [:]
    for row in try Row.fetchAll(database, sql: "SELECT id, name FROM feed") {
      let feed: Int64 = try row.at(0)
      let kept = try kept(of: feed, newLoads)
      func count(_ sql: String, _ row: Int64) throws -> Int {
        Int(try bound(sql, row, kept).first { try $0.number(0) } ?? 0)
      }
      let new = try newLoads.of(feed, .min..<cutoff).reduce(0) { try $0 + count(Self.countOne, $1.row) }
      let all = try count(Self.countIndexed, feed) + new
      if all > 0 { loads[Feed(try row.at(1))] = all }
    }
    return loads
  }

  /// The rows that stay, however old they are. The last one of all does: the next would take its number, which is
  /// counted already.
  private func kept(of feed: Int64, _ newLoads: NewLoads) throws -> [Int64] {
    let last = try SettlementMarks.lastSession(in: database)
    return [
      last,
      try newLoads.newest(.success, of: feed, in: database)?.row ?? last,
      try newLoads.newest(.failure, of: feed, in: database)?.row ?? last,
      try newLoads.newest(.ofAll, of: feed, in: database)?.row ?? last,
    ]
  }

  private static let indexed = "feed = ?1 AND is_new = 0"
  private static let candidates =
    select(StoredSession.columns, of: indexed) + " ORDER BY started_at, seq LIMIT ?7"
  private static let countIndexed = select("count(*)", of: indexed)
  private static let countOne = select("count(*)", of: "seq = ?1")

  /// What may go of some rows.
  private static func select(_ columns: String, of rows: String) -> String {
    """
    SELECT \(columns) FROM session
    WHERE \(rows) AND started_at < ?2 AND state BETWEEN 1 AND 5
      AND started_at + coalesce(duration / 1000, 0) + coalesce(wall_drift, 0) < ?2
      AND seq NOT IN (?3, ?4, ?5, ?6)
    """
  }

  /// Binds what a feed or a load has as its number, and the four rows that stay.
  private func bound(_ sql: String, _ number: Int64, _ kept: [Int64]) throws -> RawStatement {
    let statement = try RawStatement(database, sql)
    for (index, value) in ([number, cutoff] + kept).enumerated() { statement.bind(Int32(index + 1), value) }
    return statement
  }

  /// The days that a load was open on, its feed's and the store's, and all time.
  private static func days(of session: StoredSession) -> [SummaryKey] {
    let first = SummaryKey.day(of: session.started.wall)
    let last = max(first, DaySweeps.day(session.keptEnd.subtractingClamping(1)))
    return [session.feedRow, SummaryKey.store].flatMap { feed in
      ([SummaryKey.allTime] + Array(first...last)).map { SummaryKey(feed: feed, day: $0) }
    }
  }

  /// A day that a load was open on can be added up from rows no more: also one that no load of its feed started on, and to
  /// which the sweep has not come yet.
  private func seal(_ key: SummaryKey) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO summary (feed, day, is_sealed) VALUES (?, ?, 1)
        ON CONFLICT (feed, day) DO UPDATE SET is_sealed = 1 WHERE is_sealed = 0
        """
    ).execute(arguments: [key.feed, key.day])
  }

  private func drop(_ session: StoredSession) throws {
    for table in ["visibility WHERE session", "session WHERE seq"] {
      try database.cachedStatement(sql: "DELETE FROM \(table) = ?").execute(arguments: [session.row])
    }
  }
}

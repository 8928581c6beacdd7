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
    // What goes must be counted and in the sweeps, for it cannot be added up any more.
    try Settlement.settle(database)
    var dropped = 0
    for feed in try Int64.fetchAll(database, sql: "SELECT id FROM feed") where dropped < limit {
      let statement = try bound(Self.candidates(orderedAndLimited: true), feed)
      statement.bind(7, Int64(limit - dropped))
      var sessions: [StoredSession] = []
      try statement.forEach { sessions.append(try StoredSession($0)) }
      for session in sessions { try drop(session) }
      dropped += sessions.count
    }
    return dropped
  }

  /// How many loads of each feed may go.
  func forecast() throws -> [Feed: Int] {
    var loads: [Feed: Int] = [:]
    for feed in try Row.fetchAll(database, sql: "SELECT id, name FROM feed") {
      let statement = try bound(
        "SELECT count(*) FROM (\(Self.candidates(orderedAndLimited: false)))", try feed.at(0))
      if let count = try statement.first({ try $0.number(0) }), count > 0 {
        loads[Feed(try feed.at(1))] = Int(count)
      }
    }
    return loads
  }

  /// The last row of all stays: the next one would take its number, which is counted already.
  private static func candidates(orderedAndLimited isLimited: Bool) -> String {
    """
    SELECT \(StoredSession.columns) FROM session
    WHERE feed = ? AND started_at < ? AND state BETWEEN 1 AND 5
      AND started_at + coalesce(duration / 1000, 0) + coalesce(wall_drift, 0) < ?
      AND seq NOT IN (
        SELECT max(seq) FROM session
        UNION ALL SELECT seq FROM (SELECT seq FROM session WHERE feed = ? AND state IN (1, 2)
          ORDER BY started_at DESC, seq DESC LIMIT 1)
        UNION ALL SELECT seq FROM (SELECT seq FROM session WHERE feed = ? AND state = 3
          ORDER BY started_at DESC, seq DESC LIMIT 1)
        UNION ALL SELECT seq FROM (SELECT seq FROM session WHERE feed = ?
          ORDER BY started_at DESC, seq DESC LIMIT 1))
    \(isLimited ? "ORDER BY started_at, seq LIMIT ?" : "")
    """
  }

  private func bound(_ sql: String, _ feed: Int64) throws -> RawStatement {
    let statement = try RawStatement(database, sql)
    for (index, value) in [feed, cutoff, cutoff, feed, feed, feed].enumerated() {
      statement.bind(Int32(index + 1), value)
    }
    return statement
  }

  /// Drops a load and seals the days that it was open on.
  private func drop(_ session: StoredSession) throws {
    let seal = try database.cachedStatement(
      sql: """
        UPDATE summary SET is_sealed = 1, is_stale = 0
        WHERE feed IN (?, 0) AND (day BETWEEN ? AND ? OR day = -1) AND is_sealed = 0
        """)
    try seal.execute(arguments: [
      session.feedRow, SummaryKey.day(of: session.started.wall), DaySweeps.day(session.keptEnd),
    ])
    for table in ["visibility WHERE session", "session WHERE seq"] {
      try database.cachedStatement(sql: "DELETE FROM \(table) = ?").execute(arguments: [session.row])
    }
  }
}

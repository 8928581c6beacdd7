import GRDB
import LoadLogCore

/// The old finished loads that pruning drops: all but what is unbalanced and each feed's last load, success and failure.
struct PrunableLoads {
  let database: Database
  /// Only loads that ended before this wall time in microseconds are dropped.
  let cutoff: Int64

  /// The number of these loads, by feed.
  func countByFeed() throws -> [Feed: Int] {
    var loads: [Feed: Int] = [:]
    for (feed, _) in try feedsWithOldLoads() {
      let rows = try old("count(*)", of: feed, kept: kept(of: feed))
      let count = Int(try rows.first { try $0.number(0) } ?? 0)
      if count > 0 { loads[try Feed.named(feed, in: database)] = count }
    }
    return loads
  }

  /// The first of these loads, at most a number of them.
  func first(_ limit: Int) throws -> [StoredSession] {
    var sessions: [StoredSession] = []
    for (feed, _) in try feedsWithOldLoads() where sessions.count < limit {
      let rows = try old(
        StoredSession.columns, of: feed, kept: kept(of: feed), "ORDER BY started_at, seq LIMIT ?7")
      rows.bind(7, Int64(limit - sessions.count))
      sessions += try rows.map(StoredSession.init)
    }
    return sessions
  }

  /// A cutoff for one step, which reads little however many loads there are: at most some of them started before it.
  ///
  /// - Parameters:
  ///   - most: the maximum number of loads that started before it.
  ///   - days: the maximum number of UTC days on which they started.
  /// - Returns: the cutoff itself if there are no more.
  func cutoff(most: Int, days: Int) throws -> Int64 {
    // The first starts, in their order, and one more.
    var starts: [Int64] = []
    func sort() {
      starts.sort()
      starts.removeLast(max(0, starts.count - 1 - most))
    }
    var end = cutoff
    for (feed, first) in try feedsWithOldLoads() {
      // All others have only later ones: of them, a step only looks up the first.
      guard first < end else { break }
      let rows = try old(
        "started_at", of: feed, kept: kept(of: feed), "ORDER BY started_at, seq LIMIT ?7")
      rows.bind(7, Int64(most).addingClamping(1))
      _ = try rows.first { row in
        repeat {
          let start = try row.number(0)
          guard start < end else { return }
          starts.append(start)
        } while try row.next()
      }
      if starts.count / 2 > most {
        sort()
        end = starts[most]
      }
    }
    sort()
    var seen: Set<Int64> = []
    for (index, start) in starts.enumerated() {
      seen.insert(SummaryKey.day(of: start))
      if index == most || seen.count > days { return start }
    }
    return cutoff
  }

  /// A finished load that ended before the cutoff, which is bound to ?2, by the wall clock and by its duration: if the
  /// clock was set back meanwhile, busy time counts it until later than its finish. A failure that is to be retried stays
  /// until its command has ended: it counts if no attempt follows.
  private static let isOld = """
    started_at < ?2 AND state BETWEEN 1 AND 5
      AND \(StoredSession.finishedAtInSQL) < ?2
      AND started_at + coalesce(duration, 0) / 1000 < ?2
      AND (state <> 3 OR NOT EXISTS (
        SELECT 1 FROM run JOIN owner ON owner.id = session.owner
        WHERE run.session = session.seq AND \(RunRow.awaitsRetry)))
    """

  /// The feeds that have an old load besides their newest one, and the start of their first one, in the order of these
  /// starts. Most often there are none, and one search of the index of starts per feed finds that, unless old unbalanced
  /// loads come first.
  private func feedsWithOldLoads() throws -> [(feed: Int64, first: Int64)] {
    let rows = try RawStatement(
      database,
      """
      SELECT id, (
        SELECT started_at FROM session WHERE session.feed = feed.id AND \(Self.isOld) AND seq <> (
          SELECT newest.seq FROM session AS newest WHERE newest.feed = feed.id
          ORDER BY newest.started_at DESC, newest.seq DESC LIMIT 1)
        ORDER BY started_at LIMIT 1) AS first
      FROM feed ORDER BY first
      """)
    rows.bind(2, cutoff)
    return try rows.map { (feed: try $0.number(0), first: try $0.integer(1)) }.compactMap { feed, first in
      first.map { (feed, $0) }
    }
  }

  /// The rows of a feed that stay, however old they are; among them the last row of all, so that its number is not
  /// used again. 0 is no row.
  private struct Kept {
    let last: Int64, success: Int64, failure: Int64, newest: Int64
  }

  private func kept(of feed: Int64) throws -> Kept {
    func newest(_ condition: String) throws -> Int64 {
      let rows = try RawStatement(
        database,
        "SELECT seq FROM session WHERE feed = ?1 AND \(condition) ORDER BY started_at DESC, seq DESC LIMIT 1",
        feed)
      return try rows.first { try $0.number(0) } ?? 0
    }
    return Kept(
      last: try Int64.fetchOne(database.cachedStatement(sql: "SELECT max(seq) FROM session")) ?? 0,
      success: try isLastSuccessOld(of: feed) ? newest("state IN (1, 2)") : 0,
      failure: try newest("state = 3 AND \(RunRow.isFinal)"),
      newest: try newest("1"))
  }

  /// Whether the last success of a feed may be one of its old loads. If the feed was updated later, it has a success that
  /// stays anyway, and if it never was, it has none: a search would read all its old loads in vain.
  ///
  /// A success that had to wait to be recorded ended earlier than the feed was updated.
  private func isLastSuccessOld(of feed: Int64) throws -> Bool {
    let rows = try RawStatement(
      database, "SELECT 1 FROM feed WHERE id = ?1 AND (is_adopted OR last_updated < ?2)",
      feed, cutoff.addingClamping(Self.longestWait))
    return try rows.hasRow()
  }

  /// How long a success may wait to be recorded, in microseconds; amply, because it only saves a search.
  private static let longestWait: Int64 = 3_600_000_000

  private func old(
    _ columns: String, of feed: Int64, kept: Kept, _ order: String = ""
  ) throws -> RawStatement {
    let statement = try RawStatement(
      database,
      """
      SELECT \(columns) FROM session
      WHERE feed = ?1 AND \(Self.isOld) AND seq NOT IN (?3, ?4, ?5, ?6) \(order)
      """)
    for (index, value) in [feed, cutoff, kept.last, kept.success, kept.failure, kept.newest].enumerated() {
      statement.bind(Int32(index + 1), value)
    }
    return statement
  }
}

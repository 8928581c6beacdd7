import GRDB
import LoadLogCore

/// How sessions are found where ``NewLoads`` are not at hand.
enum NewSessions {
  /// True of no session, unless a store is damaged: nobody would find it.
  static let lost = "is_new <> 0 AND seq <= \(counted)"
  private static let counted = "(SELECT coalesce(max(counted), 0) FROM settlement)"

  /// True of the sessions that the store calls running; pushes alone are all in their index.
  static let running = "session.seq IN (\(runningRows))"
  /// The rows of those.
  static let runningRows = """
    SELECT seq FROM session WHERE state = 0 AND is_new = 0
    UNION ALL SELECT seq FROM session WHERE state = 0 AND is_new <> 0 AND seq > \(counted)
    """

  /// How many sessions of all feeds started on a day.
  static func countAll(startedIn day: UTCDay, in database: Database) throws -> Int64 {
    try Int64.fetchOne(
      database.cachedStatement(sql: count), arguments: [day.start, day.end]) ?? 0
  }

  /// Those in the index and the others apart: in one condition SQLite would go through the whole index. The feeds are named,
  /// for it begins with them.
  private static let count = """
    SELECT
      (SELECT count(*) FROM session
        WHERE feed IN (SELECT id FROM feed) AND is_new = 0 AND started_at >= ?1 AND started_at < ?2)
      + (SELECT count(*) FROM session
        WHERE is_new <> 0 AND seq > \(counted) AND started_at >= ?1 AND started_at < ?2)
    """

  /// Sessions of a feed in the order of their starts, of which SQLite reads no more than are taken.
  ///
  /// - Parameter condition: names the feed; its parameters are numbered, for it stands there twice.
  static func inOrder(_ columns: String, where condition: String, newestFirst: Bool = false) -> String {
    func select(_ part: String) -> String {
      "SELECT \(columns), started_at AS by_start, seq AS by_row FROM session WHERE \(part) AND \(condition)"
    }
    let direction = newestFirst ? "DESC" : ""
    return """
      \(select("is_new = 0")) UNION ALL \(select("is_new <> 0 AND seq > \(counted)"))
      ORDER BY by_start \(direction), by_row \(direction)
      """
  }
}

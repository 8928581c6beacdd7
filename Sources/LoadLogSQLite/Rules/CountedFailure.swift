import GRDB

/// The rows that count as failures in a row, as SQL conditions on `session`.
///
/// An attempt that is retried does not count.
enum CountedFailure {
  static let failed = "session.state = 3 AND \(RunRow.isFinal)"
  /// An unfinished start that is not acknowledged. The first term lets SQLite use the index of unfinished starts.
  static let unfinished = """
    session.state >= 6 AND session.state IN (6, 7, 8)
      AND NOT EXISTS (SELECT 1 FROM acknowledgement WHERE acknowledgement.id = session.id)
    """

  /// The number of failed rows that started after a feed's last success, in SQL about a row of `feed`.
  static let failedInRow = """
    (SELECT count(*) FROM session INDEXED BY session_failed
      WHERE session.feed = feed.id AND session.started_at > coalesce(feed.last_success_started, \(Int64.min))
        AND \(failed))
    """

  /// Counts the rows of a feed that started after a wall time and fulfil a condition.
  static func count(
    _ condition: String, index: String, of feed: Int64, after time: Int64, in database: Database
  ) throws -> Int {
    let statement = try RawStatement(
      database,
      """
      SELECT count(*) FROM session INDEXED BY \(index)
      WHERE session.feed = ? AND session.started_at > ? AND \(condition)
      """, feed, time)
    return try statement.first { Int(try $0.number(0)) } ?? 0
  }
}

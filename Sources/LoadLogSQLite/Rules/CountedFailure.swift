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
}

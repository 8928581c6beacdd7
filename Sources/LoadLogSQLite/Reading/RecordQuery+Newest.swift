import GRDB
import LoadLogCore

/// A failed attempt that was to be retried by a command that died first.
struct UnretriedFailure {
  let session: StoredSession
  let reason: String?, callSite: String?
}

/// A feed's newest loads.
extension RecordQuery {
  /// The call site of the newest load that failed and was not retried.
  func newestFailure(of feed: Int64) throws -> String? {
    try newest(CountedFailure.failed, of: feed, after: .min, index: "session_failed")?.callSite.flatMap {
      try RowCache.text($0, in: database)
    }
  }

  /// The newest unfinished start that is not acknowledged, of those after the start of the last success.
  ///
  /// - Parameters:
  ///   - failure: the last failure, unless a success has cleared it. A load that started before it is not returned.
  ///   - inferred: the newest load that can no longer finish, but has no verdict yet; nil if there is none.
  func lostLoad(
    of feed: Int64, after success: Int64, failure: Int64?, inferred: StoredSession?
  ) throws -> LoadingSession? {
    let stored = try newest(
      CountedFailure.unfinished, of: feed, after: success, index: "session_unfinished")
    let candidates = [stored, inferred].compactMap(\.self)
    guard let lost = candidates.max(by: { $0.startsBefore($1) }) else { return nil }
    if let failure, failure > lost.started.wall { return nil }
    return try session(row: lost.row)
  }

  /// Counts the loads of a feed that failed or never finished, of those that started after its last success did.
  func failures(of feed: Int64, after success: Int64) throws -> (failed: Int, unfinished: Int) {
    func count(_ condition: String, index: String) throws -> Int {
      try CountedFailure.count(condition, index: index, of: feed, after: success, in: database)
    }
    let pruned = try RawStatement(database, "SELECT pruned_failures FROM feed WHERE id = ?", feed)
    let failed = try count(CountedFailure.failed, index: "session_failed")
    let prunedFailed = try pruned.first { Summary.bounded(try $0.number(0)) } ?? 0
    return (
      failed.addingClamping(prunedFailed), try count(CountedFailure.unfinished, index: "session_unfinished")
    )
  }

  /// The failed attempts that were to be retried by a command that died first, oldest first, by feed. They count as
  /// failures that were not retried.
  func unretriedFailures() throws -> [Int64: [UnretriedFailure]] {
    let rows = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns), reason.value, call_site.value FROM run
      JOIN session ON session.seq = run.session
      JOIN owner ON owner.id = session.owner
      LEFT JOIN text AS reason ON reason.id = session.reason
      LEFT JOIN text AS call_site ON call_site.id = session.call_site
      WHERE session.state = 3 AND \(RunRow.awaitsRetry)
      ORDER BY run.session
      """)
    var failures: [Int64: [UnretriedFailure]] = [:]
    try rows.forEach { row in
      let session = try StoredSession(row)
      guard case .dead = try judgement(session.ownerRow) else { return }
      failures[session.feedRow, default: []].append(
        UnretriedFailure(
          session: session, reason: try row.text(StoredSession.Column.columnCount),
          callSite: try row.text(StoredSession.Column.columnCount + 1)))
    }
    return failures
  }

  /// The load of a feed that started last, of those after a time that fulfil a condition.
  private func newest(
    _ condition: String, of feed: Int64, after time: Int64, index: String
  ) throws -> StoredSession? {
    let statement = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns) FROM session INDEXED BY \(index)
      WHERE feed = ? AND started_at > ? AND \(condition)
      ORDER BY started_at DESC, seq DESC LIMIT 1
      """, feed, time)
    return try statement.first { try StoredSession($0) }
  }
}

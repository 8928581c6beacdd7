import GRDB
import LoadLogCore

/// The dates that a batch moves, written once a feed. The last one committed counts, not the greatest, so
/// that a clock set back does not freeze a date.
struct FeedDateChanges {
  struct Change {
    var lastUpdated: Int64?
    var lastChanged: Int64?
    var lastAttempted: Int64?
    var lastFailed: Int64?
    var lastFailure: Int64?
    var lastVerdict: Int64?

    /// Takes over what a verdict moves.
    mutating func note(_ state: SessionState, at wall: Int64, reason: Int64?) {
      switch state {
      case .succeeded:
        lastUpdated = wall
        lastChanged = wall
      case .unchanged: lastUpdated = wall
      case .failed:
        lastFailed = wall
        lastFailure = reason
      default: return
      }
      lastVerdict = state.code
    }
  }

  private var changes: [Int64: Change] = [:]

  subscript(feedRow: Int64) -> Change {
    get { changes[feedRow, default: Change()] }
    _modify { yield &changes[feedRow, default: Change()] }
  }

  /// The feeds that change.
  var feeds: some Sequence<Int64> { changes.keys }

  /// Writes them.
  ///
  /// - Parameter carrier: the feed whose row carries `commit`, too.
  mutating func write(to database: Database, carrying commit: OwnerCommit? = nil, in carrier: Int64? = nil)
    throws
  {
    guard !changes.isEmpty else { return }
    let statement = try RawStatement(
      database,
      """
      UPDATE feed SET
        last_updated = coalesce(?1, last_updated),
        is_adopted = iif(?1 IS NULL, is_adopted, 0),
        last_changed = coalesce(?2, last_changed),
        last_attempted = coalesce(?3, last_attempted),
        last_failure = iif(?4 IS NULL, last_failure, ?5),
        last_failed = coalesce(?4, last_failed),
        last_verdict = coalesce(?6, last_verdict),
        commit_event = coalesce(?7, commit_event),
        commit_at = coalesce(?8, commit_at),
        commit_boot = coalesce(?9, commit_boot)
      WHERE id = ?10
      """)
    for (row, change) in changes {
      statement.bind(1, change.lastUpdated)
      statement.bind(2, change.lastChanged)
      statement.bind(3, change.lastAttempted)
      statement.bind(4, change.lastFailed)
      statement.bind(5, change.lastFailure)
      statement.bind(6, change.lastVerdict)
      let carried = row == carrier ? commit : nil
      statement.bind(7, carried?.event)
      statement.bind(8, carried?.at.wall)
      statement.bind(9, carried?.at.boot)
      statement.bind(10, row)
      try statement.run()
    }
    changes = [:]
  }
}

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
    get { changes[feedRow] ?? Change() }
    set { changes[feedRow] = newValue }
  }

  mutating func write(to database: Database) throws {
    for (row, change) in changes {
      let statement = try database.cachedStatement(
        sql: """
          UPDATE feed SET
            last_updated = coalesce(?1, last_updated),
            is_adopted = iif(?1 IS NULL, is_adopted, 0),
            last_changed = coalesce(?2, last_changed),
            last_attempted = coalesce(?3, last_attempted),
            last_failure = iif(?4 IS NULL, last_failure, ?5),
            last_failed = coalesce(?4, last_failed),
            last_verdict = coalesce(?6, last_verdict)
          WHERE id = ?7
          """)
      try statement.execute(arguments: [
        change.lastUpdated, change.lastChanged, change.lastAttempted, change.lastFailed, change.lastFailure,
        change.lastVerdict, row,
      ])
    }
    changes = [:]
  }
}

import GRDB
import LoadLogCore

/// The dates that imported loads move: only forward, by the times of the loads and not by the order in which they
/// come, because what is imported may be older than what is recorded.
struct ForwardDates {
  private struct Change {
    var updated: Int64?
    var changed: Int64?
    var attempted: Int64?
    var failed: Int64?
    var failure: Int64?
    var verdict: (at: Int64, code: Int64)?
  }

  private var changes: [Int64: Change] = [:]

  /// A load of the feed started; wall time in microseconds.
  mutating func noteStart(of feed: Int64, at wall: Int64) {
    changes[feed, default: Change()].attempted = max(changes[feed]?.attempted ?? wall, wall)
  }

  /// A load of the feed got a verdict.
  mutating func note(_ state: SessionState, of feed: Int64, at wall: Int64, reason: Int64?) {
    var change = changes[feed, default: Change()]
    switch state {
    case .succeeded:
      change.updated = max(change.updated ?? wall, wall)
      change.changed = max(change.changed ?? wall, wall)
    case .unchanged: change.updated = max(change.updated ?? wall, wall)
    case .failed where wall >= change.failed ?? wall:
      change.failed = wall
      change.failure = reason
    case .failed: break
    default: return
    }
    if wall >= change.verdict?.at ?? wall { change.verdict = (wall, state.code) }
    changes[feed] = change
  }

  /// Dates of the feed as another record has them.
  ///
  /// - Parameters:
  ///   - isAdopted: the last update is no load's, and is left out here.
  ///   - failure: the row of the last failure's reason.
  mutating func note(_ dates: FeedDates, isAdopted: Bool, of feed: Int64, failure: Int64?) {
    if let wall = dates.lastAttempted { noteStart(of: feed, at: wall) }
    if let wall = dates.lastFailed { note(.failed, of: feed, at: wall, reason: failure) }
    var change = changes[feed, default: Change()]
    if let wall = dates.lastUpdated, !isAdopted { change.updated = max(change.updated ?? wall, wall) }
    if let wall = dates.lastChanged { change.changed = max(change.changed ?? wall, wall) }
    let last = [isAdopted ? nil : dates.lastUpdated, dates.lastFailed].compactMap(\.self).max()
    if let last, let verdict = dates.lastVerdict, last >= change.verdict?.at ?? last {
      change.verdict = (last, verdict.code)
    }
    changes[feed] = change
  }

  /// Moves the dates.
  mutating func write(to database: Database) throws {
    guard !changes.isEmpty else { return }
    let statement = try RawStatement(database, Self.update)
    for (feed, change) in changes {
      statement.bind(1, change.updated)
      statement.bind(2, change.changed)
      statement.bind(3, change.attempted)
      statement.bind(4, change.failed)
      statement.bind(5, change.failure)
      statement.bind(6, change.verdict?.at)
      statement.bind(7, change.verdict?.code)
      statement.bind(8, feed)
      try statement.run()
    }
    changes = [:]
  }

  /// A date that was taken over from elsewhere gives way to a later success, but is no verdict. Equal times move, so
  /// that of two loads the one that comes last counts.
  private static let update = """
    UPDATE feed SET
      last_verdict = iif(?6 >= max(
        coalesce(iif(is_adopted, NULL, last_updated), ?6), coalesce(last_failed, ?6)), ?7, last_verdict),
      is_adopted = iif(?1 >= last_updated, 0, is_adopted),
      last_updated = iif(?1 < last_updated, last_updated, coalesce(?1, last_updated)),
      last_changed = iif(?2 < last_changed, last_changed, coalesce(?2, last_changed)),
      last_attempted = iif(?3 < last_attempted, last_attempted, coalesce(?3, last_attempted)),
      last_failure = iif(?4 >= coalesce(last_failed, ?4), ?5, last_failure),
      last_failed = iif(?4 < last_failed, last_failed, coalesce(?4, last_failed))
    WHERE id = ?8
    """
}

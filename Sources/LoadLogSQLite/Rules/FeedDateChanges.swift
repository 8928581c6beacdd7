import GRDB
import LoadLogCore

/// The dates of feeds that a transaction moves, written once per feed.
struct FeedDateChanges {
  /// Which of two dates is kept.
  enum Order {
    /// The one committed last, not the greater one, so that a clock that was set back does not freeze a date.
    case asCommitted
    /// The greater one: what is imported may be older than what is recorded. Of equal ones the last.
    case onlyForward
  }

  private struct Change {
    var updated: Int64?
    var successStarted: Int64?
    /// Successes in the order of their commits, which say what the start of the last one is.
    var successes: [(started: Int64, at: Int64)] = []
    /// How many loads that started after it failed and were pruned.
    var prunedFailures: Int64 = 0
    var changed: Int64?
    var attempted: Int64?
    var failed: Int64?
    var failure: Int64?
    var verdict: (at: Int64, code: Int64)?
  }

  private let order: Order
  private var changes: [Int64: Change] = [:]

  init(_ order: Order) { self.order = order }

  /// Notes that a load of the feed started at a wall time in microseconds.
  mutating func noteStart(of feed: Int64, at wall: Int64) {
    // Not in place: the call of `move` holds all changes a second time, so that they would be copied.
    var change = changes[feed, default: Change()]
    move(&change.attempted, to: wall)
    changes[feed] = change
  }

  /// Notes that a load of the feed got a verdict. Only success and failure move dates, and not the failure of an
  /// attempt that is retried.
  ///
  /// - Parameter started: the start of the load.
  mutating func note(
    _ state: SessionState, of feed: Int64, at wall: Int64, started: Int64?, reason: Int64?,
    isRetried: Bool = false
  ) {
    guard state.isSuccess || state == .failed && !isRetried else { return }
    var change = changes[feed, default: Change()]
    if state.isSuccess {
      move(&change.updated, to: wall)
      if let started { note(success: (started, wall), in: &change) }
    }
    if state == .succeeded { move(&change.changed, to: wall) }
    if state == .failed, move(&change.failed, to: wall) { change.failure = reason }
    if replaces(change.verdict?.at, wall) { change.verdict = (wall, state.code) }
    changes[feed] = change
  }

  /// Notes the feed's dates in another record.
  ///
  /// - Parameters:
  ///   - isAdopted: whether the last update belongs to no load; it is ignored then.
  ///   - failure: the row of the last failure's reason.
  ///   - pruned: how many loads that started after the last success failed and were pruned.
  mutating func note(
    _ dates: FeedDates, isAdopted: Bool, of feed: Int64, failure: Int64?, pruned: Int64
  ) {
    if let wall = dates.lastAttempted { noteStart(of: feed, at: wall) }
    if let wall = dates.lastFailed { note(.failed, of: feed, at: wall, started: nil, reason: failure) }
    var change = changes[feed, default: Change()]
    if let wall = dates.lastUpdated, !isAdopted { move(&change.updated, to: wall) }
    let knownSuccess = change.successStarted
    if let wall = dates.lastSuccessStarted { move(&change.successStarted, to: wall) }
    if change.successStarted != knownSuccess {
      change.prunedFailures = pruned
    } else if dates.lastSuccessStarted == knownSuccess {
      change.prunedFailures = max(change.prunedFailures, pruned)
    }
    if let wall = dates.lastChanged { move(&change.changed, to: wall) }
    let last = [isAdopted ? nil : dates.lastUpdated, dates.lastFailed].compactMap(\.self).max()
    if let last, let verdict = dates.lastVerdict, replaces(change.verdict?.at, last) {
      change.verdict = (last, verdict.code)
    }
    changes[feed] = change
  }

  private func note(success: (started: Int64, at: Int64), in change: inout Change) {
    switch order {
    case .asCommitted: change.successes.append(success)
    case .onlyForward:
      let known = change.successStarted
      move(&change.successStarted, to: success.started)
      // Those of the dates in another record came before it.
      if change.successStarted != known { change.prunedFailures = 0 }
    }
  }

  private func replaces(_ old: Int64?, _ new: Int64) -> Bool { order == .asCommitted || new >= old ?? new }

  @discardableResult
  private func move(_ date: inout Int64?, to wall: Int64) -> Bool {
    guard replaces(date, wall) else { return false }
    date = wall
    return true
  }

  /// Moves the dates.
  mutating func write(to database: Database) throws {
    guard !changes.isEmpty else { return }
    let statement = try RawStatement(database, order == .asCommitted ? Self.replacing : Self.forward)
    for (feed, change) in changes {
      statement.bind(1, change.updated)
      statement.bind(2, change.changed)
      statement.bind(3, change.attempted)
      statement.bind(4, change.failed)
      statement.bind(5, change.failure)
      statement.bind(6, change.verdict?.code)
      statement.bind(7, feed)
      statement.bind(8, try change.successStarted ?? Self.lastStart(of: change.successes, feed, in: database))
      if order == .onlyForward {
        statement.bind(9, change.verdict?.at)
        statement.bind(10, change.prunedFailures)
      }
      try statement.run()
    }
    changes = [:]
  }

  /// The start of the last success of a feed after further ones; nil if there are none.
  private static func lastStart(
    of successes: [(started: Int64, at: Int64)], _ feed: Int64, in database: Database
  ) throws -> Int64? {
    guard !successes.isEmpty else { return nil }
    let known = try RawStatement(database, "SELECT last_success_started FROM feed WHERE id = ?", feed)
    var dates = FeedDates()
    dates.lastSuccessStarted = try known.first { try $0.integer(0) } ?? nil
    for success in successes { dates.noteSuccess(started: success.started, at: success.at) }
    return dates.lastSuccessStarted
  }

  private static let replacing = """
    UPDATE feed SET
      last_updated = coalesce(?1, last_updated),
      is_adopted = iif(?1 IS NULL, is_adopted, 0),
      last_changed = coalesce(?2, last_changed),
      last_attempted = coalesce(?3, last_attempted),
      last_failure = iif(?4 IS NULL, last_failure, ?5),
      last_failed = coalesce(?4, last_failed),
      last_verdict = coalesce(?6, last_verdict),
      pruned_failures = iif(?8 IS NULL OR ?8 IS last_success_started, pruned_failures, 0),
      last_success_started = coalesce(?8, last_success_started)
    WHERE id = ?7
    """

  /// An adopted date gives way to a later success, but is no verdict.
  private static let forward = """
    UPDATE feed SET
      last_verdict = iif(?9 >= max(
        coalesce(iif(is_adopted, NULL, last_updated), ?9), coalesce(last_failed, ?9)), ?6, last_verdict),
      pruned_failures = CASE
        WHEN ?8 > coalesce(last_success_started, ?8 - 1) THEN ?10
        WHEN ?8 IS last_success_started THEN max(pruned_failures, ?10)
        ELSE pruned_failures END,
      last_success_started =
        iif(?8 < last_success_started, last_success_started, coalesce(?8, last_success_started)),
      is_adopted = iif(?1 >= last_updated, 0, is_adopted),
      last_updated = iif(?1 < last_updated, last_updated, coalesce(?1, last_updated)),
      last_changed = iif(?2 < last_changed, last_changed, coalesce(?2, last_changed)),
      last_attempted = iif(?3 < last_attempted, last_attempted, coalesce(?3, last_attempted)),
      last_failure = iif(?4 >= coalesce(last_failed, ?4), ?5, last_failure),
      last_failed = iif(?4 < last_failed, last_failed, coalesce(?4, last_failed))
    WHERE id = ?7
    """
}

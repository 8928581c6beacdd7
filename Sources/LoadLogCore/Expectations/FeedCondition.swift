/// Decides what is wrong with a feed, from facts that any store can count.
package struct FeedCondition: Sendable {
  /// What a store knows of a feed.
  package struct Facts: Sendable {
    /// The wall time of the answer, in microseconds since 1970.
    package let now: Int64
    /// The dates of the feed.
    package let dates: FeedDates
    /// The expectation of the feed.
    package let expectation: FeedExpectation?
    /// The number of overrunning loads, and of imbalances that are not acknowledged.
    package let overrunning: Int, unacknowledged: Int
    /// The duration after which a running load is overrunning, in nanoseconds; nil if there is none.
    package let runningLimit: Int64?
    /// The number of loads that failed, and of unfinished starts that are not acknowledged, among the loads that started
    /// after the last success did.
    package var failed = 0, unfinished = 0
    /// When the newest running load started that is not overrunning, in microseconds since 1970; nil if there is none.
    package var runningSince: Int64?
    /// The 99th percentile of the feed's durations, from its histogram, in nanoseconds; nil while too few are known.
    package var usualMaximum: Double?
    /// Whether these are the facts of all hosts of a fleet together.
    package var isOfAllHosts = false

    /// Takes over what a status says already.
    package init(_ status: FeedStatus, expectation: FeedExpectation?, now: Int64) {
      self.now = now
      self.expectation = expectation
      dates = status.dates
      overrunning = status.numbers.overrunning ?? 0
      unacknowledged = status.numbers.unbalanced.unacknowledged
      runningLimit = status.runningLimit
    }
  }

  /// The number of failed loads in a row.
  package let failures: Int
  /// When a success was, or will be, due, in microseconds since 1970; nil if none is.
  package let dueTime: Int64?
  /// How long after its due time a success may come, in nanoseconds; nil if none is due.
  package let grace: Int64?
  /// Whether the expectation is paused.
  package let isPaused: Bool
  /// Whether only a fleet can say if the feed is late, and these are the facts of one host.
  package let isJudgedByFleet: Bool
  /// All that is wrong, worst first; nothing while the expectation is paused.
  package let problems: [FeedProblem]

  /// Grace while too few loads are known, and what is added to the learned duration, in nanoseconds.
  static let unlearnedGrace: Int64 = 3_600_000_000_000, addedGrace: Int64 = 300_000_000_000

  /// Draws the conclusions from facts.
  package init(_ facts: Facts) {
    failures = Self.failures(facts)
    isPaused = facts.expectation?.isPaused(at: facts.now) ?? false
    // One host does not know whether another one has succeeded.
    isJudgedByFleet = facts.expectation?.expectation.anywhere == true && !facts.isOfAllHosts
    dueTime = isJudgedByFleet ? nil : Self.due(facts)
    grace = dueTime.flatMap { Self.grace(facts, due: $0) }
    var problems: [FeedProblem] = []
    if facts.overrunning > 0 { problems.append(.overrunning) }
    if failures >= facts.expectation?.expectation.maxFailures ?? 1 { problems.append(.failing) }
    if !isJudgedByFleet, Self.isLate(facts, due: dueTime, grace: grace) { problems.append(.late) }
    if facts.unacknowledged > 0 { problems.append(.unbalanced) }
    self.problems = isPaused ? [] : problems
  }

  /// The last verdict is the one committed last. How many failures precede it is counted by the starts of loads: a
  /// success clears all that started before it.
  private static func failures(_ facts: Facts) -> Int {
    facts.dates.lastVerdict == .failed ? max(1, facts.failed + facts.unfinished) : facts.unfinished
  }

  /// The first due time that no success has met.
  private static func due(_ facts: Facts) -> Int64? {
    guard let expected = facts.expectation, let schedule = expected.expectation.schedule else { return nil }
    let success = facts.dates.lastSuccess(before: facts.now)
    switch schedule {
    case .interval: return schedule.due(after: success ?? expected.since)
    case .cron: return schedule.due(after: max(success ?? .min, expected.since))
    }
  }

  private static func grace(_ facts: Facts, due: Int64) -> Int64? {
    guard let expectation = facts.expectation?.expectation, let schedule = expectation.schedule else {
      return nil
    }
    return expectation.grace
      ?? grace(usualMaximum: facts.usualMaximum, interval: schedule.interval(after: due))
  }

  /// The grace of an expectation that has none of its own, in nanoseconds.
  ///
  /// - Parameters:
  ///   - usualMaximum: the 99th percentile of the feed's durations; nil while too few are known.
  ///   - interval: the time from one due time to the next.
  package static func grace(usualMaximum: Double?, interval: Int64) -> Int64 {
    let learned = usualMaximum.map { (Int64(exactly: $0.rounded()) ?? .max).addingClamping(addedGrace) }
    return min(learned ?? unlearnedGrace, interval / 2)
  }

  private static func isLate(_ facts: Facts, due: Int64?, grace: Int64?) -> Bool {
    if facts.expectation?.fault != nil { return true }
    guard let due, let grace, due.addingClamping(grace / 1000) <= facts.now else { return false }
    guard let running = facts.runningSince else { return true }
    guard facts.runningLimit == nil else { return false }
    // Nothing says how long the load may run. It counts as the success that it may become: if it hangs, the feed is late
    // at the next due time.
    guard let next = facts.expectation?.expectation.schedule?.due(after: max(running, due)) else {
      return false
    }
    return next.addingClamping(grace / 1000) <= facts.now
  }
}

extension Expectation.Schedule {
  /// The first due time after a wall time, both in microseconds since 1970; nil if there is none.
  func due(after wall: Int64) -> Int64? {
    switch self {
    case .interval(let interval): wall.addingClamping(interval / 1000)
    case .cron(let cron): cron.next(after: wall)
    }
  }

  /// The time from a due time to the next one, in nanoseconds.
  fileprivate func interval(after due: Int64) -> Int64 {
    (self.due(after: due) ?? .max).subtractingClamping(due).multipliedClamping(by: 1000)
  }
}

extension FeedExpectation {
  /// The time between the first two due times after a wall time in microseconds since 1970, in nanoseconds; nil without a
  /// schedule.
  package func interval(after wall: Int64) -> Int64? {
    guard let schedule = expectation.schedule else { return nil }
    return schedule.due(after: wall).map(schedule.interval)
  }
}

extension FeedDates {
  /// Whether the last success started later than now: a clock was wrong once.
  package func isSuccessInFuture(at now: Int64) -> Bool {
    lastSuccessStarted.map { $0.subtractingClamping(now) > SessionTiming.jumpThreshold } ?? false
  }

  /// The start of the last success, unless it lies in the future.
  fileprivate func lastSuccess(before now: Int64) -> Int64? {
    isSuccessInFuture(at: now) ? nil : lastSuccessStarted
  }
}

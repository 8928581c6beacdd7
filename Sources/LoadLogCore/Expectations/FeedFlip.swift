/// How a feed is, in one word: its worst problem, paused, or fine.
public enum FeedState: String, Sendable, Hashable, CaseIterable {
  /// Nothing is wrong.
  case fine
  /// The expectation is paused, so nothing is checked.
  case paused
  /// The worst problem; see ``FeedProblem``.
  case overrunning, failing, late, unbalanced
  /// A host of a fleet, whose name the flip has as its feed, did not ship before its lease ended.
  case silent

  /// The state of a feed.
  public init(_ status: FeedStatus) {
    self = status.isPaused ? .paused : status.problems.first.map(Self.init) ?? .fine
  }

  /// The state of a feed with a problem.
  public init(_ problem: FeedProblem) {
    switch problem {
    case .overrunning: self = .overrunning
    case .failing: self = .failing
    case .late: self = .late
    case .unbalanced: self = .unbalanced
    }
  }

  /// Whether the feed does not do what is expected of it. An imbalance is a fault in a program, not an outage.
  public var isOutage: Bool {
    self == .overrunning || self == .failing || self == .late || self == .silent
  }
}

/// A change of a feed's state, as a notifier or a `LoadAlarm` noticed it.
public struct FeedFlip: Sendable, Hashable {
  /// The feed.
  public var feed: Feed
  /// When the change was noticed, in microseconds since 1970.
  public var at: Int64
  /// The state before.
  public var from: FeedState
  /// The state from then on.
  public var to: FeedState
  /// Since when the feed has been in the new state, in microseconds since 1970: failing since the newest failure before the
  /// change was noticed, late since the end of the grace, but not before the schedule was set or before a check that did not
  /// find it late. After a pause no outage begins before the pause has ended.
  public var since: Int64
  /// Why, in words for people.
  public var reason: String?
  /// The call site of the load that is the reason, if known.
  public var callSite: String?
  /// How long the outage lasted that this flip ends, in nanoseconds; nil if it ends none.
  public var down: Int64?
  /// How many due times passed without a success in the outage that this flip ends; nil if it ends none, or if the
  /// feed has no schedule.
  public var missed: Int?

  /// Creates a flip from its parts.
  public init(
    feed: Feed, at: Int64, from: FeedState, to: FeedState, since: Int64, reason: String? = nil,
    callSite: String? = nil, down: Int64? = nil, missed: Int? = nil
  ) {
    self.feed = feed
    self.at = at
    self.from = from
    self.to = to
    self.since = since
    self.reason = reason
    self.callSite = callSite
    self.down = down
    self.missed = missed
  }
}

/// What a check found of a feed.
package struct FoundState: Sendable {
  /// The status of the feed.
  package let status: FeedStatus
  /// Its state.
  package let state: FeedState
  /// Since when it has been in that state, in microseconds since 1970. An outage is not older than the end of a pause that
  /// has ended by itself.
  package let since: Int64
  /// Why, in words for people.
  package var reason: String?
  /// The call site of the load that is the reason, if known.
  package let callSite: String?
  /// The check of the feed before this one; nil if it is unknown.
  package let lastCheck: EarlierCheck?
  /// When a pause of the expectation ended by itself, in microseconds since 1970; nil if none did.
  package let pauseEnd: Int64?

  /// Creates what was found of a feed.
  ///
  /// - Parameters:
  ///   - status: the status of the feed.
  ///   - summary: the answer that the status is from.
  ///   - reason: why it has its worst problem, in words for people.
  ///   - lastCheck: the check of the feed before this one; nil if it is unknown.
  package init(
    _ status: FeedStatus, in summary: StatusSummary, reason: String?, lastCheck: EarlierCheck? = nil
  ) {
    self.status = status
    self.reason = reason
    // One that lies in the future was made by a clock that was ahead.
    let lastCheck = lastCheck.flatMap { $0.at <= summary.generated ? $0 : nil }
    self.lastCheck = lastCheck
    state = FeedState(status)
    let origin = status.problems.first.map { status.origin(of: $0, in: summary) }
    callSite = origin?.callSite
    let since =
      switch state {
      case .paused: status.expectation?.pause?.from
      case .unbalanced: summary.callSites.lazy.filter { $0.feed == status.feed }.map(\.last).max()
      // A load that never finished did no harm while it ran, which the check before has found.
      case .failing where status.lostLoad != nil: origin?.since.map { max($0, lastCheck?.at ?? $0) }
      // What makes it late may be new: a load that ran has failed, the expectation is another, or a date is wrong.
      case .late: origin?.since.map { lastCheck?.lateness(of: status.feed, since: $0) ?? $0 }
      default: origin?.since ?? status.dates.lastUpdated
      }
    pauseEnd = status.expectation?.pause?.until.flatMap { $0 <= summary.generated ? $0 : nil }
    let found = min(since ?? summary.generated, summary.generated)
    self.since = state.isOutage ? max(found, pauseEnd ?? .min) : found
  }

  /// Creates what was found of a host of a fleet, as of a feed with its name.
  ///
  /// - Parameters:
  ///   - host: the host.
  ///   - reason: why it is silent, in words for people; nil if it is not.
  package init(_ host: FleetHost, silentBecause reason: String?) {
    status = FeedStatus(feed: Feed(host.shownName))
    state = reason == nil ? .fine : .silent
    since = (reason == nil ? nil : host.leaseUntil) ?? host.heard
    self.reason = reason
    (callSite, lastCheck, pauseEnd) = (nil, nil, nil)
  }

  /// Since when a flip to this state says that the feed is in it: after a pause that was ended by hand, an outage begins when
  /// it is noticed. Nothing says when that pause ended.
  ///
  /// - Parameters:
  ///   - last: the flip before it.
  ///   - now: when this state was found, in microseconds since 1970.
  package func since(after last: FeedFlip?, at now: Int64) -> Int64 {
    guard state.isOutage, let last, last.to == .paused, pauseEnd ?? .min <= last.at else { return since }
    return max(since, now)
  }

  /// How many due times have passed without a success that started in time; nil if nothing says when one was due. All times
  /// are in microseconds since 1970.
  ///
  /// - Parameters:
  ///   - success: the start of the last success before the outage.
  ///   - pauseEnd: when the last pause before the outage ended; what was missed before that does not count.
  ///   - next: the start of the success that ends the outage.
  package func missed(after success: Int64?, pauseEnd: Int64?, until next: Int64) -> Int? {
    guard !status.isJudgedByFleet, let expected = status.expectation,
      let schedule = expected.expectation.schedule
    else { return nil }
    let grace = (status.graceUsed ?? 0) / 1000
    if case .interval(let interval) = schedule, interval >= 1000 {
      // By a new interval the first due times may lie before it was set: none was missed then.
      func passed(by wall: Int64) -> Int64 {
        let elapsed = wall.subtractingClamping(success ?? expected.since).subtractingClamping(grace)
        return max(0, elapsed) / (interval / 1000)
      }
      let begin = max(expected.since, pauseEnd?.subtractingClamping(1) ?? .min)
      return Int(clamping: max(0, passed(by: next) - passed(by: begin)))
    }
    let unmissed = pauseEnd?.subtractingClamping(grace).subtractingClamping(1)
    var (due, count) = (max(success ?? .min, expected.since, unmissed ?? .min), 0)
    while count < Self.mostMissed, let after = schedule.due(after: due), after.addingClamping(grace) <= next {
      (due, count) = (after, count + 1)
    }
    return count
  }

  /// The greatest number of due times of a cron expression that are counted.
  private static let mostMissed = 100_000
}

extension FeedStatus {
  /// Since when the feed has a problem, in microseconds since 1970, and the call site of the load that has it, as far as
  /// they are known.
  package func origin(of problem: FeedProblem, in summary: StatusSummary) -> (
    since: Int64?, callSite: String?
  ) {
    switch problem {
    case .overrunning:
      (
        (oldestRunning?.started.wall ?? numbers.runningSince)?.addingClamping((runningLimit ?? 0) / 1000),
        oldestRunning?.callSite
      )
    case .failing:
      lostLoad.map { ($0.started.wall, $0.callSite) } ?? (dates.standingFailure, failedCallSite)
    case .late:
      // By a new interval a success may have been due before one was expected.
      (expectation.map { max($0.since, dueTime?.addingClamping((graceUsed ?? 0) / 1000) ?? .min) }, nil)
    case .unbalanced: (nil, summary.callSites.first { $0.feed == feed }?.callSite)
    }
  }

  /// Why the load failed or never finished by which the feed is failing, as it was recorded; nil if nothing says so.
  package var failureReason: String? {
    guard let lostLoad else { return dates.standingFailure.flatMap { _ in dates.lastFailure } }
    return lostLoad.evidence
  }
}

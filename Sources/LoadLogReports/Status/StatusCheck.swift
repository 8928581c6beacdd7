public import LoadLogCore

/// Finds what `status --check` reports: the problems of feeds, nothing if all is well.
public struct StatusCheck: Sendable, Hashable {
  /// A problem of a feed.
  public struct Finding: Sendable, Hashable {
    /// The feed; nil for finishes whose feed is unknown.
    public let feed: Feed?
    /// The problem in one word: that of a `FeedProblem`, or "old" for a feed that exceeds ``StatusCheck/maximumAge``.
    public let problem: String
    /// The reason, in words.
    public let reason: String
    /// Since when the feed has the problem, in microseconds since 1970, as far as it is known. A failing feed has it since
    /// its newest failure, or since the start of the load that never finished; a late one since the end of the grace, but
    /// not before its schedule was set.
    public let since: Int64?
    /// The call site of the load that has the problem, or of most imbalances, if known.
    public let callSite: String?

    /// The problem on one line.
    public var line: String { "\(feed.map { VisibleText.line($0.name) } ?? "(feed unknown)"): \(reason)" }
  }

  /// The problems to find; empty for all, unless there is a limit.
  public var problems: Set<FeedProblem>
  /// Maximum age of a feed's last update in nanoseconds; nil for no limit. A feed that was never updated
  /// exceeds it.
  public var maximumAge: Int64?
  /// Maximum time that a load may run, in nanoseconds; nil for the limit of each feed.
  public var maximumRunning: Int64?

  /// Creates a check. Without any problem or limit it finds all problems; otherwise only those that are named.
  public init(
    _ problems: Set<FeedProblem> = [], maximumAge: Int64? = nil, maximumRunning: Int64? = nil
  ) {
    self.problems = problems
    self.maximumAge = maximumAge
    self.maximumRunning = maximumRunning
  }

  /// Returns the problems of the feeds that match a filter, in the order of their names; those of a feed worst first.
  /// Feeds whose expectation is paused have none.
  ///
  /// - Parameters:
  ///   - reader: the store.
  ///   - filter: the feeds and the time window.
  ///   - zone: the zone of times in the reasons.
  /// - Returns: the problems, and when they were found, in microseconds since 1970.
  /// - Throws: what the reader throws.
  public func findings(
    in reader: any LoadReading, _ filter: LoadFilter, zone: LocalZone
  ) throws(LoadLogError) -> (findings: [Finding], generated: Int64) {
    let summary = try reader.status(filter, runningLimit: maximumRunning) { _ in [] }
    let time = LocalTime(zone: zone)
    let wanted = wanted
    var findings: [Finding] = []
    for status in summary.feeds where !status.isPaused {
      for problem in status.problems where wanted.contains(problem) {
        findings.append(Self.finding(problem, status, summary, time))
      }
      if let maximumAge, let old = old(status.dates, maximumAge, time, now: summary.generated) {
        findings.append(
          Finding(
            feed: status.feed, problem: "old", reason: old, since: status.dates.lastUpdated, callSite: nil))
      }
    }
    let rest = summary.feedless.unacknowledged
    if wanted.contains(.unbalanced), rest > 0 {
      findings.append(
        Finding(
          feed: nil, problem: FeedProblem.unbalanced.rawValue,
          reason: "\(Words.count(rest)) unbalanced, not acknowledged", since: nil, callSite: nil))
    }
    return (findings, summary.generated)
  }

  /// Returns the problems as JSON.
  ///
  /// - Parameters:
  ///   - findings: the problems.
  ///   - head: the members that every JSON answer begins with.
  public static func json(_ findings: [Finding], head: JSONHead) -> JSONValue {
    head.objectWithWindow.appending([
      "problems": .array(
        findings.map { finding in
          [
            "feed": .text(finding.feed?.name), "problem": .string(finding.problem),
            "reason": .string(finding.reason), "since": .moment(finding.since),
            "call_site": .text(finding.callSite),
          ]
        })
    ])
  }

  /// Whether no problem or limit is named, so that all problems are found.
  package var findsEverything: Bool { problems.isEmpty && maximumAge == nil && maximumRunning == nil }

  private var wanted: Set<FeedProblem> {
    if findsEverything { return Set(FeedProblem.allCases) }
    return maximumRunning == nil ? problems : problems.union([.overrunning])
  }

  /// Explains a problem of a feed.
  static func finding(
    _ problem: FeedProblem, _ status: FeedStatus, _ summary: StatusSummary, _ time: LocalTime
  ) -> Finding {
    let texts = ProblemText(status, summary: summary, time: time)
    let reason =
      switch problem {
      case .overrunning: "overrunning: \(texts.overrunning)"
      case .failing: "failing: \(status.lostLoad.map(texts.lost) ?? texts.failing)"
      case .late: texts.late
      case .unbalanced: texts.unbalanced
      }
    let origin = status.origin(of: problem, in: summary)
    return Finding(
      feed: status.feed, problem: problem.rawValue, reason: reason, since: origin.since,
      callSite: origin.callSite)
  }

  private func old(_ dates: FeedDates, _ limit: Int64, _ time: LocalTime, now: Int64) -> String? {
    guard let updated = dates.lastUpdated else { return "never updated" }
    // An update that is recorded while the store answers may be a little younger than the answer.
    guard updated.subtractingClamping(now) <= SessionTiming.jumpThreshold else {
      return "last updated \(time.minute(updated, near: now)), which is in the future; check the clock"
    }
    guard now.subtractingClamping(updated).multipliedClamping(by: 1000) > limit else { return nil }
    let age = AgeText.text(of: updated, at: now)
    let newest = now.subtractingClamping(limit / 1000)
    // Both may read the same if the age is only a little greater: then the difference says why the limit is exceeded.
    let isVisible = age != AgeText.text(of: newest, at: now)
    let excess = newest.subtractingClamping(updated).multipliedClamping(by: 1000)
    return "updated \(age); the limit is \(DurationText.limit(limit))"
      + (isVisible ? "" : ", exceeded by \(DurationText.measured(excess))")
  }
}

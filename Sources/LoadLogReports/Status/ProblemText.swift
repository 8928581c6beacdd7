import LoadLogCore

/// Explains in words what is wrong with a feed, for `status`, its checks and the report.
struct ProblemText {
  private let status: FeedStatus
  private let time: LocalTime
  private let now: Int64
  /// Whether the numbers are those of all time. The dates always are.
  private let isWhole: Bool
  private let isOfFleet: Bool

  init(_ status: FeedStatus, summary: StatusSummary, time: LocalTime) {
    self.status = status
    self.time = time
    now = summary.generated
    isWhole = summary.since == nil && summary.until == nil
    isOfFleet = summary.isOfFleet
  }

  /// "running since 06:29; 99 % take under 8.80 s", or "running since 06:29; the limit is 1 h".
  var overrunning: String {
    let count = status.numbers.overrunning ?? 0
    let since = status.oldestRunning?.started.wall ?? status.numbers.runningSince
    let parts = [
      count > 1 ? "\(Words.count(count)) overrunning, the oldest" : nil, "running",
      since.map { "since \(time.minute($0, near: now))" },
    ]
    let usual = Words.usual(maximum: status.usualMaximum, limit: status.runningLimit)
    return [parts.compactMap(\.self).joined(separator: " "), usual].compactMap(\.self).joined(separator: "; ")
  }

  /// "last run failed 02:10 (exit 2)", "last 3 runs failed, the newest 02:10", "never succeeded in 2 tries", or "1 load
  /// never finished".
  var failing: String {
    let dates = status.dates
    guard let lastFailed = dates.standingFailure else {
      return "\(Words.count(status.failures, "load")) never finished"
    }
    let reason = dates.lastFailure.map { " (\(VisibleText.line($0)))" } ?? ""
    if dates.lastUpdated == nil {
      // The dates cover all time, but the number of loads only the window. Loads that reported no outcome may have succeeded.
      let failed = status.numbers.failed.addingClamping(status.numbers.unbalanced.unfinished)
      return "never succeeded" + (isWhole ? " in \(tries(failed))" : "") + reason
    }
    let when = time.minute(lastFailed, near: now)
    guard status.failures > 1 else { return "last run failed \(when)\(reason)" }
    return "last \(Words.count(status.failures)) runs failed, the newest \(when)\(reason)"
  }

  /// "started 22:39, never finished: pid 13473 is gone"; of a fleet "started 22:39 on web-1, never finished: …".
  func lost(_ load: LoadingSession) -> String {
    let evidence = load.evidence.map { ": \(VisibleText.line($0))" } ?? ""
    let host = load.fleetHost.map { " on \(VisibleText.line($0))" } ?? ""
    return "started \(time.minute(load.started.wall, near: now))\(host), never finished\(evidence)"
  }

  /// "late: due 02:10, 1 h of grace; last success 1 d 7 h ago".
  var late: String {
    if let fault = status.expectation?.fault {
      return "late: its schedule cannot be read on this machine (\(VisibleText.line(fault)))"
    }
    let due = status.dueTime.map { "due \(ExpectationText.due($0, of: status, at: now, time))" }
    let grace = ExpectationText.grace(of: status).map { "\($0) of grace" }
    return "late: \([due, grace].compactMap(\.self).joined(separator: ", ")); \(lastSuccess)"
  }

  /// "3 unbalanced, not acknowledged".
  var unbalanced: String {
    "\(Words.count(status.numbers.unbalanced.unacknowledged)) unbalanced, not acknowledged"
  }

  /// "paused until 14:05"; nil if the feed's expectation is not paused.
  var paused: String? {
    guard status.isPaused, let pause = status.expectation?.pause else { return nil }
    let end = pause.until.map { "until \(time.minute($0, near: now))" }
    return "paused \(end ?? "since \(time.minute(pause.from, near: now)), until it is resumed")"
  }

  /// The last success started in the future; nil if it did not.
  var future: String? {
    guard status.dates.isSuccessInFuture(at: now), let start = status.dates.lastSuccessStarted else {
      return nil
    }
    return "last success started \(time.minute(start, near: now)), which is in the future; check the clock"
  }

  /// "1.8 × as long as before: median ~610 ms, was ~340 ms"; nil if the feed is not slower.
  func slower(_ glyphs: Glyphs) -> String? {
    guard let trend = status.trend, trend.isSlower else { return nil }
    let medians = [trend.recentMedian, trend.earlierMedian].map { glyphs.about + DurationText.measured($0) }
    let tenths = Int64(exactly: (trend.ratio * 10).rounded()) ?? .max
    return
      "\(Words.count(Int(tenths / 10))).\(tenths % 10) \(glyphs.times) as long as before: median \(medians[0]), was \(medians[1])"
  }

  /// "2 loads may be running: their owners cannot be seen from here".
  var unknown: String {
    let count = status.numbers.unknown
    let (owners, hosts, loads) =
      count == 1 ? ("its owner", "its host is", "it is") : ("their owners", "their hosts are", "they are")
    let reason =
      isOfFleet
      ? "\(hosts) silent, closed or retired, or \(loads) detached" : "\(owners) cannot be seen from here"
    return "\(Words.count(count, "load")) may be running: \(reason)"
  }

  private var lastSuccess: String {
    guard let updated = status.dates.lastUpdated else { return "never succeeded" }
    if status.dates.isSuccessInFuture(at: now) { return "last success in the future" }
    return "last success \(AgeText.text(of: updated, at: now))"
  }

  private func tries(_ count: Int) -> String { count == 1 ? "1 try" : "\(Words.count(count)) tries" }
}

public import LoadLogCore

/// Finds what `status --check` reports: one line per problem, nothing if all is well.
public struct StatusCheck: Sendable, Hashable {
  /// Maximum age of a feed's last update in nanoseconds; nil for no limit. A feed that was never updated
  /// exceeds it.
  public var maximumAge: Int64?
  /// Maximum time that a load may run, in nanoseconds; nil for no limit.
  public var maximumRunning: Int64?
  /// Whether to report feeds that are late. A feed is late only if its owner expects updates of it. Expectations
  /// cannot be recorded yet, so this finds nothing.
  public var findsLate: Bool

  /// Creates a check. Without any limit it reports unacknowledged imbalances and overrunning loads.
  public init(maximumAge: Int64? = nil, maximumRunning: Int64? = nil, findsLate: Bool = false) {
    self.maximumAge = maximumAge
    self.maximumRunning = maximumRunning
    self.findsLate = findsLate
  }

  /// Returns one line per problem of the feeds that match a filter, in the order of their names.
  ///
  /// - Parameters:
  ///   - reader: the store.
  ///   - filter: the feeds and the time window.
  ///   - zone: the zone of times in the lines.
  /// - Throws: what the reader throws.
  public func offenders(
    in reader: any LoadReading, _ filter: LoadFilter, zone: LocalZone
  ) throws(LoadLogError) -> [String] {
    let summary = try reader.status(filter, runningLimit: maximumRunning)
    let time = LocalTime(zone: zone)
    let isPlain = maximumAge == nil && maximumRunning == nil && !findsLate
    var offenders: [String] = []
    for status in summary.feeds {
      var faults: [String?] = []
      if isPlain { faults.append(unbalanced(status.numbers.unbalanced.unacknowledged)) }
      if isPlain || maximumRunning != nil { faults.append(overrunning(status, time, now: summary.generated)) }
      if let maximumAge { faults.append(old(status.dates, maximumAge, time, now: summary.generated)) }
      offenders += faults.compactMap(\.self).map { "\(VisibleText.line(status.feed.name)): \($0)" }
    }
    let known = summary.feeds.reduce(0) { $0 + $1.numbers.unbalanced.unacknowledged }
    if isPlain, let rest = unbalanced(summary.totals.unbalanced.unacknowledged - known) {
      offenders.append("(feed unknown): \(rest)")
    }
    return offenders
  }

  private func unbalanced(_ count: Int) -> String? {
    count > 0 ? "\(Words.count(count)) unbalanced, not acknowledged" : nil
  }

  private func overrunning(_ status: FeedStatus, _ time: LocalTime, now: Int64) -> String? {
    guard let count = status.numbers.overrunning, count > 0 else { return nil }
    let since = status.oldestRunning?.started.wall ?? status.numbers.runningSince
    let start = since.map { " since \(time.minute($0, near: now))" } ?? ""
    let usual = Words.usual(
      maximum: maximumRunning == nil ? status.usualMaximum : nil, limit: status.runningLimit ?? maximumRunning
    )
    return ["\(Words.count(count)) overrunning, running\(start)", usual].compactMap(\.self).joined(
      separator: "; ")
  }

  private func old(_ dates: FeedDates, _ limit: Int64, _ time: LocalTime, now: Int64) -> String? {
    guard let updated = dates.lastUpdated else { return "never updated" }
    // An update that is recorded while the store answers may be a little younger than the answer.
    guard updated.subtractingClamping(now) <= SessionTiming.jumpThreshold else {
      return "last updated \(time.minute(updated, near: now)), which is in the future; check the clock"
    }
    guard Age(of: updated, at: now).exceeds(limit) else { return nil }
    let age = AgeText.text(of: updated, at: now)
    let newest = now.subtractingClamping(limit / 1000)
    // Both may read the same if the age is only a little greater: then the difference says why the limit is exceeded.
    let isVisible = age != AgeText.text(of: newest, at: now)
    let excess = newest.subtractingClamping(updated).multipliedClamping(by: 1000)
    return "updated \(age); the limit is \(DurationText.limit(limit))"
      + (isVisible ? "" : ", exceeded by \(DurationText.measured(excess))")
  }
}

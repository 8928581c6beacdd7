public import LoadLogCore

/// `status --check`: what is wrong, a line an offender; nothing when all is well.
public struct StatusCheck: Sendable, Hashable {
  /// A feed's last update must not be older, in nanoseconds; a feed never updated is too old.
  public var maximumAge: Int64?
  /// No load may run longer, in nanoseconds.
  public var maximumRunning: Int64?
  /// A feed's last success must not be older than three times the usual gap between its successes; see
  /// ``UpdateHabit``.
  public var findsLate: Bool

  /// Makes a check. Without any limit it looks for unacknowledged imbalances and overdue loads.
  public init(maximumAge: Int64? = nil, maximumRunning: Int64? = nil, findsLate: Bool = false) {
    self.maximumAge = maximumAge
    self.maximumRunning = maximumRunning
    self.findsLate = findsLate
  }

  /// The offenders among the feeds that the filter lets through, by name.
  public func offenders(
    in reader: any LoadReading, _ filter: LoadFilter, zone: LocalZone
  ) throws(LoadLogError) -> [String] {
    let summary = try reader.status(filter, overdueLimit: maximumRunning)
    let time = LocalTime(zone: zone)
    let isPlain = maximumAge == nil && maximumRunning == nil && !findsLate
    var offenders: [String] = []
    for status in summary.feeds {
      var faults: [String?] = []
      if isPlain { faults.append(unbalanced(status.numbers.unbalanced.unacknowledged)) }
      if isPlain || maximumRunning != nil { faults.append(overdue(status, time, now: summary.generated)) }
      if let maximumAge { faults.append(old(status.dates, maximumAge, now: summary.generated)) }
      if findsLate { faults.append(try late(status, reader, now: summary.generated)) }
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

  private func overdue(_ status: FeedStatus, _ time: LocalTime, now: Int64) -> String? {
    guard let count = status.numbers.overdue, count > 0 else { return nil }
    let since = status.oldestRunning?.started.wall ?? status.numbers.runningSince
    let start = since.map { " since \(time.minute($0, near: now))" } ?? ""
    let usual = Words.usual(
      maximum: maximumRunning == nil ? status.usualMaximum : nil, limit: status.overdueLimit ?? maximumRunning
    )
    return ["\(Words.count(count)) overdue, running\(start)", usual].compactMap(\.self).joined(
      separator: "; ")
  }

  private func old(_ dates: FeedDates, _ limit: Int64, now: Int64) -> String? {
    guard let updated = dates.lastUpdated else { return "never updated" }
    guard Age(of: updated, at: now).exceeds(limit) else { return nil }
    return "updated \(AgeText.text(of: updated, at: now)); the limit is \(DurationText.limit(limit))"
  }

  private func late(
    _ status: FeedStatus, _ reader: any LoadReading, now: Int64
  ) throws(LoadLogError) -> String? {
    let successes = try reader.successes(of: status.feed, limit: UpdateHabit.successes)
    guard let habit = UpdateHabit(of: successes), habit.isLate(at: now) else { return nil }
    return "last success \(AgeText.text(of: habit.last, at: now)), "
      + "usually every \(DurationText.measured(habit.gap))"
  }
}

public import LoadLogCore

/// `status --check`: what is wrong, a line an offender; nothing when all is well.
public struct StatusCheck: Sendable, Hashable {
  /// A feed's last update must not be older, in nanoseconds; a feed never updated is too old.
  public var maximumAge: Int64?
  /// No load may run longer, in nanoseconds.
  public var maximumRunning: Int64?
  /// A feed's last success must not be older than ``lateFactor`` times the usual gap between successes.
  public var findsLate: Bool

  /// How many usual gaps make a feed late.
  public static let lateFactor: Int64 = 3
  /// How many of the last successes tell the usual gap.
  public static let lateSuccesses = 20

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
    guard isOlder(updated, than: limit, now: now) else { return nil }
    return "updated \(AgeText.text(of: updated, at: now)), allowed are \(DurationText.limit(limit))"
  }

  private func late(
    _ status: FeedStatus, _ reader: any LoadReading, now: Int64
  ) throws(LoadLogError) -> String? {
    let successes = try reader.successes(of: status.feed, limit: Self.lateSuccesses)
    guard let last = successes.first, let gap = Self.medianGap(of: successes) else { return nil }
    guard isOlder(last, than: gap.multipliedClamping(by: Self.lateFactor), now: now) else { return nil }
    return "last success \(AgeText.text(of: last, at: now)), usually every \(DurationText.measured(gap))"
  }

  /// Half the gaps between successes are no longer, in nanoseconds; nil for fewer than three successes,
  /// which have no habit yet.
  static func medianGap(of successes: [Int64]) -> Int64? {
    guard successes.count >= 3 else { return nil }
    let sorted = successes.sorted()
    let gaps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }.sorted()
    let middle = gaps.count / 2
    let median = gaps.count.isMultiple(of: 2) ? gaps[middle - 1] / 2 + gaps[middle] / 2 : gaps[middle]
    return median.multipliedClamping(by: 1000)
  }

  private func isOlder(_ moment: Int64, than nanoseconds: Int64, now: Int64) -> Bool {
    let (age, overflow) = now.subtractingReportingOverflow(moment)
    return overflow || age.multipliedClamping(by: 1000) > nanoseconds
  }
}

package import LoadLogCore

/// A window of starts, divided into whole UTC days, which counters know, and parts of days, which only rows know.
package struct StatusWindow {
  /// The window has no bounds: the counters of all time are the answer.
  package let isAllTime: Bool
  /// The whole days, by number. Over all time the number of the counters of all time.
  package let days: Range<Int64>
  /// The parts of days, each within one day; wall times in microseconds.
  package let cuts: [Range<Int64>]
  /// The whole window; wall times in microseconds.
  package let bounds: Range<Int64>

  package init(_ filter: LoadFilter) {
    isAllTime = filter.since == nil && filter.until == nil
    let since = max(0, filter.since ?? 0)
    let until = max(since, filter.until ?? .max)
    // The first day holds everything that is dated before it.
    let lowest = since > 0 ? since : .min
    bounds = lowest..<max(lowest, filter.until.map { $0 > 0 ? $0 : .min } ?? .max)
    guard !isAllTime else {
      (days, cuts) = (SummaryKey.allTime..<0, [])
      return
    }
    let (first, last) = (UTCDay(of: since), UTCDay(of: until))
    let firstWhole = first.start == since ? first : first.next
    guard firstWhole <= last else {
      // A part without a moment would count the whole of a day that cannot be cut.
      (days, cuts) = (0..<0, [since..<until].filter { !$0.isEmpty })
      return
    }
    days = firstWhole.number..<(filter.until == nil ? .max : last.number)
    var cuts = [since..<firstWhole.start]
    if filter.until != nil { cuts.append(last.start..<until) }
    self.cuts = cuts.filter { !$0.isEmpty }
  }
}

extension LoadFilter {
  /// The filter with whole days for the parts of days in its window.
  package var ofWholeDays: LoadFilter {
    let cut = StatusWindow(self).cuts.map { UTCDay(of: $0.lowerBound) }
    var filter = self
    if let since, cut.contains(UTCDay(of: since)) { filter.since = UTCDay(of: since).start }
    if let until, cut.contains(UTCDay(of: until)) { filter.until = UTCDay(of: until).next.start }
    return filter
  }
}

import LoadLogCore

/// A window of starts, cut into whole UTC days, which summaries know, and the rest of cut days, which only
/// rows do.
struct StatusWindow {
  /// There are no bounds: the rows over all time are the answer.
  let isAllTime: Bool
  /// The whole days, by number.
  let days: Range<Int64>
  /// Parts of days, each within one; wall times in microseconds.
  let cuts: [Range<Int64>]
  /// All of it; wall times in microseconds.
  let bounds: Range<Int64>

  init(_ filter: LoadFilter) {
    isAllTime = filter.since == nil && filter.until == nil
    let since = max(0, filter.since ?? 0)
    let until = max(since, filter.until ?? .max)
    // The first day holds all that is dated before it.
    let lowest = since > 0 ? since : .min
    bounds = lowest..<max(lowest, filter.until ?? .max)
    let (first, last) = (UTCDay(of: since), UTCDay(of: until))
    let firstWhole = first.start == since ? first : first.next
    guard firstWhole <= last else {
      (days, cuts) = (0..<0, [since..<until])
      return
    }
    days = firstWhole.number..<(filter.until == nil ? .max : last.number)
    var cuts = [since..<firstWhole.start]
    if filter.until != nil { cuts.append(last.start..<until) }
    self.cuts = cuts.filter { !$0.isEmpty }
  }
}

import GRDB
public import LoadLogCore

extension SQLiteLoadReader {
  /// Computes busy time and peak depth of the feeds and of the store, from rows. Blocks the thread.
  ///
  /// Takes longer the more loads the window has, and therefore has no deadline. It consists of one short read
  /// per day, each with the state of its own moment.
  ///
  /// - Parameters:
  ///   - filter: the feeds, and the time window; the rest is ignored. With feeds, the result has no sum for
  ///     the store.
  ///   - progress: receives the number of days done and the total after each day.
  /// - Returns: times in nanoseconds. Days with pruned loads have approximate values.
  /// - Throws: `damaged`, `io`, or what opening the store throws.
  public func busy(
    _ filter: LoadFilter, progress: (_ done: Int64, _ total: Int64) -> Void
  ) throws(LoadLogError) -> BusySummary {
    let window = StatusWindow(filter)
    // Each read takes one day, so that no long read keeps the write-ahead log from being checkpointed.
    var (days, names, last) = try read(hasDeadline: false) { query in try query.beginning(filter, window) }
    var sums: BusyDays.Times = [:]
    let first = SummaryKey.day(of: max(window.bounds.lowerBound, 0))
    func add(_ range: Range<Int64>) throws(LoadLogError) {
      let before = days
      let times = try read(hasDeadline: false) { query in
        // A read may be made twice.
        days = before
        return try days.next(range, in: query.database) { try query.wallEnd($0) }
      }
      for (feed, time) in times { sums[feed, default: BusyTime()].merge(time) }
    }
    func day(from number: Int64) throws(LoadLogError) -> Int64 {
      try read(hasDeadline: false) { query in
        try CurrentSummaries(query.database).firstDay(from: number) ?? .max
      }
    }
    var number = first
    var begun: Int64?
    while number <= last || days.isAnythingOpen {
      let counted = try day(from: number)
      // Nothing starts before the next counted day, but loads may be open.
      if days.isAnythingOpen, number < counted { try add(number..<counted) }
      guard counted <= last else { break }
      try add(counted..<counted + 1)
      number = counted + 1
      begun = begun ?? counted
      progress(number - (begun ?? counted), last - (begun ?? counted) + 1)
    }
    var summary = BusySummary(store: filter.feeds.isEmpty ? sums[SummaryKey.store] ?? BusyTime() : nil)
    for (row, feed) in names { summary.feeds[feed] = sums[row] ?? BusyTime() }
    return summary
  }
}

extension RecordQuery {
  /// What computing busy time begins with: what reaches into the window, the feeds by row, and the last counted day.
  fileprivate func beginning(
    _ filter: LoadFilter, _ window: StatusWindow
  ) throws -> (BusyDays, [Int64: Feed], Int64) {
    let names = Dictionary(try feeds(filter).map { ($0.row, $0.status.feed) }) { first, _ in first }
    let chosen = filter.feeds.isEmpty ? nil : Set(names.keys)
    var days = BusyDays(window.bounds, of: chosen)
    if let since = filter.since, since > 0 {
      // Whole UTC days are read: what began on the window's first day is found there.
      let start = UTCDay(of: since).start
      for session in try LoadReach(database, of: chosen).sessions(openAt: start) {
        let end = try wallEnd(session)
        if end > start.multipliedClamping(by: 1000) { days.carry(session, end: end) }
      }
    }
    let lastCounted = try CurrentSummaries(database).lastDay() ?? 0
    let until = window.bounds.upperBound.subtractingClamping(1)
    return (days, names, min(SummaryKey.day(of: until), lastCounted))
  }
}

import GRDB
public import LoadLogCore

extension SQLiteLoadReader {
  public func busy(
    _ filter: LoadFilter, progress: (_ done: Int64, _ total: Int64) -> Void
  ) throws(LoadLogError) -> BusySummary {
    let window = StatusWindow(filter)
    // Each read takes one day, so that no long read keeps the write-ahead log from being checkpointed.
    var (days, names, last) = try read(hasDeadline: false) { query in try query.beginning(filter, window) }
    var sums: [Int64: BusyTime] = [:]
    let first = SummaryKey.day(of: max(window.bounds.lowerBound, 0))
    var day = try read(hasDeadline: false) { query in
      try days.isAnythingOpen ? first : BusyDays.next(from: first, in: query.database)
    }
    let begun = day ?? first
    while let number = day, number <= last {
      let found = try read(hasDeadline: false) { query in
        try days.day(number, in: query.database) { try query.wallEnd($0) }
      }
      for (feed, time) in found.times { sums[feed, default: BusyTime()].merge(time) }
      progress(number - begun + 1, last - begun + 1)
      day =
        try days.isAnythingOpen
        ? number + 1
        : read(hasDeadline: false) { query in
          try BusyDays.next(from: number + 1, in: query.database)
        }
    }
    var summary = BusySummary(store: filter.feeds.isEmpty ? sums[SummaryKey.store] ?? BusyTime() : nil)
    for (row, feed) in names { summary.feeds[feed] = sums[row] ?? BusyTime() }
    return summary
  }
}

extension RecordQuery {
  /// What computing busy time begins with: what reaches into the window, the feeds by row, and the last day.
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
    let greatest =
      try Int64.fetchOne(
        database, sql: "SELECT max(day) FROM summary WHERE feed = \(SummaryKey.store)") ?? 0
    let until = min(window.bounds.upperBound, max(now.wall, UTCDay(number: greatest).end))
    return (days, names, SummaryKey.day(of: until.subtractingClamping(1)))
  }
}

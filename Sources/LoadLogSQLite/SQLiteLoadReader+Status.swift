import GRDB
public import LoadLogCore

extension SQLiteLoadReader {
  /// The numbers of the feeds that the filter lets through.
  public func status(_ filter: LoadFilter, overdueLimit: Int64?) throws(LoadLogError) -> StatusSummary {
    try read { query in
      var tally = try StatusTally(query, filter, overdueLimit: overdueLimit)
      return try tally.summary()
    }
  }

  /// The numbers of each whole day on which loads of the filter's feeds started.
  public func days(_ filter: LoadFilter) throws(LoadLogError) -> [DayNumbers] {
    try read { query in
      var sweeps = try query.sweeps()
      var feeds: [(row: Int64, feed: Feed?)] = filter.feeds.isEmpty ? [(SummaryKey.store, nil)] : []
      feeds += try query.feeds(filter).map { ($0.row, $0.status.feed) }
      let window = StatusWindow(filter)
      let summaries = try CurrentSummaries(query.database)
      var days: [DayNumbers] = []
      for (row, feed) in feeds {
        for (day, summary) in try summaries.days(of: row, window.days) where summary.loads > 0 {
          let time = try sweeps.day(SummaryKey(feed: row, day: day)).time
          var numbers = summary.numbers
          numbers.busy = time.busy
          numbers.peakDepth = time.peakDepth
          numbers.duration = summary.durations.statistics()
          numbers.durationSucceeded = summary.succeeded.statistics()
          days.append(
            DayNumbers(
              feed: feed, day: UTCDay(number: day), numbers: numbers, succeeded: summary.succeeded,
              others: summary.others))
        }
      }
      return days
    }
  }
}

extension SQLiteLoadReader {
  /// How many rows of the summaries do not say what the loads themselves do; counts all of them.
  package func summaryFaults() throws(LoadLogError) -> Int {
    try read { query in try SummaryRecount(query.database).faults { try query.wallEnd($0) } }
  }
}

extension RecordQuery {
  /// Busy time and depth up to now.
  func sweeps() throws -> DaySweeps {
    var sweeps = try DaySweeps(database) { try self.wallEnd($0) }
    try sweeps.settle(upTo: nil)
    try sweeps.finish()
    return sweeps
  }

  /// The feeds that a filter lets through, by name, with their dates.
  func feeds(_ filter: LoadFilter) throws -> [(row: Int64, status: FeedStatus)] {
    let rows = try RawStatement(
      database,
      "SELECT feed.id, feed.name, feed.pops_after_reset, \(FeedDates.columns) FROM \(FeedDates.source)")
    var feeds: [(row: Int64, status: FeedStatus)] = []
    try rows.forEach { row in
      let feed = Feed(try row.text(1) ?? "")
      guard filter.admits(feed) else { return }
      var status = FeedStatus(feed: feed, dates: try FeedDates(row, from: 3))
      status.numbers.popsAfterReset = Int(try row.number(2))
      feeds.append((try row.number(0), status))
    }
    return feeds.sorted { $0.status.feed < $1.status.feed }
  }
}

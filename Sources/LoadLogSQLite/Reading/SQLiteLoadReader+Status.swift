import GRDB
public import LoadLogCore

extension SQLiteLoadReader {
  /// The dates and numbers of each feed and of the store, as of one moment, without busy time and peak depth.
  ///
  /// - Parameters:
  ///   - filter: the feeds, and the time window of the loads' starts; the rest is ignored.
  ///   - runningLimit: nanoseconds after which a running load is overrunning; nil for the limit of the feed's expectation,
  ///     else one that is derived from its usual durations.
  /// - Throws: `busy` if the answer takes longer than the deadline; `damaged`, `io`, or what opening the
  ///   store throws.
  public func status(_ filter: LoadFilter, runningLimit: Int64?) throws(LoadLogError) -> StatusSummary {
    try read { query in
      var answer = try StatusAnswer(query, filter, runningLimit: runningLimit)
      return try answer.summary()
    }
  }

  /// The dates and numbers of each feed and of the store, with the durations of some feeds, as of one moment.
  ///
  /// - Parameters:
  ///   - filter: the feeds, and the time window of the loads' starts; the rest is ignored.
  ///   - runningLimit: nanoseconds after which a running load is overrunning; nil for the limit of the feed's expectation,
  ///     else one that is derived from its usual durations.
  ///   - choose: returns the feeds whose durations are wanted, given the answer without any.
  /// - Throws: `busy` if the answer takes longer than the deadline; `damaged`, `io`, or what opening the
  ///   store throws.
  public func status(
    _ filter: LoadFilter, runningLimit: Int64?, durationsOf choose: (StatusSummary) -> Set<Feed>
  ) throws(LoadLogError) -> StatusSummary {
    try read { query in
      var answer = try StatusAnswer(query, filter, runningLimit: runningLimit, hasDurations: false)
      var summary = try answer.summary()
      try answer.addDurations(of: choose(summary), to: &summary)
      return summary
    }
  }

  /// The numbers of each UTC day with loads: those of all matching feeds together, then those of single feeds, by
  /// feed name and day.
  ///
  /// - Parameters:
  ///   - filter: the feeds, and the time window; only days that lie completely in the window are included. The rest is
  ///     ignored.
  ///   - listed: the matching feeds whose days are listed.
  /// - Throws: `busy` if the answer takes longer than the deadline; `damaged`, `io`, or what opening the
  ///   store throws.
  public func days(_ filter: LoadFilter, listing listed: Set<Feed>) throws(LoadLogError) -> [DayNumbers] {
    try read { query in
      // The store has counters of its own: of its feeds, only the listed ones are looked up.
      let isWhole = filter.feeds.isEmpty
      let wanted = isWhole ? LoadFilter(feeds: listed.map(FeedPattern.init(exactly:))) : filter
      let feeds = isWhole && listed.isEmpty ? [] : try query.feeds(wanted).map { ($0.row, $0.status.feed) }
      let names = Dictionary(feeds.filter { listed.contains($0.1) }) { first, _ in first }
      let counted = isWhole ? Set(names.keys).union([SummaryKey.store]) : Set(feeds.map(\.0))
      let window = StatusWindow(filter)
      let whole = window.isAllTime ? 0..<Int64.max : window.days
      var sums: [Int64: Summary] = [:]
      var days: [DayNumbers] = []
      var verdicts: [SummaryKey: [SessionState]] = [:]
      for (session, state) in try query.inferredVerdicts() {
        let key = SummaryKey(feed: session.feedRow, day: SummaryKey.day(of: session.started.wall))
        for total in key.totals { verdicts[total, default: []].append(state) }
      }
      try CurrentSummaries(query.database).forEach(days: whole, of: counted) { key, summary in
        guard summary.loads > 0 else { return }
        var summary = summary
        for state in verdicts[key] ?? [] { summary[state] += 1 }
        if !isWhole || key.feed == SummaryKey.store { sums[key.day, default: Summary()].merge(summary) }
        if let feed = names[key.feed] { days.append(summary.dayNumbers(of: feed, on: key.day)) }
      }
      let together = sums.map { $0.value.dayNumbers(of: nil, on: $0.key) }
      return (together + days).sorted { ($0.feed?.name ?? "", $0.day) < ($1.feed?.name ?? "", $1.day) }
    }
  }

  /// The numbers of each feed for each hour with loads, by feed name and hour, counted from rows.
  ///
  /// - Parameter filter: the feeds, and the time window of the loads' starts; the rest is ignored.
  /// - Throws: `busy` if the answer takes longer than the deadline; `damaged`, `io`, or what opening the
  ///   store throws.
  public func hours(_ filter: LoadFilter) throws(LoadLogError) -> [HourNumbers] {
    try read { query in
      let rows = RowCount(database: query.database)
      let verdicts = Dictionary(
        try query.inferredVerdicts().map { ($0.session.row, $0.state) }
      ) { first, _ in first }
      var hours: [HourNumbers] = []
      for (row, status) in try query.feeds(filter) {
        try rows.sessions("started_at, state, duration, seq", of: row, StatusWindow(filter).bounds).forEach {
          session in
          let start = try session.number(0)
          if hours.last.map({ $0.feed == status.feed && $0.contains(start) }) != true {
            hours.append(HourNumbers(feed: status.feed, containing: start))
          }
          let state = try verdicts[session.number(3)] ?? session.state(1)
          hours[hours.count - 1].count(state, duration: try session.integer(2))
        }
      }
      return hours
    }
  }

  /// The number of counters that disagree with the rows; counts all of them.
  package func summaryFaults() throws(LoadLogError) -> Int {
    try read { query in try SummaryRecount(query.database).faults() }
  }
}

extension Summary {
  fileprivate func dayNumbers(of feed: Feed?, on day: Int64) -> DayNumbers {
    DayNumbers(
      feed: feed, day: UTCDay(number: day), numbers: numbers, succeeded: succeeded, others: others)
  }
}

extension RecordQuery {
  private enum Column: Int32, ColumnList { case id, name, overlaps }

  /// The feeds that a filter lets through, by name, with their dates.
  func feeds(_ filter: LoadFilter) throws -> [(row: Int64, status: FeedStatus)] {
    // A page asks about one feed after another of a store that may have thousands: find named feeds by the index.
    let names = filter.exactNames.flatMap { $0.count <= 200 ? $0 : nil }
    let condition = names.map {
      "AND feed.name IN (\(repeatElement("?", count: $0.count).joined(separator: ", ")))"
    }
    let rows = try RawStatement(
      database,
      "SELECT \(Column.list(of: "feed")), \(FeedDates.columns) FROM \(FeedDates.source) WHERE \(FeedDates.known) \(condition ?? "") ORDER BY feed.name"
    )
    for (index, name) in (names ?? []).enumerated() { rows.bind(Int32(index + 1), name) }
    var feeds: [(row: Int64, status: FeedStatus)] = []
    try rows.forEach { row in
      let feed = Feed(try row.text(Column.name) ?? "")
      guard filter.admits(feed) else { return }
      let dates = try FeedDates(row, from: Column.columnCount)
      var status = FeedStatus(feed: feed, dates: dates)
      status.overlaps = Summary.bounded(try row.number(Column.overlaps))
      feeds.append((try row.number(Column.id), status))
    }
    // SQLite has sorted them by their bytes, so that few of these large values are moved.
    feeds.sort { $0.status.feed < $1.status.feed }
    return feeds
  }
}

public import LoadLogCore

extension ReportContents {
  /// Asks a store for all that a page tells of the feeds that the filter lets through.
  ///
  /// These are several questions, each answered as of its own moment. Blocks the thread.
  ///
  /// - Parameters:
  ///   - reader: the store to ask.
  ///   - filter: which feeds, and which window. Charts by day show the whole days that it touches.
  ///   - store: the store's path.
  /// - Throws: what the store throws.
  public init(reading reader: any LoadReading, _ filter: LoadFilter, store: String) throws(LoadLogError) {
    try self.init(
      try reader.status(filter, overdueLimit: nil), store: store,
      days: { first, last throws(LoadLogError) in
        try reader.days(LoadFilter(feeds: filter.feeds, since: first.start, until: last.end))
      },
      successes: { feed throws(LoadLogError) in
        try reader.successes(of: feed, limit: UpdateHabit.successes)
      },
      loads: { feed, window throws(LoadLogError) in
        try reader.history(
          LoadFilter(
            feeds: [FeedPattern(exactly: feed)], since: window.lowerBound, until: window.upperBound,
            limit: Self.loadLimit))
      },
      busy: { feeds throws(LoadLogError) in
        try reader.busy(
          LoadFilter(feeds: feeds.map(FeedPattern.init(exactly:)), since: filter.since, until: filter.until)
        ) { _, _ in }
      })
  }
}

public import LoadLogCore

extension ReportContents {
  /// Reads the contents of a page from a store. Blocks the thread.
  ///
  /// Asks several questions, each of which is answered as of its own moment.
  ///
  /// - Parameters:
  ///   - reader: the store.
  ///   - filter: the feeds and the time window. Charts show every day, or hour, that the window touches.
  ///   - store: the store's path.
  ///   - limits: how many feeds are shown in full.
  /// - Throws: what the reader throws.
  public init(
    reading reader: any LoadReading, _ filter: LoadFilter, store: String, limits: Limits = .report
  ) throws(LoadLogError) {
    try self.init(
      try reader.status(filter, runningLimit: nil) { summary in
        Set(Self.full(of: summary, limits.full).map(\.feed))
      }, store: store, limits: limits,
      days: { first, last, feeds throws(LoadLogError) in
        try reader.days(
          LoadFilter(feeds: filter.feeds, since: first.start, until: last.end), listing: feeds)
      },
      hours: { span throws(LoadLogError) in
        try reader.hours(LoadFilter(feeds: filter.feeds, since: span.lowerBound, until: span.upperBound))
      },
      successes: { feeds throws(LoadLogError) in
        try reader.successes(of: feeds, limit: UpdateHabit.successes)
      },
      loads: { feed, window throws(LoadLogError) in
        try reader.history(
          LoadFilter(
            feeds: [FeedPattern(exactly: feed)], since: window.lowerBound, until: window.upperBound,
            limit: Self.loadLimit))
      },
      failures: { feed throws(LoadLogError) in
        try reader.history(
          LoadFilter(
            feeds: [FeedPattern(exactly: feed)], since: filter.since, until: filter.until, states: [.failed],
            limit: Self.failureLimit)
        ).loads
          // A load that began before the window overlaps it, but is not counted in it.
          .filter { $0.started.wall >= filter.since ?? .min }
      },
      busy: { feeds throws(LoadLogError) in
        try reader.busy(
          LoadFilter(feeds: feeds.map(FeedPattern.init(exactly:)), since: filter.since, until: filter.until)
        ) { _, _ in }
      })
    flips = try reader.flips(LoadFilter(feeds: filter.feeds))
  }
}

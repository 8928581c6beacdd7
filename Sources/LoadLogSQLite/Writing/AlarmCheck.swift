package import LoadLogCore

/// Looks at all feeds of a record once, and writes the flips that it notices.
package struct AlarmCheck {
  private let reader: any LoadReading
  private let filter: LoadFilter
  private let book: FlipBook
  private let describe: (StatusSummary, CheckGap?) throws(LoadLogError) -> [FoundState]

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - reader: the store, or the fleet.
  ///   - filter: the feeds; the rest is ignored.
  ///   - book: writes to the same store; for a fleet, to one of its own.
  ///   - describe: says in what state the feeds of a summary are, and why. What else it finds is as feeds that the filter
  ///     lets through.
  package init(
    _ reader: any LoadReading, _ filter: LoadFilter, _ book: FlipBook,
    describe: @escaping (StatusSummary, CheckGap?) throws(LoadLogError) -> [FoundState]
  ) {
    self.reader = reader
    self.filter = LoadFilter(feeds: filter.feeds)
    self.book = book
    self.describe = describe
  }

  /// Checks once.
  ///
  /// - Parameter gap: the last time in which nothing was checked. Lateness that arose in it waits a little.
  /// - Returns: the status of the feeds, the newest flip of each that has one, and whether lateness waits.
  package func run(
    after gap: CheckGap?
  ) throws(LoadLogError) -> (summary: StatusSummary, newest: [FeedFlip], isDeferred: Bool) {
    let summary = try reader.status(filter, runningLimit: nil)
    let now = summary.generated
    let described = try describe(summary, gap)
    let known = Set(described.map(\.status.feed))
    let all = described + (try forgotten(known, summary))
    let found = all.filter { $0.state != .late || gap?.defers($0.since, at: now) != true }
    try book.note(found, at: now)
    let newest = try book.newest().values.filter { known.contains($0.feed) || filter.admits($0.feed) }
      .sorted { $0.feed < $1.feed }
    return (summary, newest, found.count < all.count)
  }

  /// The feeds with a problem that nothing is known of any more, such as one without loads whose expectation was removed.
  private func forgotten(
    _ known: Set<Feed>, _ summary: StatusSummary
  ) throws(LoadLogError) -> [FoundState] {
    try book.newest().keys.filter { filter.admits($0) && !known.contains($0) }.sorted().map {
      FoundState(FeedStatus(feed: $0), in: summary, reason: nil)
    }
  }
}

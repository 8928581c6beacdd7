package import LoadLogCore

/// Looks at all feeds of a store once, and writes the flips that it notices.
package struct AlarmCheck {
  private let reader: SQLiteLoadReader
  private let filter: LoadFilter
  private let book: FlipBook
  private let describe: (StatusSummary, CheckGap?) -> [FoundState]

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - reader: the store.
  ///   - filter: the feeds; the rest is ignored.
  ///   - book: writes to the same store.
  ///   - describe: says in what state the feeds of a summary are, and why.
  package init(
    _ reader: SQLiteLoadReader, _ filter: LoadFilter, _ book: FlipBook,
    describe: @escaping (StatusSummary, CheckGap?) -> [FoundState]
  ) {
    self.reader = reader
    self.filter = LoadFilter(feeds: filter.feeds)
    self.book = book
    self.describe = describe
  }

  /// Checks once.
  ///
  /// - Parameter gap: the last time in which nothing was checked. Lateness that arose in it waits a little.
  /// - Returns: the status of the feeds, and the newest flip of each that has one.
  package func run(after gap: CheckGap?) throws(LoadLogError) -> (summary: StatusSummary, newest: [FeedFlip])
  {
    let summary = try reader.status(filter, runningLimit: nil)
    let now = summary.generated
    let found = describe(summary, gap).filter { found in
      found.state != .late || gap?.defers(found.since, at: now) != true
    }
    try book.note(found, at: now)
    let newest = try book.newest().values.filter { filter.admits($0.feed) }.sorted { $0.feed < $1.feed }
    return (summary, newest)
  }
}

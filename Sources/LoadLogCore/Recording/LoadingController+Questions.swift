public import Foundation

/// The most frequent questions. `ask(_:)` asks all others, has a form that blocks the thread, and says how long an answer
/// may take and what it knows: while loads are recorded in memory, only those of this run.
extension LoadingController {
  /// When the feed was last loaded successfully; nil if never. A failure does not change it.
  /// While loads are recorded in memory, nil means: not in this run (``failure`` says so).
  ///
  /// - Throws: `invalidInput`, `busy`, `closed`, or the error that keeps the record from being read.
  public func lastUpdated(_ feed: Feed) async throws(LoadLogError) -> Date? {
    try await dates(of: feed)?.lastUpdated.map(Date.init(microseconds:))
  }

  /// When the feed was last loaded successfully; nil if never. A failure does not change it. Blocks the thread.
  /// While loads are recorded in memory, nil means: not in this run (``failure`` says so).
  ///
  /// - Throws: `invalidInput`, `busy`, `closed`, or the error that keeps the record from being read.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func lastUpdated(_ feed: Feed) throws(LoadLogError) -> Date? {
    try feed.validated()
    return try readableStore().dates(of: feed)?.lastUpdated.map(Date.init(microseconds:))
  }

  /// All dates of the feed; nil if no load of it was ever recorded.
  ///
  /// - Throws: `invalidInput`, `busy`, `closed`, or the error that keeps the record from being read.
  public func dates(of feed: Feed) async throws(LoadLogError) -> FeedDates? {
    try feed.validated()
    return try await read { (record) throws(LoadLogError) in try record.dates(of: feed) }
  }

  /// The numbers of the feeds that match the filter.
  ///
  /// - Throws: `busy`, `closed`, or the error that keeps the record from being read.
  public func status(_ filter: LoadFilter = LoadFilter()) async throws(LoadLogError) -> StatusSummary {
    try await read { (record) throws(LoadLogError) in try record.status(filter, runningLimit: nil) }
  }

  /// The loads that match the filter, newest first.
  ///
  /// - Throws: `busy`, `closed`, or the error that keeps the record from being read.
  public func history(_ filter: LoadFilter = LoadFilter()) async throws(LoadLogError) -> LoadPage {
    try await read { (record) throws(LoadLogError) in try record.history(filter) }
  }

  /// Every push without a pop and every pop without a push that match the filter, newest first.
  ///
  /// - Throws: `busy`, `closed`, or the error that keeps the record from being read.
  public func unbalanced(_ filter: LoadFilter = LoadFilter()) async throws(LoadLogError) -> [Imbalance] {
    try await read { (record) throws(LoadLogError) in try record.unbalanced(filter) }
  }
}

public import Foundation

/// The most frequent questions, each in an `async` form and in one that blocks the thread.
extension LoadingController {
  /// When the feed was last loaded successfully; nil if never. A failure does not change it.
  ///
  /// - Throws: `invalidInput`; `busy` at the deadline; `closed`; the error that keeps the record from being read.
  public func lastUpdated(_ feed: Feed) async throws(LoadLogError) -> Date? {
    try await dates(of: feed)?.lastUpdated.map(Date.init(microseconds:))
  }

  /// When the feed was last loaded successfully; nil if never. A failure does not change it. Blocks the thread.
  ///
  /// - Throws: `invalidInput`; `busy` at the deadline; `closed`; the error that keeps the record from being read.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func lastUpdated(_ feed: Feed) throws(LoadLogError) -> Date? {
    try dates(of: feed)?.lastUpdated.map(Date.init(microseconds:))
  }

  /// All dates of the feed; nil if no load of it was ever recorded.
  ///
  /// - Throws: `invalidInput`; `busy` at the deadline; `closed`; the error that keeps the record from being read.
  public func dates(of feed: Feed) async throws(LoadLogError) -> FeedDates? {
    try feed.validated()
    return try await read { (record) throws(LoadLogError) in try record.dates(of: feed) }
  }

  /// All dates of the feed; nil if no load of it was ever recorded. Blocks the thread.
  ///
  /// - Throws: `invalidInput`; `busy` at the deadline; `closed`; the error that keeps the record from being read.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func dates(of feed: Feed) throws(LoadLogError) -> FeedDates? {
    try feed.validated()
    return try readableStore().dates(of: feed)
  }

  /// The numbers of the feeds that match the filter.
  ///
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the record from being read.
  public func status(_ filter: LoadFilter = LoadFilter()) async throws(LoadLogError) -> StatusSummary {
    try await read { (record) throws(LoadLogError) in try record.status(filter, runningLimit: nil) }
  }

  /// The numbers of the feeds that match the filter. Blocks the thread.
  ///
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the record from being read.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func status(_ filter: LoadFilter = LoadFilter()) throws(LoadLogError) -> StatusSummary {
    try readableStore().status(filter, runningLimit: nil)
  }

  /// The loads that match the filter, newest first.
  ///
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the record from being read.
  public func history(_ filter: LoadFilter = LoadFilter()) async throws(LoadLogError) -> LoadPage {
    try await read { (record) throws(LoadLogError) in try record.history(filter) }
  }

  /// The loads that match the filter, newest first. Blocks the thread.
  ///
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the record from being read.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func history(_ filter: LoadFilter = LoadFilter()) throws(LoadLogError) -> LoadPage {
    try readableStore().history(filter)
  }

  /// Every push without a pop and every pop without a push that match the filter, newest first.
  ///
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the record from being read.
  public func unbalanced(_ filter: LoadFilter = LoadFilter()) async throws(LoadLogError) -> [Imbalance] {
    try await read { (record) throws(LoadLogError) in try record.unbalanced(filter) }
  }

  /// Every push without a pop and every pop without a push that match the filter, newest first. Blocks the thread.
  ///
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the record from being read.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func unbalanced(_ filter: LoadFilter = LoadFilter()) throws(LoadLogError) -> [Imbalance] {
    try readableStore().unbalanced(filter)
  }
}

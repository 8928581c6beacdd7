extension LoadingController {
  /// Sets what is expected of a feed, or of all feeds that match a pattern; durable when this returns.
  ///
  ///     try await loads.expect(Expectation(.every(.seconds(86_400)), grace: .seconds(3600)), of: "backup/db")
  ///
  /// Values that are nil leave those of an earlier expectation of the same feed or pattern unchanged. A new cron
  /// schedule counts from now. A new interval counts from the last success, and from now if there is none.
  ///
  /// - Parameters:
  ///   - expectation: what is expected.
  ///   - feed: the feed or pattern, such as `"backup/db"`. For a `Feed` in a variable, `FeedPattern(exactly: feed)`.
  /// - Throws: `invalidInput`; `closed`; `busy` at the deadline; the error that keeps the store from being written to.
  public func expect(_ expectation: Expectation, of feed: FeedPattern) async throws(LoadLogError) {
    _ = try await core.commit(.expect(expectation, feed), nil)
  }

  /// Sets what is expected of a feed, or of all feeds that match a pattern; blocks the thread.
  ///
  /// - Throws: `invalidInput`; `closed`; `busy` at the deadline; the error that keeps the store from being written to.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func expect(_ expectation: Expectation, of feed: FeedPattern) throws(LoadLogError) {
    _ = try core.commitBlocking(.expect(expectation, feed), nil)
  }

  /// Removes the expectation of a feed or pattern; durable when this returns.
  ///
  /// - Returns: false if there was none.
  /// - Throws: `invalidInput`; `closed`; `busy` at the deadline; the error that keeps the store from being written to.
  @discardableResult
  public func clearExpectation(of feed: FeedPattern) async throws(LoadLogError) -> Bool {
    try await core.commit(.clearExpectation(feed), nil).outcome != .nothing
  }

  /// Removes the expectation of a feed or pattern; blocks the thread.
  ///
  /// - Returns: false if there was none.
  /// - Throws: `invalidInput`; `closed`; `busy` at the deadline; the error that keeps the store from being written to.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  @discardableResult
  public func clearExpectation(of feed: FeedPattern) throws(LoadLogError) -> Bool {
    try core.commitBlocking(.clearExpectation(feed), nil).outcome != .nothing
  }

  /// Pauses the expectation of a feed or pattern: no check finds its feeds failing, late, overrunning or unbalanced.
  /// Durable when this returns.
  ///
  /// - Parameters:
  ///   - feed: the feed or pattern whose expectation is paused.
  ///   - duration: how long; nil for until `resumeExpectation(of:)`.
  /// - Returns: false if there is no such expectation.
  /// - Throws: `invalidInput`; `closed`; `busy` at the deadline; the error that keeps the store from being written to.
  @discardableResult
  public func pauseExpectation(
    of feed: FeedPattern, for duration: Duration? = nil
  ) async throws(LoadLogError) -> Bool {
    let kind = LoadEvent.Kind.pauseExpectation(feed, duration: duration?.wholeNanoseconds)
    return try await core.commit(kind, nil).outcome != .nothing
  }

  /// Pauses the expectation of a feed or pattern; blocks the thread.
  ///
  /// - Returns: false if there is no such expectation.
  /// - Throws: `invalidInput`; `closed`; `busy` at the deadline; the error that keeps the store from being written to.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  @discardableResult
  public func pauseExpectation(
    of feed: FeedPattern, for duration: Duration? = nil
  ) throws(LoadLogError) -> Bool {
    let kind = LoadEvent.Kind.pauseExpectation(feed, duration: duration?.wholeNanoseconds)
    return try core.commitBlocking(kind, nil).outcome != .nothing
  }

  /// Ends the pause of an expectation; durable when this returns.
  ///
  /// - Returns: false if there is no such expectation.
  /// - Throws: `invalidInput`; `closed`; `busy` at the deadline; the error that keeps the store from being written to.
  @discardableResult
  public func resumeExpectation(of feed: FeedPattern) async throws(LoadLogError) -> Bool {
    try await core.commit(.resumeExpectation(feed), nil).outcome != .nothing
  }

  /// Ends the pause of an expectation; blocks the thread.
  ///
  /// - Returns: false if there is no such expectation.
  /// - Throws: `invalidInput`; `closed`; `busy` at the deadline; the error that keeps the store from being written to.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  @discardableResult
  public func resumeExpectation(of feed: FeedPattern) throws(LoadLogError) -> Bool {
    try core.commitBlocking(.resumeExpectation(feed), nil).outcome != .nothing
  }

  /// All expectations, ordered by feed or pattern.
  ///
  /// - Throws: `busy`, `closed`, or the error that keeps the record from being read.
  public func expectations() async throws(LoadLogError) -> [FeedExpectation] {
    try await read { (record) throws(LoadLogError) in try record.expectations() }
  }
}

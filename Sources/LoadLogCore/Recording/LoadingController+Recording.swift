public import Foundation

// MARK: - With a token

extension LoadingController {
  /// Starts a load; it is durable when this returns.
  ///
  /// - Parameters:
  ///   - feed: what is loaded.
  ///   - message: what the load says, such as "Loading reviews…"; cut beyond 2,000 scalars.
  ///   - tag: a text to find it again; at most 200 scalars.
  ///   - fileID: the call site's file.
  ///   - line: the call site's line.
  /// - Returns: the token to finish it with.
  /// - Throws: `invalidInput`; `busy` at the deadline; whatever keeps the store from being written to. Do the
  ///   work all the same: a load that could not be recorded is still a load.
  public func startLoading(
    _ feed: Feed, message: String? = nil, tag: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws(LoadLogError) -> LoadingToken {
    try await start(feed, message, tag, CallSite(fileID: fileID, line: line))
  }

  /// Starts a load; it is durable when this returns. Blocks the thread; on an idle queue the calling thread
  /// commits itself.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func startLoading(
    _ feed: Feed, message: String? = nil, tag: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws(LoadLogError) -> LoadingToken {
    try startBlocking(feed, message, tag, CallSite(fileID: fileID, line: line))
  }

  /// Finishes a load; its verdict is durable when this returns. A second finish changes nothing and is
  /// recorded as a `duplicate_finish`.
  ///
  /// - Throws: `busy` at the deadline, or what keeps the store from being written to. The finish is not lost
  ///   then: it is recorded when the store can be written to again, and finishing once more waits for that.
  public func finishLoading(
    _ token: LoadingToken, _ verdict: Verdict = .succeeded, fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws(LoadLogError) {
    try await finish(token, verdict, CallSite(fileID: fileID, line: line))
  }

  /// Finishes a load; its verdict is durable when this returns. Blocks the thread.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func finishLoading(
    _ token: LoadingToken, _ verdict: Verdict = .succeeded, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws(LoadLogError) {
    try finishBlocking(token, verdict, CallSite(fileID: fileID, line: line))
  }

  /// Changes what a running load says. Returns at once.
  public func update(_ token: LoadingToken, message: String?) {
    (token.currentCore ?? core).send(.update(token.id, message: message), nil)
  }

  func start(
    _ feed: Feed, _ message: String?, _ tag: String?, _ callSite: CallSite
  ) async throws(LoadLogError) -> LoadingToken {
    let (core, id) = (core, SessionID(milliseconds: now.wall / 1000))
    _ = try await core.commit(.start(id, feed, message: message, tag: tag), callSite)
    return LoadingToken(id: id, feed: feed, callSite: callSite, core: core)
  }

  func startBlocking(
    _ feed: Feed, _ message: String?, _ tag: String?, _ callSite: CallSite
  ) throws(LoadLogError) -> LoadingToken {
    let (core, id) = (core, SessionID(milliseconds: now.wall / 1000))
    _ = try core.commitBlocking(.start(id, feed, message: message, tag: tag), callSite)
    return LoadingToken(id: id, feed: feed, callSite: callSite, core: core)
  }

  func finish(_ token: LoadingToken, _ verdict: Verdict, _ callSite: CallSite) async throws(LoadLogError) {
    let core = token.currentCore ?? core
    guard token.beginFinish() else { return try await core.queue.reach(opening: true) }
    do throws(LoadLogError) {
      _ = try await core.commit(.finish(token.id, verdict), callSite)
    } catch {
      if error.code != .closed { token.finishIsOnItsWay() }
      throw error
    }
  }

  func finishBlocking(
    _ token: LoadingToken, _ verdict: Verdict, _ callSite: CallSite
  ) throws(LoadLogError) {
    let core = token.currentCore ?? core
    guard token.beginFinish() else { return try core.queue.reachBlocking(opening: true) }
    do throws(LoadLogError) {
      _ = try core.commitBlocking(.finish(token.id, verdict), callSite)
    } catch {
      if error.code != .closed { token.finishIsOnItsWay() }
      throw error
    }
  }
}

// MARK: - Without a token

/// These never wait and never throw: trouble goes to the logger and to ``LoadingController/failure``.
extension LoadingController {
  /// One more load of the feed, for code that keeps no context.
  public func push(_ feed: Feed, fileID: StaticString = #fileID, line: UInt = #line) {
    core.send(.push(feed), CallSite(fileID: fileID, line: line))
  }

  /// One load of the feed less. Without a verdict the load is `ended`: timed and counted, moving no date. At
  /// a count of 0 nothing is popped, and an `extra_pop` is recorded.
  public func pop(
    _ feed: Feed, _ verdict: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    core.send(.pop(feed, verdict), CallSite(fileID: fileID, line: line))
  }

  /// Sets the feed's count to 0: its open pushes are abandoned, reason `reset`. Sessions with tokens are not
  /// touched.
  public func reset(_ feed: Feed, fileID: StaticString = #fileID, line: UInt = #line) {
    core.send(.reset([feed]), CallSite(fileID: fileID, line: line))
  }

  /// Sets all counts to 0.
  public func resetAll(fileID: StaticString = #fileID, line: UInt = #line) {
    core.send(.reset(nil), CallSite(fileID: fileID, line: line))
  }

  /// Starts a load with an id of the caller's. A start of a known id changes nothing.
  public func start(
    id: SessionID, feed: Feed, message: String? = nil, tag: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    core.send(
      .start(id, feed, message: message, tag: TextLimit.cut(tag, to: TextLimit.tag)),
      CallSite(fileID: fileID, line: line))
  }

  /// Finishes a load by its id, in any order: a finish may overtake its start.
  public func finish(
    id: SessionID, _ verdict: Verdict = .succeeded, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    core.send(.finish(id, verdict), CallSite(fileID: fileID, line: line))
  }

  /// Changes what a running load says.
  public func update(id: SessionID, message: String?) { core.send(.update(id, message: message), nil) }

  /// Takes over a date that was kept elsewhere. Only while the feed has no recorded success; a later success
  /// replaces it.
  public func adoptLastUpdated(_ date: Date, of feed: Feed) {
    guard let microseconds = date.microseconds else {
      return core.report(
        LoadLogError(
          .invalidInput, what: "date", value: "\(date.timeIntervalSince1970)", why: "it is out of range"))
    }
    core.send(.adopt(feed, lastUpdated: microseconds), nil)
  }
}

// MARK: - For tools

extension LoadingController {
  /// Records any event and tells what became of it; it is durable when this returns. Blocks the thread.
  @discardableResult
  public func record(_ kind: LoadEvent.Kind, callSite: CallSite? = nil) throws(LoadLogError) -> Receipt {
    try core.commitBlocking(kind, callSite)
  }

  /// Silences the alarm of imbalances; they stay in the record. Durable when this returns.
  ///
  /// - Parameters:
  ///   - ids: those of ``Imbalance/id``; nil for all.
  ///   - by: who has seen them.
  ///   - note: what they have to say.
  /// - Returns: how many were newly acknowledged.
  @discardableResult
  public func acknowledge(
    _ ids: [SessionID]?, by: String, note: String? = nil
  ) async throws(LoadLogError) -> Int {
    try await core.commit(.acknowledge(ids, by: by, note: note), nil).count ?? 0
  }

  /// Silences the alarm of imbalances; blocks the thread.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  @discardableResult
  public func acknowledge(_ ids: [SessionID]?, by: String, note: String? = nil) throws(LoadLogError) -> Int {
    try core.commitBlocking(.acknowledge(ids, by: by, note: note), nil).count ?? 0
  }
}

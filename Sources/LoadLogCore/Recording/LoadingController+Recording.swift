public import Foundation

// MARK: - With a token

extension LoadingController {
  /// Starts a load; it is durable when this returns.
  ///
  /// - Parameters:
  ///   - feed: what is loaded.
  ///   - message: a text to show, such as "Loading reviews…"; cut after 2,000 scalars.
  ///   - tag: a text by which to find the load later; at most 200 scalars.
  ///   - fileID: the call site's file.
  ///   - line: the call site's line.
  /// - Returns: the token to finish it with.
  /// - Throws: `invalidInput`; `closed`; `busy` at the deadline; the error that keeps the store from being written to.
  ///   Load anyway: only the record is missing.
  public func startLoading(
    _ feed: Feed, message: String? = nil, tag: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws(LoadLogError) -> LoadingToken {
    try await start(feed, message, tag, CallSite(fileID: fileID, line: line))
  }

  /// Starts a load; it is durable when this returns. Blocks the thread, which commits itself if no other
  /// event is queued.
  ///
  /// - Throws: `invalidInput`; `closed`; `busy` at the deadline; the error that keeps the store from being written to.
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
  /// - Throws: `busy` at the deadline, or the error that keeps the store from being written to. The finish is
  ///   not lost: it is recorded when the store can be written to again, and a second call waits for that. `closed` if the
  ///   controller was closed after the start, even if it is open again: a load of this process was `cancelled` then, and
  ///   stays so.
  public func finishLoading(
    _ token: LoadingToken, _ verdict: Verdict = .succeeded, fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws(LoadLogError) {
    try await finish(token, verdict, CallSite(fileID: fileID, line: line))
  }

  /// Finishes a load; its verdict is durable when this returns. Blocks the thread.
  ///
  /// - Throws: `busy` at the deadline, or the error that keeps the store from being written to. The finish is
  ///   not lost: it is recorded when the store can be written to again, and a second call waits for that. `closed` if the
  ///   controller was closed after the start, even if it is open again: a load of this process was `cancelled` then, and
  ///   stays so.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  public func finishLoading(
    _ token: LoadingToken, _ verdict: Verdict = .succeeded, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws(LoadLogError) {
    try finishBlocking(token, verdict, CallSite(fileID: fileID, line: line))
  }

  /// Changes the message of a running load. Returns at once; does nothing if closing the controller has cancelled the load.
  public func update(_ token: LoadingToken, message: String?) {
    let core = token.currentCore ?? core
    core.send(.update(token.id, message: message), nil, ifOpen: core.isForThisProcess)
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

/// These never wait and never throw: errors go to the logger and to ``LoadingController/failure``.
extension LoadingController {
  /// Adds 1 to the count of the feed, for code that keeps no token.
  public func push(_ feed: Feed, fileID: StaticString = #fileID, line: UInt = #line) {
    core.send(.push(feed), CallSite(fileID: fileID, line: line))
  }

  /// Subtracts 1 from the count of the feed. Without a verdict the load is `ended`: it is timed and counted,
  /// and changes no date. At a count of 0, the count stays and an `extra_pop` is recorded.
  public func pop(
    _ feed: Feed, _ verdict: Verdict = .ended, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    core.send(.pop(feed, verdict), CallSite(fileID: fileID, line: line))
  }

  /// Sets the feed's count to 0 and abandons its open pushes, reason `reset`. Loads with tokens stay open.
  public func reset(_ feed: Feed, fileID: StaticString = #fileID, line: UInt = #line) {
    core.send(.reset([feed]), CallSite(fileID: fileID, line: line))
  }

  /// Sets all counts to 0.
  public func resetAll(fileID: StaticString = #fileID, line: UInt = #line) {
    core.send(.reset(nil), CallSite(fileID: fileID, line: line))
  }

  /// Starts a load with an id that the caller made. A start of a known id changes nothing. Cuts a tag after 200 scalars.
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

  /// Changes the message of a running load.
  public func update(id: SessionID, message: String?) { core.send(.update(id, message: message), nil) }

  /// Adopts a date that was kept elsewhere, if no success of the feed is recorded yet. A later success
  /// replaces it. `Date.distantPast` stands for never, so it adopts nothing.
  public func adoptLastUpdated(_ date: Date, of feed: Feed) {
    guard date != .distantPast else { return }
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
  /// Records any event and returns its receipt; blocks the thread until the event is durable.
  ///
  /// - Parameter run: what is known of the command of a load. The duration of a load that finishes counts from the time
  ///   at which its command began, without the time that recording took.
  @available(*, noasync, message: "Blocks the thread.")
  @discardableResult
  package func record(
    _ kind: LoadEvent.Kind, callSite: CallSite? = nil, run: RunDetails? = nil
  ) throws(LoadLogError) -> Receipt {
    try core.commitBlocking(kind, callSite, run: run)
  }

  /// Whether a start is being committed, perhaps after its caller was given up at the deadline.
  package func isCommitting(startOf id: SessionID) -> Bool { core.queue.inFlight.contains { $0.start == id } }

  /// Waits until a commit that is under way has ended, but not longer than the deadline; blocks the thread. Returns at once
  /// if none is under way.
  @available(*, noasync, message: "Blocks the thread.")
  package func awaitCommit() {
    if !core.queue.inFlight.isEmpty { try? flush() }
  }

  /// Marks imbalances as seen, so that they raise no alarm any more; they stay in the record. Durable when
  /// this returns.
  ///
  /// - Parameters:
  ///   - ids: the imbalances, by ``Imbalance/id``.
  ///   - by: the name of the person or program that acknowledges them.
  ///   - note: a remark to keep with the acknowledgement.
  /// - Returns: number of imbalances that were not acknowledged before; 0 if it is not known, because the commit had to be
  ///   tried twice.
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the store from being written to.
  @discardableResult
  public func acknowledge(
    _ ids: [SessionID], by: String, note: String? = nil
  ) async throws(LoadLogError) -> Int {
    try await core.commit(.acknowledge(ids, by: by, note: note), nil).count ?? 0
  }

  /// Marks imbalances as seen, so that they raise no alarm any more; blocks the thread.
  ///
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the store from being written to.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  @discardableResult
  public func acknowledge(_ ids: [SessionID], by: String, note: String? = nil) throws(LoadLogError) -> Int {
    try core.commitBlocking(.acknowledge(ids, by: by, note: note), nil).count ?? 0
  }

  /// Marks all imbalances of the record as seen, so that they raise no alarm any more; they stay in the record. Durable
  /// when this returns.
  ///
  /// - Parameters:
  ///   - by: the name of the person or program that acknowledges them.
  ///   - note: a remark to keep with the acknowledgement.
  /// - Returns: number of imbalances that were not acknowledged before; 0 if it is not known, because the commit had to be
  ///   tried twice.
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the store from being written to.
  @discardableResult
  public func acknowledgeAll(by: String, note: String? = nil) async throws(LoadLogError) -> Int {
    try await core.commit(.acknowledge(nil, by: by, note: note), nil).count ?? 0
  }

  /// Marks all imbalances of the record as seen, so that they raise no alarm any more; blocks the thread.
  ///
  /// - Throws: `busy` at the deadline; `closed`; the error that keeps the store from being written to.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  @discardableResult
  public func acknowledgeAll(by: String, note: String? = nil) throws(LoadLogError) -> Int {
    try core.commitBlocking(.acknowledge(nil, by: by, note: note), nil).count ?? 0
  }
}

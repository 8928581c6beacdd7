/// Loads whose start and finish always match.
extension LoadingController {
  /// Records the work as one load of the feed. The load starts before the work begins, and finishes when the
  /// work returns, with the verdict that `verdict` gives, or throws: `cancelled` if the task was cancelled,
  /// else `failed`.
  ///
  ///     let articles = try await loads.loading("reviews") { try await api.reviews() }
  ///
  /// The work always runs, and its result or error always reaches the caller. An error of the record goes to
  /// the logger and to ``failure``.
  ///
  /// - Parameters:
  ///   - feed: what is loaded.
  ///   - message: a text to show while it loads.
  ///   - tag: a text by which to find the load later.
  ///   - verdict: returns the verdict for a result; for instance `.unchanged` if there was nothing new.
  ///   - fileID: the call site's file.
  ///   - line: the call site's line.
  ///   - isolation: the caller's actor, on which the work runs.
  ///   - work: loads, and returns the result.
  public func loading<Value, Failure: Error>(
    _ feed: Feed, message: String? = nil, tag: String? = nil,
    verdict: (Value) -> Verdict = { _ in .succeeded },
    fileID: StaticString = #fileID, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let callSite = CallSite(fileID: fileID, line: line)
    let token = await reporting { () async throws(LoadLogError) in
      try await self.start(feed, message, tag, callSite)
    }
    func finish(_ verdict: Verdict) async {
      guard let token else { return }
      await reporting { () async throws(LoadLogError) in try await self.finish(token, verdict, callSite) }
    }
    do throws(Failure) {
      let value = try await work()
      await finish(verdict(value))
      return value
    } catch {
      await finish(Self.verdict(for: error))
      throw error
    }
  }

  /// Records the work as one load of the feed; blocks the thread for two commits.
  ///
  /// In an `async` function the compiler chooses ``loading(_:message:tag:verdict:fileID:line:isolation:_:)``,
  /// even for work that does not wait itself.
  @available(*, noasync, message: "Blocks the thread; use the async form.")
  @_disfavoredOverload
  public func loading<Value, Failure: Error>(
    _ feed: Feed, message: String? = nil, tag: String? = nil,
    verdict: (Value) -> Verdict = { _ in .succeeded },
    fileID: StaticString = #fileID, line: UInt = #line,
    _ work: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let callSite = CallSite(fileID: fileID, line: line)
    let token = reporting { () throws(LoadLogError) in
      try startBlocking(feed, message, tag, callSite)
    }
    func finish(_ verdict: Verdict) {
      guard let token else { return }
      reporting { () throws(LoadLogError) in try finishBlocking(token, verdict, callSite) }
    }
    do throws(Failure) {
      let value = try work()
      finish(verdict(value))
      return value
    } catch {
      finish(Self.verdict(for: error))
      throw error
    }
  }

  /// Ignores an error of the record, which must never replace the result of the work. The queue has already reported
  /// errors of the store.
  @discardableResult
  private func reporting<Value: Sendable>(
    _ work: @Sendable () async throws(LoadLogError) -> Value
  ) async -> Value? {
    do throws(LoadLogError) {
      return try await work()
    } catch {
      reportRefusal(error)
      return nil
    }
  }

  @discardableResult
  private func reporting<Value>(_ work: () throws(LoadLogError) -> Value) -> Value? {
    do throws(LoadLogError) {
      return try work()
    } catch {
      reportRefusal(error)
      return nil
    }
  }

  private func reportRefusal(_ error: LoadLogError) {
    if error.code == .invalidInput || error.code == .closed { core.report(error) }
  }

  /// The verdict of a load that ended with an error.
  package static func verdict(for error: any Error) -> Verdict {
    Task.isCancelled || error is CancellationError ? .cancelled : .failed(error)
  }
}

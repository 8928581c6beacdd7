/// Loads whose start and finish always match.
extension LoadingController {
  /// Records the work as one load of the feed. The load starts before the work begins, and finishes when the
  /// work returns, with the verdict that `verdict` gives, or throws: `cancelled` if the task was cancelled
  /// or the error is a `CancellationError`, else `failed`.
  ///
  ///     let articles = try await loads.loading("reviews") { try await api.reviews() }
  ///
  /// The work always runs, and its result or error always reaches the caller. An error of the record goes to
  /// the logger and to ``failure``. While the store cannot be written to, recording delays the start of the work and the
  /// return of its result, each by ``Options/deadline`` at most.
  ///
  /// A load of this process that is open at `close()` is `cancelled` in the record, even if its work succeeds later.
  ///
  /// - Parameters:
  ///   - feed: what is loaded.
  ///   - message: a text to show while it loads.
  ///   - tag: a text by which to find the load later; at most 200 scalars. With a longer one nothing is recorded.
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
    let token: LoadingToken?
    do throws(LoadLogError) {
      token = try await start(feed, message, tag, callSite)
    } catch {
      token = nil
      reportRefusal(error)
    }
    func finish(_ verdict: Verdict) async {
      guard let token else { return }
      do throws(LoadLogError) {
        try await self.finish(token, verdict, callSite)
      } catch {
        reportRefusedFinish(error)
      }
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
    let token: LoadingToken?
    do throws(LoadLogError) {
      token = try startBlocking(feed, message, tag, callSite)
    } catch {
      token = nil
      reportRefusal(error)
    }
    func finish(_ verdict: Verdict) {
      guard let token else { return }
      do throws(LoadLogError) {
        try finishBlocking(token, verdict, callSite)
      } catch {
        reportRefusedFinish(error)
      }
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

  /// Reports a finish that was refused. If this process is the owner and was closed meanwhile, closing has ended the load:
  /// that is no failure of the owner that ``reopen()`` has made since.
  private func reportRefusedFinish(_ error: LoadLogError) {
    if error.code != .closed || !core.isForThisProcess { reportRefusal(error) }
  }

  /// Reports an event that was refused. The queue has already reported errors of the store.
  private func reportRefusal(_ error: LoadLogError) {
    if error.code == .invalidInput || error.code == .closed { core.report(error) }
  }

  /// The verdict of a load that ended with an error.
  package static func verdict(for error: any Error) -> Verdict {
    Task.isCancelled || error is CancellationError ? .cancelled : .failed(error)
  }
}

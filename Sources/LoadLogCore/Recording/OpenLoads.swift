import Synchronization

/// The open loads of one owner, shared by all threads. Events are queued under its lock, so that the record and the
/// counts receive them in the same order.
final class OpenLoads: Sendable {
  private let state = Mutex(PushCount())

  func withLock<Value, Failure: Error>(
    _ body: (inout sending PushCount) throws(Failure) -> sending Value
  ) throws(Failure) -> sending Value {
    try state.withLock(body)
  }

  /// Forgets everything open and ends all listeners.
  func end() { _ = state.withLock { $0.end() } }

  /// Corrects the counts from receipts: the store may know, for instance, that a session has already finished.
  func follow(_ events: [NumberedEvent], _ receipts: [Receipt]) {
    state.withLock { counts in
      for (item, receipt) in zip(events, receipts) {
        switch (item.event.kind, receipt.outcome) {
        case (.start(let id, _, _, _), .known): counts.know(id)
        case (.start(let id, _, _, _), .finished),
          (.finish(let id, _), .finished), (.finish(let id, _), .unmatched(.duplicateFinish)):
          counts.settle(id)
        default: break
        }
      }
    }
  }

  /// This owner's changes of a feed, from now on.
  func changes(of feed: Feed) -> AsyncStream<LoadingChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LoadingChange.self, bufferingPolicy: .bufferingNewest(LoadingChange.mostUnread))
    let listener = listen(to: feed) { change in
      guard let change else {
        // The lock is held, so the end of the stream must not call back.
        continuation.onTermination = nil
        return continuation.finish()
      }
      continuation.yield(change)
    }
    continuation.onTermination = { [weak self] _ in self?.forget(listener: listener) }
    return stream
  }

  /// Calls a listener for each change, on the thread that makes it, under the lock; see ``PushCount/Listener``.
  func listen(to feed: Feed, _ receive: @escaping PushCount.Listener) -> Int {
    state.withLock { $0.listen(to: feed, receive) }
  }

  func forget(listener: Int) { _ = state.withLock { $0.forget(listener: listener) } }
}

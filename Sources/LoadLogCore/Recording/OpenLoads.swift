import Synchronization

/// What one owner has open, shared by all threads. Events are handed on under its lock, so that the record
/// and the counts see them in the same order.
final class OpenLoads: Sendable {
  private let state = Mutex(PushCount())

  func withLock<Value, Failure: Error>(
    _ body: (inout sending PushCount) throws(Failure) -> sending Value
  ) throws(Failure) -> sending Value {
    try state.withLock(body)
  }

  /// Nothing is open any more, and nobody hears of changes.
  func end() {
    let listeners = state.withLock { $0.end() }
    for listener in listeners { listener.finish() }
  }

  /// Follows the store where it knows better than this process.
  func follow(_ event: LoadEvent, _ receipt: Receipt) {
    switch (event.kind, receipt.outcome) {
    case (.start(let id, _, _, _), .known): state.withLock { $0.know(id) }
    case (.start(let id, _, _, _), .finished),
      (.finish(let id, _), .finished), (.finish(let id, _), .unmatched(.duplicateFinish)):
      state.withLock { $0.settle(id) }
    default: break
    }
  }

  /// This owner's changes of a feed, from now on.
  func changes(of feed: Feed) -> AsyncStream<LoadingChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: LoadingChange.self)
    let listener = state.withLock { $0.listen(to: feed, continuation) }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.forget(listener: listener) }
    }
    return stream
  }
}

import Synchronization

/// Notifies listeners of changes, each of which makes those before it obsolete. Any thread may call it.
final class EventHub: Sendable {
  /// What one listener receives: lines of `text/event-stream`.
  struct Listener: AsyncSequence, Sendable {
    fileprivate let stream: AsyncStream<String>
    fileprivate let continuation: AsyncStream<String>.Continuation

    func makeAsyncIterator() -> AsyncStream<String>.Iterator { stream.makeAsyncIterator() }

    /// Ends the sequence.
    func cancel() { continuation.finish() }
  }

  private struct State {
    var listeners: [Int: AsyncStream<String>.Continuation] = [:]
    var next = 0
    /// The number of changes so far.
    var changes = 0
    var isEnded = false
  }

  /// The greatest number of listeners.
  static let most = 64

  private let state = Mutex(State())

  /// Whether there are listeners.
  var isHeard: Bool { state.withLock { !$0.listeners.isEmpty } }
  /// Whether ``end()`` was called.
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Adds a listener, who receives no earlier changes; nil if there are too many. One that does not read receives only
  /// the newest change.
  func subscribe() -> Listener? {
    let (stream, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number: Int? = state.withLock { state in
      guard !state.isEnded, state.listeners.count < Self.most else { return nil }
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    guard let number else { return nil }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }
    return Listener(stream: stream, continuation: continuation)
  }

  /// Notifies all listeners of a change.
  func announceChange() {
    let number = state.withLock { state in
      state.changes += 1
      return state.changes
    }
    announce("change", String(number))
  }

  /// Sends an event with its data, which is one line.
  func announce(_ event: String, _ data: String) { send("event: \(event)\ndata: \(data)\n\n") }

  /// Sends a comment, so that proxies and clients keep the connection open.
  func keepAlive() { send(":\n\n") }

  /// Ends all sequences, and takes no listeners any more.
  func end() {
    let listeners = state.withLock { state in
      state.isEnded = true
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }

  private func send(_ text: String) {
    // Outside of the lock: a listener that has ended removes itself at once.
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(text) }
  }
}

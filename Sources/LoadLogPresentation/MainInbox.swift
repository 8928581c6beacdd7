import Synchronization

/// Passes a value from any thread to the main actor, in the order of the calls.
///
/// One task on the main actor drains the inbox, however many threads have changed it since the last drain.
final class MainInbox<Content: Sendable>: Sendable {
  private struct State {
    var content: Content
    var drain: (@MainActor @Sendable () -> Void)?
    var isDrainScheduled = false
  }

  private let state: Mutex<State>

  init(_ empty: Content) { state = Mutex(State(content: empty)) }

  /// Sets the closure that takes the content, and calls it once for what is already there.
  @MainActor
  func open(_ drain: @escaping @MainActor @Sendable () -> Void) {
    state.withLock { $0.drain = drain }
    drain()
  }

  /// Changes the content and schedules a drain if none is pending.
  @discardableResult
  func put<Result: Sendable>(_ change: (inout Content) -> Result) -> Result {
    let (result, drain) = state.withLock { state in
      let result = change(&state.content)
      guard !state.isDrainScheduled, let drain = state.drain else {
        return (result, Optional<@MainActor @Sendable () -> Void>.none)
      }
      state.isDrainScheduled = true
      return (result, drain)
    }
    if let drain { Task { @MainActor in drain() } }
    return result
  }

  /// Takes values out of the content.
  func take<Taken: Sendable>(_ take: (inout Content) -> Taken) -> Taken {
    state.withLock { state in
      state.isDrainScheduled = false
      return take(&state.content)
    }
  }
}

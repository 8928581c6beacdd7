import Synchronization

/// Carries news from any thread to the main actor, in the order in which they were put in.
///
/// However much is put in between two turns of the main actor, it is drained once.
final class MainInbox<News: Sendable>: Sendable {
  private struct State {
    var news: News
    var drain: (@MainActor @Sendable () -> Void)?
    var isAwaited = false
  }

  private let state: Mutex<State>

  init(_ empty: News) { state = Mutex(State(news: empty)) }

  /// Says who takes the news out; lets them take what is there already.
  @MainActor
  func open(_ drain: @escaping @MainActor @Sendable () -> Void) {
    state.withLock { $0.drain = drain }
    drain()
  }

  /// Adds news.
  func put(_ add: (inout News) -> Void) {
    let drain = state.withLock { state in
      add(&state.news)
      guard !state.isAwaited, let drain = state.drain else {
        return Optional<@MainActor @Sendable () -> Void>.none
      }
      state.isAwaited = true
      return drain
    }
    if let drain { Task { @MainActor in drain() } }
  }

  /// Takes news out.
  @MainActor
  func take<Taken: Sendable>(_ take: (inout News) -> Taken) -> Taken {
    state.withLock { state in
      state.isAwaited = false
      return take(&state.news)
    }
  }
}

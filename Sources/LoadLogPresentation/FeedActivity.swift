import LoadLogCore

/// The counts of a feed, and when it started and stopped loading since the last ``take()``.
struct FeedActivity: Sendable {
  struct Transition: Sendable, Hashable {
    /// Whether loads are open from this time on.
    let isLoading: Bool
    /// Time on the boot clock, in nanoseconds.
    let time: Int64
  }

  private(set) var count = 0
  private(set) var depth = 0
  /// At most two: of the starts and stops between two calls of ``take()``, only the last pair is kept, so that
  /// memory stays bounded while the main actor is busy.
  private(set) var transitions: [Transition] = []
  /// The session that finished last; nil if a pop or a reset came last.
  private(set) var lastFinished: SessionID?

  /// Adds a change; nil means that the controller was closed and nothing is open any more.
  mutating func record(_ change: LoadingChange?, clock: any LoadClock) {
    let wasLoading = depth > 0
    count = change?.count ?? 0
    depth = change?.depth ?? 0
    switch change?.kind {
    case .finished(let id): lastFinished = id
    case .popped, .reset: lastFinished = nil
    default: break
    }
    guard (depth > 0) != wasLoading else { return }
    if transitions.count == 2 { transitions = [] }
    transitions.append(Transition(isLoading: depth > 0, time: clock.now().boot))
  }

  /// Returns what was recorded and removes the transitions.
  mutating func take() -> FeedActivity {
    defer { transitions = [] }
    return self
  }
}

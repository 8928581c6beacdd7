import LoadLogCore

/// What a feed went through since it was last looked at: its depth now, and how often it turned from nothing open
/// to something open and back.
struct LoadTurns: Sendable {
  struct Turn: Sendable, Hashable {
    /// Something is open from now on.
    let isOn: Bool
    /// When, on the boot clock.
    let time: Int64
  }

  private(set) var count = 0
  private(set) var depth = 0
  /// At most two: of what came and went between two looks only the last is kept.
  private(set) var turns: [Turn] = []
  /// The session that finished last; nil if a pop or reset was last.
  private(set) var lastFinished: SessionID?

  /// - Parameter change: nil if nothing is open any more because the controller was closed.
  mutating func note(_ change: LoadingChange?, _ clock: any LoadClock) {
    let wasOn = depth > 0
    count = change?.count ?? 0
    depth = change?.depth ?? 0
    switch change?.kind {
    case .finished(let id): lastFinished = id
    case .popped, .reset: lastFinished = nil
    default: break
    }
    guard (depth > 0) != wasOn else { return }
    if turns.count == 2 { turns = [] }
    turns.append(Turn(isOn: depth > 0, time: clock.now().boot))
  }

  /// Hands out what happened; the next look begins here.
  mutating func take() -> LoadTurns {
    defer { turns = [] }
    return self
  }
}

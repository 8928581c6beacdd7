import LoadLogCore

/// The counts of a feed, and when it started and stopped loading since the last ``take()``.
///
/// They are the controller's counts, and the pushes through the indicator that the controller does not count: it was
/// closed when they were made or has been closed since, or it refused the feed's name.
struct FeedActivity: Sendable {
  struct Transition: Sendable, Hashable {
    /// Whether loads are open from this time on.
    let isLoading: Bool
    /// Time on the boot clock, in nanoseconds.
    let time: Int64
  }

  /// At most two: of the starts and stops between two calls of ``take()``, only the last pair is kept, so that
  /// memory stays bounded while the main actor is busy.
  private(set) var transitions: [Transition] = []
  /// The load that finished last; nil if a pop or a reset came later, or if the controller was closed since.
  private(set) var lastFinished: SessionID?
  /// The controller's counts; nil while it is closed.
  private var recorded: (count: Int, depth: Int)?
  /// Number of open pushes through the indicator that the controller counts, and of those that it does not count.
  private var counted = 0, uncounted = 0

  var count: Int { uncounted + (recorded?.count ?? 0) }
  var depth: Int { uncounted + (recorded?.depth ?? 0) }

  /// Adds a change; nil means that the controller was closed.
  mutating func record(_ change: LoadingChange?, clock: any LoadClock) {
    switch change?.kind {
    case .finished(let id): lastFinished = id
    case .popped, .reset, nil: lastFinished = nil
    default: break
    }
    update(clock) { activity in
      activity.recorded = change.map { ($0.count, $0.depth) }
      // The loads of other code may have ended when the controller cannot count them. Those of the indicator have not.
      if change == nil { activity.uncounted += activity.counted }
      activity.limitCounted()
    }
  }

  /// Adds a push through the indicator.
  ///
  /// - Parameter isRecorded: whether the controller accepted it. If the controller has been closed in the meantime, it
  ///   does not count the push any more.
  mutating func push(isRecorded: Bool, clock: any LoadClock) {
    update(clock) { activity in
      if isRecorded, activity.recorded != nil { activity.counted += 1 } else { activity.uncounted += 1 }
      // Another thread may have popped the push already.
      activity.limitCounted()
    }
  }

  /// Takes back a push through the indicator.
  ///
  /// - Returns: whether the controller does not count that push, and so must not record the pop.
  mutating func pop(clock: any LoadClock) -> Bool {
    guard uncounted > 0 else {
      counted = max(0, counted - 1)
      return false
    }
    update(clock) { $0.uncounted -= 1 }
    return true
  }

  /// Takes back all pushes through the indicator.
  mutating func reset(clock: any LoadClock) { update(clock) { ($0.counted, $0.uncounted) = (0, 0) } }

  /// Returns what was recorded and removes the transitions.
  mutating func take() -> FeedActivity {
    defer { transitions = [] }
    return self
  }

  /// Other code can pop the pushes of the indicator too.
  private mutating func limitCounted() { counted = min(counted, recorded?.count ?? 0) }

  private mutating func update(_ clock: any LoadClock, _ change: (inout FeedActivity) -> Void) {
    let wasLoading = depth > 0
    change(&self)
    guard (depth > 0) != wasLoading else { return }
    if transitions.count == 2 { transitions = [] }
    transitions.append(Transition(isLoading: depth > 0, time: clock.now().boot))
  }
}

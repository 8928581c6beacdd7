/// Transitions of the writer thread: what it does next, and when it has to be called.
extension CommitQueueState {
  /// After a commit, the writer waits for up to `most` of its callers to return: at most half the last
  /// commit's duration, and at most `longest` nanoseconds.
  static let gathering = (most: 128, longest: Int64(2_000_000))

  /// What the writer does next.
  enum Work {
    /// Commit.
    ///
    /// - Parameter gathering: wait at most this many nanoseconds for a call, then commit; nil to commit at once.
    case commit(gathering: Int64?)
    case maintain(any LoadStore)
    case synchronize(any LoadStore)
    case close(ClosingWork)
    /// Wait to be called.
    case sleep
  }

  /// How the writer closes the store.
  struct ClosingWork {
    /// Nil if the store is not open.
    let store: (any LoadStore)?
    /// The owner has ended.
    let finally: Bool
    /// Number of events that are discarded, without the owner's last one.
    let lost: Int
    /// The owner's last event is discarded.
    let isEndLost: Bool
    /// The callers of the discarded events.
    let callers: [CommitWaiter]
  }

  /// Calls the writer if there is work and the writer has not been called for it yet.
  mutating func callWriter() -> WriterCall? {
    switch state {
    case .dormant where hasWork:
      state = .resting(isWriterAwake: true)
      return .start
    case .resting(isWriterAwake: false) where hasWork:
      state = .resting(isWriterAwake: true)
      return .wake
    case .gathering(let wanted) where pending.count >= wanted || closing != nil:
      state = .committing([])
      return .wake
    case .dormant, .resting, .gathering, .committingInPlace, .committing, .maintaining, .synchronizing,
      .closing:
      // A thread that is busy asks for more work when it is done.
      return nil
    }
  }

  /// The writer has finished its work, or was called: returns the next work.
  mutating func nextWork() -> Work {
    if case .committingInPlace(let batch, _) = state {
      state = .committingInPlace(batch, isWriterAwake: false)
      return .sleep
    }
    if case .open(let store, let need) = store, need == .soon || need == .whenIdle && !shouldCommit {
      self.store = .open(store, .none)
      state = .maintaining
      return .maintain(store)
    }
    // Before the next commit: there may always be one.
    if synchronization == .due, let store = openStore {
      synchronization = .unneeded
      state = .synchronizing
      return .synchronize(store)
    }
    if shouldCommit { return startCommit() }
    if shouldClose { return startClosing() }
    state = .resting(isWriterAwake: false)
    return .sleep
  }

  /// The time for gathering is over.
  ///
  /// - Returns: whether the writer was called meanwhile. It then has to take the signal, which may not have arrived yet.
  mutating func stopGathering() -> Bool {
    guard case .gathering = state else { return true }
    state = .committing([])
    return false
  }

  /// The writer has closed the store.
  ///
  /// - Returns: the callers to resume, and whether the thread ends. It goes on if a close that had failed was
  ///   repeated meanwhile.
  mutating func finishClosing() -> (callers: [CommitWaiter], ends: Bool) {
    let ends = pending.isEmpty
    state = ends ? .dormant : .resting(isWriterAwake: true)
    return (takeClosers(), ends)
  }

  /// The system provided no thread for ``WriterCall/start``: reports this to all callers that wait. The events stay.
  mutating func writerDidNotStart(at now: LoadInstant) -> Failure {
    state = .dormant
    return failure(of: pending.removeCallers { _ in true } + takeClosers(), store: nil, at: now)
  }

  private var hasWork: Bool {
    if shouldCommit || shouldClose { return true }
    guard case .open(_, let need) = store else { return false }
    return need != .none || synchronization == .due
  }

  /// A close that failed discards nothing: queued events are recorded late, and the close may be repeated.
  private var shouldClose: Bool {
    guard let closing else { return false }
    guard pending.isEmpty else { return closing.isForsaken }
    if case .dormant = state { return false }
    return true
  }

  /// A commit of many events takes about as long as a commit of one, so the callers that the last commit resumed get a
  /// moment to return with their next event.
  private mutating func startCommit() -> Work {
    if case .retryDue(let delay) = health { health = .failing(delay: delay) }
    let wanted = min(lastCommit.callers, Self.gathering.most)
    lastCommit.callers = 0
    guard pending.count < wanted, closing == nil else {
      state = .committing([])
      return .commit(gathering: nil)
    }
    state = .gathering(until: wanted)
    return .commit(gathering: min(lastCommit.duration / 2, Self.gathering.longest))
  }

  private mutating func startClosing() -> Work {
    let lost = pending.takeAll()
    let work = ClosingWork(
      store: openStore, finally: closing?.hasOwnerEnded == true,
      lost: lost.count { $0.event != nil && !$0.isClose },
      isEndLost: lost.contains { $0.event != nil && $0.isClose }, callers: lost.compactMap(\.waiter))
    if case .open = store { store = .closed }
    state = .closing
    return .close(work)
  }

  private mutating func takeClosers() -> [CommitWaiter] {
    defer { closing?.callers = [] }
    return closing?.callers.map(\.waiter) ?? []
  }
}

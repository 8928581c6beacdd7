/// Commits, and how they end.
extension CommitQueueState {
  /// Delays before a failing store is tried again, in nanoseconds: the lower bound first, then twice as long each time,
  /// up to the upper bound.
  static let retryDelays: ClosedRange<Int64> = 100_000_000...5_000_000_000

  /// What to do about a failure that is reported to callers.
  struct Failure {
    /// Resume them with the error.
    let callers: [CommitWaiter]
    /// Close it; the owner does not end.
    let store: (any LoadStore)?
    /// When to schedule ``retryIsDue()``, and, if not nil, ``expire(at:)``.
    let retry: Int64
    let alarm: Int64?
  }

  /// What to do about a failed commit.
  enum FailedCommit {
    /// Close the store, open it again and commit the same batch once more.
    case tryAgain(closing: any LoadStore)
    /// Close the store. The batch is pending again, and the writer commits it.
    case leaveToWriter(closing: any LoadStore)
    /// Report the failure with ``fail(at:)``.
    case giveUp
  }

  /// The writer has opened the store.
  mutating func didOpen(_ store: any LoadStore) { self.store = .open(store, .none) }

  /// The store could not be written to at once. This is no failure: the writer may try again.
  mutating func didNotBegin() {
    if case .failing(let delay) = health { health = .retryDue(delay: delay) }
  }

  /// The store can be written to: takes what is pending into flight. From now on it cannot be withdrawn.
  ///
  /// - Returns: the batch, and how many dropped events to report with it.
  mutating func takeBatch() -> (entries: [Entry], dropped: Int) {
    let batch = pending.takeBatch()
    inFlight = batch
    return (batch, dropped)
  }

  /// The batch is durable.
  ///
  /// - Parameters:
  ///   - reported: number of dropped events that were reported with it.
  ///   - duration: how long the commit took, in nanoseconds.
  ///   - need: how much the store needs maintenance now.
  ///   - synchronizes: whether the store has to be synchronized for the batch to survive a power cut.
  /// - Returns: the batch, with the callers to resume, and when to schedule ``synchronizationIsDue()``.
  mutating func settle(
    droppedReported reported: Int, duration: Int64, maintenance need: MaintenanceNeed, synchronizes: Bool,
    at now: LoadInstant
  ) -> (entries: [Entry], synchronization: Int64?) {
    var batch = inFlight
    inFlight = []
    lastCommit = (batch.count { $0.waiter != nil }, duration)
    if case .open(let store, _) = store { self.store = .open(store, need) }
    for index in batch.indices {
      // A command runs although its start was late, and its end follows.
      if let id = batch[index].forsakenStart, batch[index].event?.run == nil { abandon(id, at: now) }
      guard batch[index].isClose else { continue }
      if batch[index].event != nil { closing?.hasOwnerEnded = true }
      if let waiter = batch[index].waiter { addCloser(waiter, deadline: batch[index].deadline ?? .max) }
      batch[index].waiter = nil
    }
    dropped -= reported
    isOverflowing = false
    health = .well
    guard synchronizes, synchronization == .unneeded else { return (batch, nil) }
    return (batch, planSynchronization(at: now))
  }

  /// A commit failed; the store may have the batch nevertheless.
  mutating func commitFailed(with error: LoadLogError) -> FailedCommit {
    guard isRepeatable, error.isWorthAnotherTry, case .open(let store, _) = store else { return .giveUp }
    self.store = .closed
    // Opening waits for other programs, which a thread that commits in place must not do.
    guard case .committingInPlace = state else { return .tryAgain(closing: store) }
    var batch = inFlight
    for index in batch.indices { batch[index].mayBeCommitted = true }
    inFlight = []
    pending.putBack(batch)
    return .leaveToWriter(closing: store)
  }

  /// The batch could not be committed, or the store could not be opened for it; the failure is reported to the callers.
  /// Starts and commands that they waited for are withdrawn; all other events stay, and are committed first at the next
  /// try. In a store that cannot recognize them, only those stay that end a load; of the others, those that no caller
  /// waited for are counted as dropped.
  ///
  /// A start that was reported as failed may turn out to be committed; its session is abandoned then. Callers that
  /// arrived while the batch was in flight get a try of their own if they are in the next batch. If they are behind it,
  /// they get this failure: the next try would be made for no caller, and the one after it, too.
  mutating func fail(at now: LoadInstant) -> Failure {
    let batch = inFlight
    inFlight = []
    var callers = batch.compactMap(\.waiter)
    var kept: [Entry] = []
    for var entry in batch {
      if entry.waiter != nil { entry.forsake() }
      let isWithdrawn = entry.isWithdrawable && (entry.isForsaken || entry.event == nil)
      if isRepeatable || entry.endsNamedLoad, !isWithdrawn {
        kept.append(entry)
      } else if entry.event != nil, !entry.isForsaken {
        dropped += 1
      }
      if let id = entry.forsakenStart { abandon(id, at: now) }
    }
    pending.putBack(kept)
    if batch.isEmpty || !pending.hasCallerInFirstBatch { callers += pending.removeCallers { _ in true } }

    let discarded = openStore
    if discarded != nil { store = .closed }
    return failure(of: callers, store: discarded, at: now)
  }

  /// The store has failed, or is still failing.
  mutating func failure(of callers: [CommitWaiter], store: (any LoadStore)?, at now: LoadInstant) -> Failure {
    let delay: Int64 =
      switch health {
      case .well: Self.retryDelays.lowerBound
      case .failing(let delay), .retryDue(let delay): min(delay * 2, Self.retryDelays.upperBound)
      }
    health = .failing(delay: delay)
    return Failure(callers: callers, store: store, retry: now.boot &+ delay, alarm: nextAlarm())
  }

  /// Ends a session whose start was committed, or may have been, although it was reported to its caller as failed.
  private mutating func abandon(_ id: SessionID, at now: LoadInstant) {
    append(LoadEvent(.abandon(id, .deadline), at: now), nil, deadline: nil)
  }
}

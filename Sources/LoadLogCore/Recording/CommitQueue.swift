import Synchronization

/// Carries events to a store in the order in which they were made, many in one transaction.
///
/// A caller that waits is resumed when its event is durable, or at its deadline. All callers that arrive while a
/// commit is under way share the next one (group commit). The writer is a thread of its own, so nothing
/// blocks the cooperative pool; a blocking caller that finds the queue idle commits on its own thread.
///
/// ``CommitQueueState`` decides; the queue does what it says, after it has released the lock. No thread is
/// started, no alarm is scheduled, no caller is resumed and no store is called under the lock. The queue
/// knows no database.
final class CommitQueue: Sendable {
  /// Where the queue reports. Called without the queue's lock.
  struct Reports: Sendable {
    /// Events are durable; called in their order, one call at a time.
    var committed: @Sendable ([NumberedEvent], [Receipt]) -> Void
    /// How long a commit took, in nanoseconds.
    var took: @Sendable (Int64) -> Void
    /// Recording failed.
    var failed: @Sendable (LoadLogError) -> Void
    /// Number of calls that were refused before they reached the queue; asked before each commit.
    var refusals: @Sendable () -> Int
    /// A commit succeeded that started after this many refusals.
    var recovered: @Sendable (Int) -> Void
    /// The store could be written to, but nothing was: only callers waited for it.
    var reached: @Sendable () -> Void
  }

  let clock: any LoadClock
  let reports: Reports
  let open: @Sendable () throws(LoadLogError) -> any LoadStore
  let state: Mutex<CommitQueueState>
  let wakeUp = WakeUp()
  private let path: String?
  private let deadline: Int64

  /// Makes a queue; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - path: the store's file, for errors.
  ///   - clock: gives the time of deadlines and retries.
  ///   - deadline: the longest time that a caller waits, in nanoseconds.
  ///   - isRepeatable: whether the store recognizes, by the numbers of its events, a batch that it has already.
  ///   - reports: where the queue reports.
  ///   - open: opens the store; called on the writer's thread, again after each failure.
  init(
    path: String?, clock: any LoadClock, deadline: Int64, isRepeatable: Bool, reports: Reports,
    open: @escaping @Sendable () throws(LoadLogError) -> any LoadStore
  ) {
    self.path = path
    self.clock = clock
    self.deadline = deadline
    self.reports = reports
    self.open = open
    state = Mutex(CommitQueueState(isRepeatable: isRepeatable))
  }

  /// The store, if it is open.
  var store: (any LoadStore)? { state.withLock { $0.openStore } }

  /// The events that are being committed, or that are tried again after a failed commit.
  var inFlight: [CommitQueueEntry] { state.withLock { $0.inFlight } }

  /// Returns the store that was reached, for reading. A commit that has failed since then has closed it: blocks the
  /// thread until it is open again.
  func reader() throws(LoadLogError) -> any LoadReading {
    while true {
      if let store { return store.reader }
      try reachBlocking(opening: true)
    }
  }
}

// MARK: - Fire and forget

extension CommitQueue {
  /// Takes an event that no caller waits for.
  ///
  /// - Returns: the call to pass to ``perform(_:)`` when the caller holds no lock.
  /// - Throws: `closed`; `overflow` for the first in a row of events that are dropped because the queue is
  ///   full.
  func enqueue(_ event: LoadEvent) throws(LoadLogError) -> CommitQueueState.WriterCall? {
    try ForkedChild.refuse(path)
    switch state.withLock({ $0.enqueue(event) }) {
    case .taken(let call): return call
    case .dropped(isFirst: false): return nil
    case .dropped(isFirst: true):
      throw LoadLogError(
        .overflow, what: "commit queue", why: "it is full; events are dropped and counted",
        advice: "loadlog doctor shows how many.")
    case .refused: throw CommitQueueState.closed
    }
  }

  /// Calls the writer.
  func perform(_ call: CommitQueueState.WriterCall?) {
    switch call {
    case nil: break
    case .wake: wakeUp.signal()
    case .start:
      guard !DaemonThread.start({ [self] in write() }) else { return }
      let now = clock.now()
      perform(
        state.withLock { $0.writerDidNotStart(at: now) },
        LoadLogError(.io, what: "commit queue", why: "the system provides no thread to write with"))
    }
  }
}

// MARK: - Waiting

extension CommitQueue {
  /// Takes an event; it is refused if there is an answer at once.
  typealias Taking = () -> CommitQueueState.Actions

  /// Takes an event and returns when it is durable.
  ///
  /// - Parameter together: takes the event, and does what has to happen in the same step.
  func commit(
    _ event: LoadEvent, together: (Taking) -> CommitQueueState.Actions = { $0() }
  ) async throws(LoadLogError) -> Receipt {
    try await suspending(together) { $0.take(event, for: $1, deadline: $2) }
  }

  /// Takes an event and blocks the thread until it is durable; commits in place if the queue is idle.
  ///
  /// - Parameter together: takes the event, and does what has to happen in the same step.
  func commitBlocking(
    _ event: LoadEvent, together: (Taking) -> CommitQueueState.Actions = { $0() }
  ) throws(LoadLogError) -> Receipt {
    try ForkedChild.refuse(path)
    let waiter = ThreadWaiter()
    let due = nextDeadline
    var claimed: (any LoadStore)?
    let actions = together {
      state.withLock { state in
        guard let claim = state.claim(event, for: .thread(waiter), deadline: due) else {
          return state.take(event, for: .thread(waiter), deadline: due)
        }
        claimed = claim.store
        return CommitQueueState.Actions(alarm: claim.alarm)
      }
    }
    perform(actions, for: .thread(waiter))
    if let claimed { commitInPlace(to: claimed) }
    return try waiter.wait()
  }

  /// Returns when everything taken so far is durable.
  ///
  /// - Parameter opening: opens the store even if nothing was taken yet.
  func reach(opening: Bool) async throws(LoadLogError) {
    _ = try await suspending { $0.reach(opening: opening, for: $1, deadline: $2) }
  }

  /// Blocks the thread until everything taken so far is durable.
  func reachBlocking(opening: Bool) throws(LoadLogError) {
    _ = try blocking { $0.reach(opening: opening, for: $1, deadline: $2) }
  }

  /// Takes a last event, if the owner has one; when it is durable the store is closed. Later events are
  /// refused, but a close that failed may be repeated.
  func close(_ event: LoadEvent?) async throws(LoadLogError) {
    _ = try await suspending { $0.close(event, for: $1, deadline: $2) }
  }

  /// Closes, and blocks the thread until the store is closed.
  func closeBlocking(_ event: LoadEvent?) throws(LoadLogError) {
    _ = try blocking { $0.close(event, for: $1, deadline: $2) }
  }

  /// Closes without a caller that could retry: events that cannot be recorded are discarded.
  func closeEventually(_ event: LoadEvent?) {
    perform(state.withLock { $0.close(event, for: nil, deadline: .max) }, for: nil)
  }

  /// Ends the owner after a close that failed, as soon as the store can be written to. Nothing is discarded.
  func endLater(_ event: LoadEvent) { perform(state.withLock { $0.endLater(event) }) }

  private typealias Step = (inout CommitQueueState, CommitWaiter, Int64) -> CommitQueueState.Actions

  private func suspending(
    _ together: (Taking) -> CommitQueueState.Actions = { $0() }, _ step: @escaping Step
  ) async throws(LoadLogError) -> Receipt {
    try ForkedChild.refuse(path)
    let due = nextDeadline
    let result: Result<Receipt, LoadLogError> = await withUnsafeContinuation { continuation in
      let waiter = CommitWaiter.task(continuation)
      perform(together { state.withLock { step(&$0, waiter, due) } }, for: waiter)
    }
    return try result.get()
  }

  private func blocking(_ step: Step) throws(LoadLogError) -> Receipt {
    try ForkedChild.refuse(path)
    let waiter = ThreadWaiter()
    let due = nextDeadline
    perform(state.withLock { step(&$0, .thread(waiter), due) }, for: .thread(waiter))
    return try waiter.wait()
  }

  private func perform(_ actions: CommitQueueState.Actions, for waiter: CommitWaiter?) {
    if let answer = actions.answer { waiter?.resume(answer) }
    schedule(expiryAt: actions.alarm)
    perform(actions.call)
  }

  /// The deadline of a caller that starts to wait now.
  private var nextDeadline: Int64 {
    clock.now().boot.addingClamping(deadline)
  }
}

// MARK: - Failures and time

extension CommitQueue {
  /// Does what a failure asks for.
  func perform(_ failure: CommitQueueState.Failure, _ error: LoadLogError) {
    failure.store?.close(finally: false)
    reports.failed(error)
    for caller in failure.callers { caller.resume(.failure(error)) }
    schedule(expiryAt: failure.alarm)
    schedule(at: failure.retry) { $0.retryIsDue() }
  }

  /// Schedules a step that may wake the writer.
  func schedule(
    at boot: Int64?, _ step: @escaping @Sendable (inout CommitQueueState) -> CommitQueueState.WriterCall?
  ) {
    guard let boot else { return }
    _ = clock.schedule(at: boot) { [weak self] in
      guard let self else { return }
      perform(state.withLock { step(&$0) })
    }
  }

  private func schedule(expiryAt boot: Int64?) {
    guard let boot else { return }
    _ = clock.schedule(at: boot) { [weak self] in self?.expire() }
  }

  private func expire() {
    let now = clock.now().boot
    let (callers, isCommitting, alarm) = state.withLock { $0.expire(at: now) }
    schedule(expiryAt: alarm)
    guard !callers.isEmpty else { return }
    let error = LoadLogError(
      .busy, what: "store",
      why: isCommitting
        ? "a commit had not ended at the deadline" : "it could not be written to before the deadline",
      advice: isCommitting
        ? "The disk may be slow." : "Another program may be holding its lock: find it with lsof or fuser.",
      path: path)
    reports.failed(error)
    for caller in callers { caller.resume(.failure(error)) }
  }
}

import Synchronization

/// Carries events to a store in the order in which they were made, many in one transaction.
///
/// Whoever waits is answered when the event is durable, or at its deadline. All who wait while a commit is
/// under way share the next one. The writer is a thread of its own, so nothing blocks the cooperative pool;
/// a thread that finds the queue idle and the store free commits in place. The queue knows no database.
final class CommitQueue: Sendable {
  /// What the queue reports.
  struct Reports: Sendable {
    /// Events are durable; in their order, one call at a time.
    var committed: @Sendable ([NumberedEvent], [Receipt]) -> Void
    /// How long a commit took, in nanoseconds.
    var took: @Sendable (Int64) -> Void
    /// Recording failed, or works again.
    var trouble: @Sendable (LoadLogError?) -> Void
  }

  /// Trouble is tried again after so long, each time twice as long, up to the second figure; nanoseconds.
  private static let retryDelays: ClosedRange<Int64> = 100_000_000...5_000_000_000
  /// Whoever was answered is waited for until so many have come again, for half the time that the last commit took
  /// and at most so many nanoseconds.
  private static let gathering = (most: 128, longest: Int64(2_000_000))
  /// With `durability: .process`, so long after a commit it is made to survive a power cut; nanoseconds.
  private static let synchronizeDelay: Int64 = 5_000_000_000

  private struct State {
    var queue = CommitQueueState()
    var store: (any LoadStore)?
    /// When somebody's deadline will be looked at.
    var alarmTime = Int64.max
    var hasWriter = false
    var isWriterAsleep = false
    /// The writer sleeps until so many events are pending.
    var gathered = 1
    /// How many callers the last commit answered, and how long it took in nanoseconds.
    var last = (answers: 0, duration: Int64(0))
    var maintenance = MaintenanceNeed.none
    var needsSynchronizing = false
    var isSynchronizingPlanned = false
    /// Set while the store is in trouble.
    var retryDelay: Int64?
    var hasOverflowed = false
    var hasMissedDeadline = false
    var isRetryDue = false
    /// The store was open at some time: the owner may be known there.
    var wasOpen = false
    /// Closing was asked for; then its event is durable; then the writer closes the store.
    var isEnding = false
    var isOwnerClosed = false
    var isShutting = false
    /// Nobody is left who could close again: what cannot be recorded now is given up.
    var isForsaken = false
    /// Wait until the store is closed.
    var closers: [CommitWaiter] = []

    var shouldCommit: Bool {
      !queue.pending.isEmpty && (retryDelay == nil || isRetryDue || queue.hasCaller)
    }

    mutating func takeClosers() -> [CommitWaiter] {
      defer { closers = [] }
      return closers
    }

    /// Whether nothing is left to be closed: the owner has ended, or there is none to end, and no store is to be made
    /// for it. After trouble the store is not open, but the owner may well be known there.
    func isOver(_ lastEvent: LoadEvent?) -> Bool {
      queue.isIdle && store == nil && (isOwnerClosed || lastEvent == nil || !wasOpen)
    }
  }

  private let path: String?
  private let open: @Sendable () throws(LoadLogError) -> any LoadStore
  private let clock: any LoadClock
  private let deadline: Int64
  private let synchronizes: Bool
  private let isRepeatable: Bool
  private let reports: Reports
  private let state = Mutex(State())
  private let wakeUp = WakeUp()

  /// Makes a queue; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - path: the store's file, for errors.
  ///   - deadline: how long a caller waits at most, in nanoseconds.
  ///   - synchronizes: commits alone do not survive a power cut.
  ///   - isRepeatable: the owner's events have numbers of their own, by which the store knows a batch again.
  ///   - reports: whom to tell what.
  ///   - open: opens the store; called again after a failure.
  init(
    path: String?, clock: any LoadClock, deadline: Int64, synchronizes: Bool, isRepeatable: Bool,
    reports: Reports,
    open: @escaping @Sendable () throws(LoadLogError) -> any LoadStore
  ) {
    self.path = path
    self.clock = clock
    self.deadline = deadline
    self.synchronizes = synchronizes
    self.isRepeatable = isRepeatable
    self.reports = reports
    self.open = open
  }

  /// The store, if it is open.
  var store: (any LoadStore)? { state.withLock { $0.store } }
}

// MARK: - Taking events

extension CommitQueue {
  /// Takes an event that nobody waits for.
  ///
  /// - Throws: `closed`; `overflow` for the first of a row of events that are dropped because the queue is full.
  func enqueue(_ event: LoadEvent) throws(LoadLogError) {
    try ForkedChild.refuse(path)
    try state.withLock { state throws(LoadLogError) in
      let isAdded = try state.queue.append(event, isInTrouble: state.retryDelay != nil)
      defer { state.hasOverflowed = !isAdded }
      guard isAdded || state.hasOverflowed else {
        throw LoadLogError(
          .overflow, what: "commit queue", why: "it is full; events are dropped and counted",
          advice: "loadlog doctor shows how many.")
      }
      wakeWriter(&state)
    }
  }

  /// Takes an event, or a mark, and returns when it is durable.
  func commit(_ event: LoadEvent) async throws(LoadLogError) -> Receipt {
    let result: Result<Receipt, LoadLogError> = await withUnsafeContinuation { continuation in
      take(event, for: .task(continuation))
    }
    return try result.get()
  }

  /// The same for a thread; commits in place if the queue is idle and the store free.
  func commitBlocking(_ event: LoadEvent) throws(LoadLogError) -> Receipt {
    let waiter = ThreadWaiter()
    if let store = claim(for: event, waiter) {
      commitInPlace(store)
    } else {
      take(event, for: .thread(waiter))
    }
    return try waiter.wait()
  }

  /// Returns when everything taken so far is durable.
  ///
  /// - Parameter opening: opens the store even if nothing was taken yet.
  func reach(opening: Bool) async throws(LoadLogError) {
    let result: Result<Receipt, LoadLogError> = await withUnsafeContinuation { continuation in
      reach(opening: opening, for: .task(continuation))
    }
    _ = try result.get()
  }

  /// The same for a thread.
  func reachBlocking(opening: Bool) throws(LoadLogError) {
    let waiter = ThreadWaiter()
    reach(opening: opening, for: .thread(waiter))
    _ = try waiter.wait()
  }

  private func reach(opening: Bool, for waiter: CommitWaiter) {
    let isThere =
      !ForkedChild.isThisProcess && state.withLock { $0.queue.isIdle && ($0.store != nil || !opening) }
    if isThere { waiter.resume(.success(Receipt(.nothing))) } else { take(nil, for: waiter) }
  }

  /// Takes a last event, if the owner has one; when it is durable the store is closed. Later events are refused, but a
  /// close that failed may be tried again.
  func close(_ event: LoadEvent?) async throws(LoadLogError) {
    let result: Result<Receipt, LoadLogError> = await withUnsafeContinuation { continuation in
      take(event, for: .task(continuation), closing: true)
    }
    _ = try result.get()
  }

  /// The same for a thread.
  func closeBlocking(_ event: LoadEvent?) throws(LoadLogError) {
    let waiter = ThreadWaiter()
    take(event, for: .thread(waiter), closing: true)
    _ = try waiter.wait()
  }

  /// The same with nobody waiting.
  func closeEventually(_ event: LoadEvent?) { take(event, for: nil, closing: true) }

  private func take(_ event: LoadEvent?, for waiter: CommitWaiter?, closing: Bool = false) {
    let due = nextDue
    do throws(LoadLogError) {
      try ForkedChild.refuse(path)
      let (isVoid, hasWriter) = try state.withLock { state throws(LoadLogError) in
        if closing {
          state.queue.isClosed = true
          state.isEnding = true
          if waiter == nil { state.isForsaken = true }
          if state.isShutting && (state.isOwnerClosed || event == nil) {
            if let waiter { state.closers.append(waiter) }
            return (false, true)
          }
        }
        let isVoid = closing && state.isOver(event)
        if closing, event == nil, !isVoid, state.queue.isIdle {
          // Nothing is to be written first.
          if let waiter { state.closers.append(waiter) }
        } else if !isVoid {
          try state.queue.append(
            event, waiter: waiter, deadline: waiter == nil ? nil : due, closing: closing)
        }
        setAlarm(&state)
        return (isVoid, isVoid && !state.hasWriter || wakeWriter(&state))
      }
      if isVoid { waiter?.resume(.success(Receipt(.nothing))) }
      if !hasWriter {
        let error = LoadLogError(
          .io, what: "commit queue", why: "the system gives it no thread to write with")
        recover(from: error)
        for closer in state.withLock({ $0.takeClosers() }) { closer.resume(.failure(error)) }
      }
    } catch {
      waiter?.resume(.failure(error))
    }
  }

  /// The deadline of whoever begins to wait now.
  private var nextDue: Int64 {
    let (due, overflow) = clock.now().boot.addingReportingOverflow(deadline)
    return overflow ? .max : due
  }

  /// Claims the store for the calling thread, if nothing else is under way.
  private func claim(for event: LoadEvent, _ waiter: ThreadWaiter) -> (any LoadStore)? {
    let due = nextDue
    return state.withLock { state in
      guard state.queue.isIdle, !state.queue.isClosed, state.maintenance != .soon, let store = state.store,
        (try? state.queue.append(event, waiter: .thread(waiter), deadline: due)) != nil
      else { return nil }
      state.queue.isWorking = true
      return store
    }
  }

  private func commitInPlace(_ store: any LoadStore) {
    var error: LoadLogError?
    do throws(LoadLogError) {
      if try store.begin(waiting: false) { try commitBatch(to: store, mayReopen: false) }
    } catch let failure {
      error = failure
    }
    if let error { recover(from: error) }
    state.withLock { state in
      state.queue.isWorking = false
      setAlarm(&state)
      let hasWork = !state.queue.pending.isEmpty || state.maintenance != .none || state.needsSynchronizing
      if hasWork || state.isEnding { wakeWriter(&state) }
    }
  }
}

// MARK: - The writer

extension CommitQueue {
  /// - Returns: false if there is no writer, because the system gives no thread.
  @discardableResult
  private func wakeWriter(_ state: inout State) -> Bool {
    if !state.hasWriter {
      state.hasWriter = DaemonThread.start { [self] in write() }
    } else if state.isWriterAsleep,
      state.queue.pending.count >= state.gathered || state.isEnding || state.needsSynchronizing
    {
      state.isWriterAsleep = false
      state.gathered = 1
      wakeUp.signal()
    }
    return state.hasWriter
  }

  private enum Work {
    case commit
    case synchronize(any LoadStore)
    case maintain(any LoadStore)
    case sleep
    case end((any LoadStore)?, isOwnerClosed: Bool, lost: Int)
  }

  private func write() {
    while true {
      switch nextWork() {
      case .commit:
        gather()
        commitPending()
      case .maintain(let store): store.maintain(closing: false)
      case .synchronize(let store):
        do throws(LoadLogError) {
          try store.synchronize()
        } catch {
          reports.trouble(error)
          planSynchronizing(at: clock.now().boot &+ Self.synchronizeDelay)
        }
      case .sleep:
        wakeUp.wait()
        continue
      case .end(let store, let isOwnerClosed, let lost):
        if lost > 0 {
          reports.trouble(
            LoadLogError(.io, what: "close", why: "\(lost) events could not be recorded before it"))
        }
        if synchronizes {
          do throws(LoadLogError) { try store?.synchronize() } catch { reports.trouble(error) }
        }
        store?.maintain(closing: true)
        store?.close(finally: isOwnerClosed)
        if hasEnded() { return }
        continue
      }
      state.withLock { $0.queue.isWorking = false }
    }
  }

  /// Answers those who have closed, once the store is.
  ///
  /// - Returns: false if there is more to do: a close that had failed is tried again.
  private func hasEnded() -> Bool {
    let (closers, isOver) = state.withLock { state in
      state.isShutting = false
      state.hasWriter = !state.queue.pending.isEmpty
      return (state.takeClosers(), !state.hasWriter)
    }
    for closer in closers { closer.resume(.success(Receipt(.recorded))) }
    return isOver
  }

  private func nextWork() -> Work {
    state.withLock { state in
      if !state.queue.isWorking {
        if let store = state.store, state.maintenance == .soon || !state.shouldCommit,
          state.maintenance != .none
        {
          state.maintenance = .none
          state.queue.isWorking = true
          return .maintain(store)
        }
        if state.shouldCommit {
          state.isRetryDue = false
          state.queue.isWorking = true
          return .commit
        }
        if let store = state.store, state.needsSynchronizing {
          state.needsSynchronizing = false
          state.isSynchronizingPlanned = false
          state.queue.isWorking = true
          return .synchronize(store)
        }
        // A close that failed gives nothing up: a finish is true however late, and the close may be tried again.
        if state.isEnding, state.queue.pending.isEmpty || state.isForsaken {
          defer { state.store = nil }
          state.isShutting = true
          return .end(
            state.store, isOwnerClosed: state.isOwnerClosed, lost: state.queue.giveUp())
        }
      }
      state.isWriterAsleep = true
      return .sleep
    }
  }

  /// Lets those who were answered come again before the next commit begins: a commit takes about as long for many as
  /// for one. The caller works.
  private func gather() {
    let patience = state.withLock { state -> Int64? in
      defer { state.last.answers = 0 }
      state.gathered = min(state.last.answers, Self.gathering.most)
      guard state.queue.pending.count < state.gathered, !state.isEnding else {
        state.gathered = 1
        return nil
      }
      state.isWriterAsleep = true
      return min(state.last.duration / 2, Self.gathering.longest)
    }
    guard let patience, !wakeUp.wait(nanoseconds: patience) else { return }
    let isWoken = state.withLock { state in
      defer { state.isWriterAsleep = false }
      state.gathered = 1
      return !state.isWriterAsleep
    }
    // Whoever has woken it meanwhile has signalled, or is about to.
    if isWoken { wakeUp.wait() }
  }

  private func commitPending() {
    do throws(LoadLogError) {
      let store = try openStore()
      guard try store.begin(waiting: true) else {
        return state.withLock { $0.isRetryDue = true }
      }
      try commitBatch(to: store, mayReopen: true)
    } catch {
      recover(from: error)
    }
  }

  private func openStore() throws(LoadLogError) -> any LoadStore {
    if let store { return store }
    let store = try open()
    state.withLock { state in
      state.store = store
      state.wasOpen = true
    }
    return store
  }

  /// Commits what is pending; if that fails, closes the store, opens it again and tries once more: an event
  /// that had reached the disk after all is recognised by its number.
  ///
  /// - Parameter mayReopen: opening waits for the gate, which only the writer may do; otherwise it is left to it.
  private func commitBatch(to store: any LoadStore, mayReopen: Bool) throws(LoadLogError) {
    let (batch, dropped) = state.withLock { ($0.queue.takeBatch(), $0.queue.dropped) }
    let events = batch.compactMap { entry in
      entry.event.map { NumberedEvent(number: entry.number, event: $0) }
    }
    guard !events.isEmpty else {
      store.abort()
      return settle([], [], dropped: 0, duration: 0)
    }
    let start = clock.now().boot
    let receipts: [Receipt]
    do throws(LoadLogError) {
      receipts = try store.commit(events, dropped: dropped)
    } catch  where isRepeatable && error.isWorthAnotherTry {
      discardStore()
      guard mayReopen else { return state.withLock { $0.queue.putBack() } }
      let store = try openStore()
      guard try store.begin(waiting: true) else { throw error }
      receipts = try store.commit(events, dropped: dropped)
    }
    let duration = clock.now().boot - start
    reports.took(duration)
    settle(events, receipts, dropped: dropped, duration: duration)
  }

  /// Answers those who waited, and tells what became of the events.
  private func settle(
    _ events: [NumberedEvent], _ receipts: [Receipt], dropped: Int, duration: Int64
  ) {
    let now = clock.now()
    let (entries, recovered) = state.withLock { state in
      let entries = state.queue.succeed(countingDropped: dropped)
      entries.compactMap(\.forsakenStart).forEach { state.queue.abandon($0, at: now) }
      state.maintenance = state.store?.maintenance ?? .none
      if entries.contains(where: { $0.event?.isClosing ?? false }) { state.isOwnerClosed = true }
      if synchronizes, !state.isSynchronizingPlanned {
        state.isSynchronizingPlanned = true
        planSynchronizing(at: now.boot &+ Self.synchronizeDelay)
      }
      let recovered = state.retryDelay != nil || state.hasOverflowed || state.hasMissedDeadline
      state.retryDelay = nil
      state.hasOverflowed = false
      state.hasMissedDeadline = false
      state.last = (entries.count { $0.waiter != nil }, duration)
      return (entries, recovered)
    }
    reports.committed(events, receipts)
    // First, so that whoever is told of success finds no trouble standing.
    if recovered { reports.trouble(nil) }
    var unread = receipts[...]
    for entry in entries {
      let receipt = entry.event == nil ? Receipt(.nothing) : unread.popFirst() ?? Receipt(.nothing)
      guard let waiter = entry.waiter else { continue }
      if entry.isClose {
        state.withLock { $0.closers.append(waiter) }
      } else {
        waiter.resume(.success(receipt))
      }
    }
  }

  private func recover(from error: LoadLogError) {
    discardStore()
    let now = clock.now()
    let waiters = state.withLock { state in
      let waiters = state.queue.fail(at: now, keepingInFlight: isRepeatable)
      let delay = state.retryDelay.map { min($0 * 2, Self.retryDelays.upperBound) }
      state.retryDelay = delay ?? Self.retryDelays.lowerBound
      setAlarm(&state)
      return waiters
    }
    reports.trouble(error)
    for waiter in waiters { waiter.resume(.failure(error)) }
    planRetry(at: now.boot)
  }

  private func discardStore() {
    let store = state.withLock { state in
      defer { state.store = nil }
      return state.store
    }
    store?.close(finally: false)
  }
}

// MARK: - Time

extension CommitQueue {
  /// One alarm stands, for the earliest deadline. Deadlines come in their order: who begins to wait later has none
  /// before it.
  private func setAlarm(_ state: inout State) {
    guard state.alarmTime == .max, let next = state.queue.nextDeadline else { return }
    state.alarmTime = next
    _ = clock.schedule(at: next) { [weak self] in self?.expire() }
  }

  private func expire() {
    let now = clock.now().boot
    let waiters = state.withLock { state in
      state.alarmTime = .max
      let waiters = state.queue.expire(at: now)
      if !waiters.isEmpty { state.hasMissedDeadline = true }
      setAlarm(&state)
      return waiters
    }
    let error = LoadLogError(
      .busy, what: "store", why: "it could not be written to before the deadline",
      advice: "Another program may be holding its lock; loadlog doctor says more.", path: path)
    if !waiters.isEmpty { reports.trouble(error) }
    for waiter in waiters { waiter.resume(.failure(error)) }
  }

  private func planRetry(at now: Int64) {
    guard let delay = state.withLock({ $0.retryDelay }) else { return }
    _ = clock.schedule(at: now &+ delay) { [weak self] in
      self?.state.withLock { state in
        // Not forgotten but taken: the next failure waits twice as long. With nothing to try yet, the next
        // event may try at once.
        guard state.retryDelay != nil else { return }
        state.isRetryDue = true
        self?.wakeWriter(&state)
      }
    }
  }

  private func planSynchronizing(at time: Int64) {
    _ = clock.schedule(at: time) { [weak self] in
      self?.state.withLock { state in
        state.needsSynchronizing = true
        self?.wakeWriter(&state)
      }
    }
  }
}

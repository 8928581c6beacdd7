import Synchronization

/// Commits: on the writer's thread, or in place.
extension CommitQueue {
  /// The writer's loop: works until the store is closed.
  func write() {
    while true {
      switch state.withLock({ $0.nextWork() }) {
      case .commit(let patience):
        if let patience { gather(nanoseconds: patience) }
        commitPending()
      case .maintain(let store): store.maintain(closing: false)
      case .synchronize(let store): synchronize(store)
      case .sleep: wakeUp.wait()
      case .close(let work):
        if close(work) { return }
      }
    }
  }

  /// Commits on the calling thread, which has claimed the store.
  func commitInPlace(to store: any LoadStore) {
    do throws(LoadLogError) {
      if try store.begin(waiting: false) { try commitBatch(to: store) }
    } catch {
      fail(with: error)
    }
    perform(state.withLock { $0.finishInPlace() })
  }

  private func gather(nanoseconds patience: Int64) {
    guard !wakeUp.wait(nanoseconds: patience), state.withLock({ $0.stopGathering() }) else { return }
    // The writer was called just after its wait timed out. Take the signal, which has arrived or is about to.
    wakeUp.wait()
  }

  private func commitPending() {
    do throws(LoadLogError) {
      let store = try openStore()
      if try store.begin(waiting: true) {
        try commitBatch(to: store)
      } else {
        state.withLock { $0.didNotBegin() }
      }
    } catch {
      fail(with: error)
    }
  }

  private func openStore() throws(LoadLogError) -> any LoadStore {
    if let store { return store }
    let store = try open()
    state.withLock { $0.didOpen(store) }
    return store
  }

  /// Commits the pending events to an open store. If that fails, closes the store, reopens it and tries once more: by
  /// their numbers the store recognizes events that it has already.
  private func commitBatch(to store: any LoadStore) throws(LoadLogError) {
    let refusals = reports.refusals()
    let (batch, dropped) = state.withLock { $0.takeBatch() }
    let events = batch.compactMap { entry in
      entry.event.map { NumberedEvent(number: entry.number, event: $0) }
    }
    guard !events.isEmpty else {
      store.abort()
      return settle([], [], dropped: 0, duration: 0, store, refusals)
    }
    let start = clock.now().boot
    var store = store
    let receipts: [Receipt]
    do throws(LoadLogError) {
      receipts = try store.commit(events, dropped: dropped)
    } catch {
      switch state.withLock({ $0.commitFailed(with: error) }) {
      case .giveUp: throw error
      case .leaveToWriter(let broken): return broken.close(finally: false)
      case .tryAgain(let broken): broken.close(finally: false)
      }
      store = try openStore()
      guard try store.begin(waiting: true) else { throw error }
      receipts = try store.commit(events, dropped: dropped)
    }
    let duration = clock.now().boot - start
    reports.took(duration)
    settle(events, receipts, dropped: dropped, duration: duration, store, refusals)
  }

  private func settle(
    _ events: [NumberedEvent], _ receipts: [Receipt], dropped: Int, duration: Int64, _ store: any LoadStore,
    _ refusals: Int
  ) {
    let (now, need, synchronizes) = (clock.now(), store.maintenance, store.needsSynchronization)
    let (entries, synchronization) = state.withLock {
      $0.settle(
        droppedReported: dropped, duration: duration, maintenance: need, synchronizes: synchronizes, at: now)
    }
    schedule(at: synchronization) { $0.synchronizationIsDue() }
    reports.committed(events, receipts)
    // Clear the failure before the callers are resumed: a caller that sees its call succeed must not find `failure` set.
    if events.isEmpty { reports.reached() } else { reports.recovered(refusals) }
    var unread = receipts[...]
    for entry in entries {
      let receipt = entry.event == nil ? Receipt(.nothing) : unread.popFirst() ?? Receipt(.nothing)
      entry.waiter?.resume(.success(receipt))
    }
  }

  private func fail(with error: LoadLogError) {
    let now = clock.now()
    perform(state.withLock { $0.fail(at: now) }, error)
  }

  private func synchronize(_ store: any LoadStore) {
    do throws(LoadLogError) {
      try store.synchronize()
    } catch {
      reports.failed(error)
      let now = clock.now()
      schedule(at: state.withLock { $0.synchronizationFailed(at: now) }) { $0.synchronizationIsDue() }
    }
  }

  /// - Returns: whether the writer's thread ends.
  private func close(_ work: CommitQueueState.ClosingWork) -> Bool {
    let lost = work.lost == 1 ? "1 event" : "\(work.lost) events"
    let error = LoadLogError(
      .io, what: "close",
      why: work.lost > 0 ? "\(lost) could not be recorded" : "the end of the owner could not be recorded")
    if work.lost > 0 || work.isEndLost { reports.failed(error) }
    for caller in work.callers { caller.resume(.failure(error)) }
    var answer: Result<Receipt, LoadLogError> = .success(Receipt(.recorded))
    if let store = work.store {
      if store.needsSynchronization {
        do throws(LoadLogError) {
          try store.synchronize()
        } catch {
          reports.failed(error)
          answer = .failure(error)
        }
      }
      store.maintain(closing: true)
      store.close(finally: work.finally)
    }
    let (closers, ends) = state.withLock { $0.finishClosing() }
    for closer in closers { closer.resume(answer) }
    return ends
  }
}

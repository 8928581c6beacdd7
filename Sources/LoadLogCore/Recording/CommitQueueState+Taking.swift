/// Transitions for new events and callers.
extension CommitQueueState {
  /// Takes a fire-and-forget event.
  mutating func enqueue(_ event: LoadEvent) -> Enqueued {
    guard closing == nil else { return .refused }
    let most = if case .well = health { Self.mostPending.well } else { Self.mostPending.failing }
    guard pending.count < most else {
      dropped += 1
      defer { isOverflowing = true }
      return .dropped(isFirst: !isOverflowing)
    }
    isOverflowing = false
    append(event, nil, deadline: nil)
    return .taken(callWriter())
  }

  /// Takes an event, or without one a mark, for a caller that waits until it is durable.
  mutating func take(_ event: LoadEvent?, for waiter: CommitWaiter, deadline: Int64) -> Actions {
    guard closing == nil else { return Actions(answer: .failure(Self.closed)) }
    append(event, waiter, deadline: deadline)
    return Actions(call: callWriter(), alarm: nextAlarm())
  }

  /// A caller waits until everything taken so far is durable.
  ///
  /// - Parameter opening: the store has to be open, too.
  mutating func reach(opening: Bool, for waiter: CommitWaiter, deadline: Int64) -> Actions {
    if closing == nil, isIdle, openStore != nil || !opening {
      return Actions(answer: .success(Receipt(.nothing)))
    }
    return take(nil, for: waiter, deadline: deadline)
  }

  /// Gives the store to the calling thread, to commit its own event there, if the store is open, nothing else is queued,
  /// and the writer has nothing to do first.
  ///
  /// - Returns: the store, and when to schedule ``expire(at:)``; nil if the event was not taken.
  mutating func claim(
    _ event: LoadEvent, for waiter: CommitWaiter, deadline: Int64
  ) -> (store: any LoadStore, alarm: Int64?)? {
    guard case .resting(let isAwake) = state, case .open(let store, let need) = store, need != .soon,
      synchronization != .due, pending.isEmpty, closing == nil
    else { return nil }
    append(event, waiter, deadline: deadline)
    state = .committingInPlace([], isWriterAwake: isAwake)
    return (store, nextAlarm())
  }

  /// The calling thread has given the store back.
  mutating func finishInPlace() -> WriterCall? {
    guard case .committingInPlace(_, let isAwake) = state else { return nil }
    state = .resting(isWriterAwake: isAwake)
    return callWriter()
  }

  /// Takes the owner's last event, if it has one, and refuses all later ones. A close that failed may be
  /// repeated.
  ///
  /// - Parameter waiter: resumed when the store is closed; nil if no caller is left that could close again.
  mutating func close(_ event: LoadEvent?, for waiter: CommitWaiter?, deadline: Int64) -> Actions {
    var closing = closing ?? Closing()
    if waiter == nil { closing.isForsaken = true }
    self.closing = closing

    if case .closing = state, closing.hasOwnerEnded || event == nil || !mayKnowOwner {
      addCloser(waiter, deadline: deadline)
      return Actions(alarm: nextAlarm())
    }
    if isOver(event) {
      let call: WriterCall? = if case .dormant = state { nil } else { callWriter() }
      return Actions(call: call, answer: .success(Receipt(.nothing)))
    }
    if event == nil, isIdle {
      // There is nothing to write first.
      addCloser(waiter, deadline: deadline)
    } else {
      append(event, waiter, deadline: waiter == nil ? nil : deadline, isClose: true)
    }
    return Actions(call: callWriter(), alarm: nextAlarm())
  }

  /// The controller goes on as a new owner. If the close of this one failed, it is made up for, at once and then
  /// whenever a failing store is tried again.
  mutating func endLater(_ lastEvent: LoadEvent) -> WriterCall? {
    guard closing?.hasOwnerEnded == false, !isOver(lastEvent) else { return nil }
    append(lastEvent, nil, deadline: nil, isClose: true)
    if case .failing(let delay) = health { health = .retryDue(delay: delay) }
    return callWriter()
  }

  /// Whether a close has nothing to do: the owner has ended, or the store was never opened, so there is no owner to
  /// end, and a close must not create a store. A store that was closed after a failure may know the owner, which then
  /// has to be ended.
  private func isOver(_ lastEvent: LoadEvent?) -> Bool {
    isIdle && openStore == nil && (closing?.hasOwnerEnded == true || lastEvent == nil || !mayKnowOwner)
  }

  private var mayKnowOwner: Bool {
    if case .unopened = store { false } else { true }
  }

  /// Lets a caller wait until the store is closed.
  mutating func addCloser(_ waiter: CommitWaiter?, deadline: Int64) {
    if let waiter { closing?.callers.append((waiter, deadline)) }
  }

  /// Adds an entry, whatever the number of entries that wait.
  mutating func append(
    _ event: LoadEvent?, _ waiter: CommitWaiter?, deadline: Int64?, isClose: Bool = false
  ) {
    if event != nil { lastNumber += 1 }
    pending.append(
      Entry(number: lastNumber, event: event, waiter: waiter, deadline: deadline, isClose: isClose))
  }

  static var closed: LoadLogError {
    LoadLogError(.closed, what: "controller", why: "it was closed", advice: "Reopen it first.")
  }
}

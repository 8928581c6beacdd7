/// An event that waits to be committed or, without an event, a mark: its caller waits for all earlier events.
struct CommitQueueEntry {
  /// The event's number; a mark has the number of the event before it.
  let number: Int64
  let event: LoadEvent?
  /// The caller to resume; nil if no caller waits, or none waits any more.
  var waiter: CommitWaiter?
  /// When the caller stops waiting, in nanoseconds on the boot clock; nil for a fire-and-forget event.
  let deadline: Int64?
  /// The entry is part of a close: its caller is resumed when the store is closed, not when the event is
  /// durable.
  var isClose = false
  /// A commit of the event failed without a clear answer: the store may have the event already.
  var mayBeCommitted = false
  /// The event was reported to the caller as failed, but may still be committed.
  var isForsaken = false

  /// Whether the entry is dropped when its caller gives up: a start that no caller will finish, a command that its caller
  /// can repeat, a mark, a close. Any other event has happened, whatever was reported to its caller, and is recorded late.
  var isWithdrawable: Bool {
    switch event?.kind {
    case .start, .acknowledge, .expect, .clearExpectation, .pauseExpectation, .resumeExpectation, .close, nil:
      true
    default: false
    }
  }

  /// Whether the store may have a start already. Its load then has to be ended, although no caller waits.
  var mayHaveStarted: Bool {
    if case .start = event?.kind { mayBeCommitted } else { false }
  }

  /// Whether the event ends a load that it names. Such an event is tried again in a store that does not recognize events
  /// by their numbers, too: at worst it is recorded a second time, as a duplicate, but without it the load never ends.
  var endsNamedLoad: Bool {
    switch event?.kind {
    case .finish, .abandon: true
    default: false
    }
  }

  /// The session that nothing will finish if this entry is committed after all.
  var forsakenStart: SessionID? { isForsaken ? start : nil }

  /// The session that this entry starts.
  var start: SessionID? {
    if case .start(let id, _, _, _) = event?.kind { id } else { nil }
  }

  /// Whether a caller waits and its deadline has passed.
  func isDue(at boot: Int64) -> Bool { waiter != nil && (deadline ?? .max) <= boot }

  /// Removes the caller, to which the event is reported as failed.
  mutating func forsake() {
    waiter = nil
    isForsaken = true
  }
}

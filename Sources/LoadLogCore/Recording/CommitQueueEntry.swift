/// An event that waits to be committed or, without an event, a mark: a caller waits for everything before it.
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
  /// The caller was told that the event failed, but the event may still be committed.
  var isForsaken = false

  /// Whether the entry is dropped when its caller gives up: a start that no caller will finish, a mark, a
  /// close. Any other event has happened, whatever its caller was told, and is recorded late.
  var isWithdrawable: Bool {
    switch event?.kind {
    case .start, .close, nil: true
    default: false
    }
  }

  /// The session that nothing will finish if this entry is committed after all.
  var forsakenStart: SessionID? {
    guard isForsaken, case .start(let id, _, _, _) = event?.kind else { return nil }
    return id
  }

  /// Whether a caller waits and its deadline has passed.
  func isDue(at boot: Int64) -> Bool { waiter != nil && (deadline ?? .max) <= boot }

  /// Forgets the caller, who is told that the event failed.
  mutating func forsake() {
    waiter = nil
    isForsaken = true
  }
}

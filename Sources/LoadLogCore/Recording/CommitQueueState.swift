/// The rules of the commit queue, as a state machine without threads, clocks or locks.
///
/// Each method is called for one occurrence, and returns the actions that the queue has to execute after it has
/// released its lock. ``CommitQueue`` makes no decisions; this struct has no side effects.
///
///     dormant ──► resting ◄──► committingInPlace
///        ▲           ▲
///        │           ▼
///        │        gathering ──► committing, maintaining, synchronizing      (the writer thread at work)
///        └─────── closing
///
/// What changes independently of the thread that uses the store has an enum of its own beside ``State``.
struct CommitQueueState {
  typealias Entry = CommitQueueEntry

  /// Which thread uses the store, and for what.
  enum State {
    /// There is no writer thread, and no store is open.
    case dormant
    /// The store is free. The writer sleeps, or was woken and is about to ask for work.
    case resting(isWriterAwake: Bool)
    /// A caller commits on its own thread. The batch is empty until the store can be written to.
    case committingInPlace([Entry], isWriterAwake: Bool)
    /// The writer waits a moment before it commits, until the given number of events are pending.
    case gathering(until: Int)
    /// The writer commits. The batch is empty until the store can be written to.
    case committing([Entry])
    /// The writer lets the store do work that can wait, such as a checkpoint.
    case maintaining
    /// The writer makes earlier commits survive a power cut.
    case synchronizing
    /// The writer closes the store; its thread ends afterwards.
    case closing
  }

  /// Whether the store is open, and whether it may know the owner.
  enum Store {
    /// It was never open, so it does not know the owner.
    case unopened
    case open(any LoadStore, MaintenanceNeed)
    /// It was open before: it may know the owner.
    case closed
  }

  /// Whether the store can be written to; delays are in nanoseconds.
  enum Health {
    case well
    /// The last try failed. The next one is due after the delay, or as soon as a caller waits.
    case failing(delay: Int64)
    /// The delay has passed.
    case retryDue(delay: Int64)
  }

  /// Whether commits have to be made to survive a power cut.
  enum Synchronization {
    case unneeded, planned, due
  }

  /// The progress of a close. A request to close is never withdrawn: no more events are taken.
  struct Closing {
    /// The owner's last event is durable.
    var hasOwnerEnded = false
    /// No caller is left that could close again: events that cannot be recorded now are discarded.
    var isForsaken = false
    /// Callers to resume when the store is closed, and when they stop waiting, in nanoseconds on the boot clock.
    var callers: [(waiter: CommitWaiter, deadline: Int64)] = []
  }

  /// Maximum number of fire-and-forget events queued while the store is healthy, and while it is failing. Waiting for
  /// another program that writes is no failure.
  static let mostPending = (well: 1_048_576, failing: 65_536)

  /// The store recognizes events that it has already, by their numbers: the owner is this process.
  let isRepeatable: Bool

  var state = State.dormant
  var store = Store.unopened
  var health = Health.well
  var synchronization = Synchronization.unneeded
  /// Nil until a close is requested.
  var closing: Closing?
  var pending = PendingEntries()
  /// The number of the last event.
  var lastNumber: Int64 = 0
  /// Number of events that were dropped although no caller learned of it, and that the store has not counted yet.
  var dropped = 0
  /// The last fire-and-forget event was dropped. Only the first drop in a row is reported.
  var isOverflowing = false
  /// When the scheduled alarm for deadlines rings, in nanoseconds on the boot clock; nil if none is scheduled.
  var alarm: Int64?
  /// How many callers the last commit resumed, and how long it took in nanoseconds.
  var lastCommit = (callers: 0, duration: Int64(0))
}

// MARK: - Actions

extension CommitQueueState {
  /// How to get the writer to ask for work.
  enum WriterCall {
    /// Start its thread; report a failure to ``writerDidNotStart(at:)``.
    case start
    /// Signal it.
    case wake
  }

  /// What to do after an event was taken, or a caller arrived.
  struct Actions {
    var call: WriterCall?
    /// Schedule ``expire(at:)``.
    var alarm: Int64?
    /// Resume the caller at once.
    var answer: Result<Receipt, LoadLogError>?
  }

  /// What became of a fire-and-forget event.
  enum Enqueued {
    case taken(WriterCall?)
    /// The queue was full. The first drop in a row has to be reported.
    case dropped(isFirst: Bool)
    case refused
  }
}

// MARK: - What is known

extension CommitQueueState {
  /// The events that are being committed.
  var inFlight: [Entry] {
    get {
      switch state {
      case .committing(let batch), .committingInPlace(let batch, _): batch
      case .dormant, .resting, .gathering, .maintaining, .synchronizing, .closing: []
      }
    }
    set {
      switch state {
      case .committing: state = .committing(newValue)
      case .committingInPlace(_, let isAwake): state = .committingInPlace(newValue, isWriterAwake: isAwake)
      case .dormant, .resting, .gathering, .maintaining, .synchronizing, .closing: break
      }
    }
  }

  /// Whether no events are queued and nothing uses the store.
  var isIdle: Bool {
    switch state {
    case .dormant, .resting: pending.isEmpty
    case .committingInPlace, .gathering, .committing, .maintaining, .synchronizing, .closing: false
    }
  }

  var openStore: (any LoadStore)? {
    if case .open(let store, _) = store { store } else { nil }
  }

  /// Whether the writer should commit now. A failing store is left alone until the delay has passed, but a
  /// caller gets a try, and the store's own answer.
  var shouldCommit: Bool {
    guard !pending.isEmpty else { return false }
    if case .failing = health { return pending.callers > 0 }
    return true
  }
}

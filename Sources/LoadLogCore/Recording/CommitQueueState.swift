/// The commit queue's rules, without threads or clocks: what is pending, what is being committed, who waits
/// for it and until when.
struct CommitQueueState {
  /// An event on its way, or, without one, a mark that somebody waits to be reached.
  struct Entry {
    let number: Int64
    let event: LoadEvent?
    var waiter: CommitWaiter?
    /// On the boot clock; nil for an event that nobody waits for.
    let deadline: Int64?
    /// It is part of a close: whoever waits for it waits for the store to be closed too.
    var isClose = false
    /// Its caller was told that it failed, while it may yet be committed.
    var isForsaken = false

    /// What is not worth having later: a start without a caller to finish it, a mark, a close. All else has
    /// happened, whatever its caller was told, and is kept.
    var isWithdrawable: Bool {
      switch event?.kind {
      case .start, .close, nil: true
      default: false
      }
    }

    /// The same with nobody waiting any more.
    var unattended: Entry {
      var entry = self
      entry.waiter = nil
      return entry
    }

    /// The session that nobody will finish if this entry is committed after all.
    var forsakenStart: SessionID? {
      guard isForsaken, case .start(let id, _, _, _) = event?.kind else { return nil }
      return id
    }
  }

  /// So many events that nobody waits for are kept while the store is written to, and while it is in trouble.
  static let mostPending = (well: 1_048_576, inTrouble: 65_536)
  /// So many events go into one transaction.
  static let mostInBatch = 4096

  private(set) var pending: [Entry] = []
  private(set) var inFlight: [Entry] = []
  /// Events dropped because the queue was full, not yet told to the store.
  private(set) var dropped = 0
  /// Whoever set it, and nobody else, uses the store.
  var isWorking = false
  /// No more events are taken.
  var isClosed = false
  private var lastNumber: Int64 = 0

  var isIdle: Bool { pending.isEmpty && inFlight.isEmpty && !isWorking }

  /// Whether somebody waits for what is pending.
  var hasCaller: Bool { pending.contains { $0.waiter != nil } }

  /// The earliest deadline of those who wait.
  var nextDeadline: Int64? {
    let hasWaiter = { (entry: Entry) in entry.waiter != nil }
    return (inFlight.first(where: hasWaiter) ?? pending.first(where: hasWaiter))?.deadline
  }

  /// Takes an event, or a mark.
  ///
  /// - Parameter closing: it is part of a close, which may be tried again.
  /// - Returns: false if nobody waits for the event and the queue is full: then it is dropped and counted.
  /// - Throws: `closed`.
  @discardableResult
  mutating func append(
    _ event: LoadEvent?, waiter: CommitWaiter? = nil, deadline: Int64? = nil, isInTrouble: Bool = false,
    closing: Bool = false
  ) throws(LoadLogError) -> Bool {
    guard !isClosed || closing else {
      throw LoadLogError(.closed, what: "controller", why: "it was closed", advice: "Reopen it first.")
    }
    let most = isInTrouble ? Self.mostPending.inTrouble : Self.mostPending.well
    if waiter == nil, !closing, pending.count >= most {
      dropped += 1
      return false
    }
    if event != nil { lastNumber += 1 }
    pending.append(
      Entry(number: lastNumber, event: event, waiter: waiter, deadline: deadline, isClose: closing))
    return true
  }

  /// Moves what is pending into flight. From now on it cannot be withdrawn.
  mutating func takeBatch() -> [Entry] {
    if pending.count <= Self.mostInBatch {
      inFlight = pending
      pending = []
      // As many will come again, one at a time, and none shall wait while the array grows.
      pending.reserveCapacity(min(inFlight.capacity, Self.mostInBatch))
    } else {
      inFlight = Array(pending.prefix(Self.mostInBatch))
      pending.removeFirst(inFlight.count)
    }
    return inFlight
  }

  /// The batch is to be tried again by somebody else.
  mutating func putBack() {
    pending = inFlight + pending
    inFlight = []
  }

  /// The batch is durable: hands back its entries, with those who still wait.
  mutating func succeed(countingDropped told: Int) -> [Entry] {
    defer { inFlight = [] }
    dropped -= told
    return inFlight
  }

  /// The batch, or the way to it, failed: hands back those who wait, to be told. Starts that they waited for
  /// are withdrawn; all else stays, and goes first when it is tried again.
  ///
  /// A start whose caller was told that it failed may yet turn out to be committed: it is abandoned then.
  ///
  /// - Parameter keepingInFlight: whether the store would recognise events that were committed after all.
  mutating func fail(at now: LoadInstant, keepingInFlight: Bool = true) -> [CommitWaiter] {
    // Those who came while the batch was in flight get a try of their own.
    let failed = inFlight.isEmpty ? pending : inFlight
    let later = inFlight.isEmpty ? [] : pending
    let mayKeep = keepingInFlight || inFlight.isEmpty
    let kept = failed.filter { entry in
      guard mayKeep else { return false }
      return !entry.isWithdrawable || (entry.event != nil && entry.waiter == nil && !entry.isForsaken)
    }
    let forsaken = inFlight.compactMap { entry in
      var entry = entry
      entry.isForsaken = entry.isForsaken || entry.waiter != nil
      return entry.forsakenStart
    }
    inFlight = []
    pending = kept.map(\.unattended) + later
    forsaken.forEach { abandon($0, at: now) }
    return failed.compactMap(\.waiter)
  }

  /// Withdraws the pending starts whose deadline has passed, and forsakes those in flight; hands back those who
  /// waited. Other events stay: a finish is true however late it is written down.
  mutating func expire(at boot: Int64) -> [CommitWaiter] {
    let isDue = { (entry: Entry) in entry.waiter != nil && (entry.deadline ?? .max) <= boot }
    let due = (inFlight + pending).filter(isDue).compactMap(\.waiter)
    pending.removeAll { isDue($0) && $0.isWithdrawable }
    for index in pending.indices where isDue(pending[index]) { pending[index].waiter = nil }
    for index in inFlight.indices where isDue(inFlight[index]) {
      inFlight[index].waiter = nil
      inFlight[index].isForsaken = true
    }
    return due
  }

  /// Drops what is pending.
  ///
  /// - Returns: how many events that were.
  mutating func giveUp() -> Int {
    defer { pending = [] }
    return pending.count
  }

  /// Closes a session whose start was committed although its caller had been told that it failed.
  mutating func abandon(_ id: SessionID, at now: LoadInstant) {
    lastNumber += 1
    let event = LoadEvent(.abandon(id, .deadline), at: now)
    pending.append(Entry(number: lastNumber, event: event, waiter: nil, deadline: nil))
  }
}

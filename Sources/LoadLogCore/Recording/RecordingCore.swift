import Foundation
import Synchronization

/// One owner: its queue and its open loads. A controller makes a new one on `reopen()`.
final class RecordingCore: Sendable {
  let queue: CommitQueue
  let loads = OpenLoads()
  let clock: any LoadClock
  /// Whether this process owns what is recorded; closing then ends its loads.
  let isForThisProcess: Bool
  private let diagnostics: Diagnostics
  private let health: ControllerHealth

  /// Makes an owner; its store is opened at the first event.
  init(
    _ options: LoadingController.Options, store: LoadStoreProvider, fallback: LoadStoreProvider,
    health: ControllerHealth
  ) {
    clock = options.clock
    isForThisProcess = options.owner == .thisProcess
    let diagnostics = Diagnostics(options)
    self.diagnostics = diagnostics
    self.health = health
    let failed: @Sendable (LoadLogError) -> Void = { error in
      if health.mustLog(error) { diagnostics.note(error) }
      health.failed(error)
    }
    let owner = options.makeOwner()
    let now = clock.now()
    var open = store.opener(owner, now)
    let inMemory =
      options.onOpenFailure == .recordInMemory
      ? Fallback(first: open, second: fallback.opener(owner, now), failed: failed) : nil
    if let inMemory { open = inMemory.open }
    queue = CommitQueue(
      path: store.path, clock: clock, deadline: options.deadline.wholeNanoseconds,
      isRepeatable: options.owner == .thisProcess,
      reports: CommitQueue.Reports(
        committed: { [loads] events, receipts in
          loads.follow(events, receipts)
          diagnostics.note(events, receipts) { feed in
            loads.withLock { counts in feed.map { counts.depth(of: $0) } ?? counts.totalDepth }
          }
        },
        took: diagnostics.noteCommit(nanoseconds:),
        failed: failed,
        refusals: { health.refusals },
        recovered: { [inMemory] refusals in health.recovered(after: refusals, remaining: inMemory?.reason) },
        reached: { [inMemory] in health.reached(remaining: inMemory?.reason) }),
      open: { [open] () throws(LoadLogError) in
        let store = try open()
        diagnostics.noteVerdicts(store.verdictsAtOpen)
        return store
      })
  }

  /// Reports a refused call whose caller gets no error.
  func report(_ error: LoadLogError) {
    if health.mustLog(error) { diagnostics.note(error) }
    health.refused(error)
  }

  /// Makes an event with the current time.
  func event(_ kind: LoadEvent.Kind, _ callSite: CallSite?) -> LoadEvent {
    LoadEvent(kind, at: clock.now(), callSite: callSite)
  }

  /// The event that ends this owner; nil if the owner is another process, which outlives this one.
  var lastEvent: LoadEvent? { isForThisProcess ? event(.close, nil) : nil }

  /// Counts an event in memory and queues it, in one step, so that the counts and the record see all events
  /// in the same order. Never waits; a failure is reported.
  ///
  /// - Parameter ifOpen: whether to ignore the event without a failure if the owner is closed.
  /// - Returns: false if the event was refused, and not counted.
  @discardableResult
  func send(_ kind: LoadEvent.Kind, _ callSite: CallSite?, ifOpen: Bool = false) -> Bool {
    do throws(LoadLogError) {
      try kind.validate()
      let call = try loads.withLock { counts throws(LoadLogError) in
        do throws(LoadLogError) {
          let call = try queue.enqueue(event(kind, callSite))
          counts.note(kind)
          return call
        } catch {
          // An event that a full queue drops is counted all the same; one that a closed queue refuses is not.
          if error.code != .closed { counts.note(kind) }
          throw error
        }
      }
      queue.perform(call)
    } catch {
      if !ifOpen || error.code != .closed { report(error) }
      return error.code == .overflow
    }
    return true
  }

  /// Queues an event and returns when it is durable. A start that fails is no longer open.
  func commit(_ kind: LoadEvent.Kind, _ callSite: CallSite?) async throws(LoadLogError) -> Receipt {
    try kind.validate()
    do throws(LoadLogError) {
      return try await queue.commit(event(kind, callSite)) { take in counted(kind, take) }
    } catch {
      withdraw(kind)
      throw error
    }
  }

  /// Queues an event and blocks the thread until it is durable. A start that fails is no longer open.
  func commitBlocking(
    _ kind: LoadEvent.Kind, _ callSite: CallSite?, run: RunDetails? = nil
  ) throws(LoadLogError) -> Receipt {
    try kind.validate()
    var event = event(kind, callSite)
    event.run = run
    event.at = run?.ended ?? event.at
    do throws(LoadLogError) {
      let receipt = try queue.commitBlocking(event) { take in counted(kind, take) }
      if case .overlapping = receipt.outcome { withdraw(kind) }
      return receipt
    } catch {
      withdraw(kind)
      throw error
    }
  }

  /// Counts an event in memory when the queue takes it, as ``send(_:_:ifOpen:)`` does: a listener that receives the end of a
  /// load finds it in the record.
  private func counted(_ kind: LoadEvent.Kind, _ take: CommitQueue.Taking) -> CommitQueueState.Actions {
    loads.withLock { counts in
      let actions = take()
      if actions.answer == nil { counts.note(kind) }
      return actions
    }
  }

  private func withdraw(_ kind: LoadEvent.Kind) {
    guard case .start(let id, _, _, _) = kind else { return }
    loads.withLock { $0.settle(id) }
  }
}

/// Opens a first store or, if that cannot be opened, a second one, and keeps that choice.
private final class Fallback: Sendable {
  private enum Choice {
    case open, first
    case second(because: LoadLogError)
  }

  private let first: LoadStoreProvider.Opener
  private let second: LoadStoreProvider.Opener
  private let failed: @Sendable (LoadLogError) -> Void
  private let choice = Mutex(Choice.open)

  /// Why the second store is used; nil if the first one is.
  var reason: LoadLogError? {
    choice.withLock { if case .second(let error) = $0 { error } else { nil } }
  }

  init(
    first: @escaping LoadStoreProvider.Opener, second: @escaping LoadStoreProvider.Opener,
    failed: @escaping @Sendable (LoadLogError) -> Void
  ) {
    self.first = first
    self.second = second
    self.failed = failed
  }

  @Sendable func open() throws(LoadLogError) -> any LoadStore {
    if reason != nil { return try second() }
    do throws(LoadLogError) {
      let store = try first()
      choice.withLock { $0 = .first }
      return store
    } catch {
      // Do not fall back if the store was open before, or is only busy: its events stay queued until it opens again.
      guard case .open = choice.withLock({ $0 }), error.code != .busy else { throw error }
      failed(error)
      choice.withLock { $0 = .second(because: error) }
      return try second()
    }
  }
}

extension PushCount {
  /// Counts an event of this owner. One that another thread queued while the owner was being closed is cancelled by that.
  mutating func note(_ kind: LoadEvent.Kind) {
    guard !isEnded else { return }
    switch kind {
    case .start(let id, let feed, let message, _): start(id, feed, message: message)
    case .finish(let id, _): finish(id, mayBeEarly: true)
    case .abandon(let id, _): finish(id, mayBeEarly: false)
    case .push(let feed): push(feed)
    case .pop(let feed, _): pop(feed)
    case .extraPop(let feed, _): extraPop(feed)
    case .reset(let feeds): reset(feeds)
    case .update(let id, let message): update(id, message: message)
    case .heard, .adopt, .shown, .ran, .acknowledge, .expect, .clearExpectation, .pauseExpectation,
      .resumeExpectation, .close:
      break
    }
  }
}

extension LoadEvent.Kind {
  /// Throws if a name or tag is not allowed. Messages and reasons that are too long are cut instead.
  fileprivate func validate() throws(LoadLogError) {
    switch self {
    case .start(_, let feed, _, let tag):
      try feed.validated()
      _ = try TextLimit.checked(tag, field: "tag", limit: TextLimit.tag)
    case .push(let feed), .pop(let feed, _), .extraPop(let feed, _), .adopt(let feed, _),
      .shown(_, let feed, _, _), .heard(_, let feed, _):
      try feed.validated()
    case .reset(let feeds):
      for feed in feeds ?? [] { try feed.validated() }
    case .expect(let expectation, let pattern):
      try pattern.validated()
      try expectation.validated()
    case .clearExpectation(let pattern), .resumeExpectation(let pattern): try pattern.validated()
    case .pauseExpectation(let pattern, let duration):
      try pattern.validated()
      if let duration, duration <= 0 {
        throw LoadLogError(.invalidInput, what: "pause", why: "it is not longer than 0")
      }
    case .finish, .abandon, .update, .ran, .acknowledge, .close: break
    }
  }
}

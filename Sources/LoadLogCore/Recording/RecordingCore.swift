import Foundation
import Synchronization

/// One owner at work: its queue and its open loads. A controller has another one after `reopen()`.
final class RecordingCore: Sendable {
  let queue: CommitQueue
  let loads = OpenLoads()
  let clock: any LoadClock
  private let isForThisProcess: Bool
  private let onTrouble: @Sendable (LoadLogError?) -> Void

  /// Makes an owner; its store is opened when the first event comes.
  init(
    _ options: LoadingController.Options, store: LoadStoreProvider, fallback: LoadStoreProvider,
    onTrouble: @escaping @Sendable (LoadLogError?) -> Void
  ) {
    clock = options.clock
    isForThisProcess = options.owner == .thisProcess
    let journal = Journal(options)
    let report: @Sendable (LoadLogError?) -> Void = { error in
      if let error { journal.note(error) }
      onTrouble(error)
    }
    self.onTrouble = report
    let owner = options.makeOwner()
    let now = clock.now()
    var open = store.opener(owner, now)
    let inMemory =
      options.onOpenFailure == .recordInMemory
      ? Fallback(first: open, second: fallback.opener(owner, now), onTrouble: report) : nil
    if let inMemory { open = inMemory.open }
    queue = CommitQueue(
      path: store.path, clock: clock, deadline: options.deadline.wholeNanoseconds,
      synchronizes: options.durability == .process, isRepeatable: options.owner == .thisProcess,
      reports: CommitQueue.Reports(
        committed: { [loads] events, receipts in
          loads.follow(events, receipts)
          journal.note(events, receipts) { feed in
            loads.withLock { counts in feed.map { counts.depth(of: $0) } ?? counts.totalDepth }
          }
        },
        took: journal.noteCommit(nanoseconds:),
        // All is not well while loads are recorded in memory only.
        trouble: { [inMemory] error in
          guard let error else { return onTrouble(inMemory?.reason) }
          report(error)
        }),
      open: { [open] () throws(LoadLogError) in
        let store = try open()
        journal.noteVerdicts(store.verdictsAtOpen)
        return store
      })
  }

  /// Reports trouble that no caller is told of.
  func report(_ error: LoadLogError) { onTrouble(error) }

  /// Makes an event of this moment.
  func event(_ kind: LoadEvent.Kind, _ callSite: CallSite?) -> LoadEvent {
    LoadEvent(kind, at: clock.now(), callSite: callSite)
  }

  /// What ends this owner; nil if it stands for another process, which goes on.
  var lastEvent: LoadEvent? { isForThisProcess ? event(.close, nil) : nil }

  /// Notes an event in memory and hands it on, in one step; never waits. Trouble is reported.
  ///
  /// - Parameter ifOpen: after a close there is nothing left to say, and that is no trouble.
  /// - Returns: false if it was refused: then it does not show either.
  @discardableResult
  func send(_ kind: LoadEvent.Kind, _ callSite: CallSite?, ifOpen: Bool = false) -> Bool {
    do throws(LoadLogError) {
      try kind.validate()
      try loads.withLock { counts throws(LoadLogError) in
        do throws(LoadLogError) {
          try queue.enqueue(event(kind, callSite))
        } catch {
          // What a full queue drops still shows; what a closed one refuses does not.
          if error.code != .closed { counts.note(kind) }
          throw error
        }
        counts.note(kind)
      }
    } catch {
      if !ifOpen || error.code != .closed { onTrouble(error) }
      return error.code == .overflow
    }
    return true
  }

  /// Hands an event on and returns when it is durable. A start that fails is no longer open.
  func commit(_ kind: LoadEvent.Kind, _ callSite: CallSite?) async throws(LoadLogError) -> Receipt {
    try prepare(kind)
    do throws(LoadLogError) {
      return try await queue.commit(event(kind, callSite))
    } catch {
      withdraw(kind)
      throw error
    }
  }

  /// The same for a thread.
  func commitBlocking(_ kind: LoadEvent.Kind, _ callSite: CallSite?) throws(LoadLogError) -> Receipt {
    try prepare(kind)
    do throws(LoadLogError) {
      return try queue.commitBlocking(event(kind, callSite))
    } catch {
      withdraw(kind)
      throw error
    }
  }

  private func prepare(_ kind: LoadEvent.Kind) throws(LoadLogError) {
    try kind.validate()
    loads.withLock { $0.note(kind) }
  }

  private func withdraw(_ kind: LoadEvent.Kind) {
    guard case .start(let id, _, _, _) = kind else { return }
    loads.withLock { $0.settle(id) }
  }
}

/// Opens a first store, or if that cannot be opened a second one, and then stays with it.
private final class Fallback: Sendable {
  private enum Choice { case open, first, second }

  private let first: LoadStoreProvider.Opener
  private let second: LoadStoreProvider.Opener
  private let onTrouble: @Sendable (LoadLogError?) -> Void
  private let choice = Mutex(Choice.open)
  private let refusal = Mutex<LoadLogError?>(nil)

  /// Why the second store is used; nil if the first one is.
  var reason: LoadLogError? { refusal.withLock { $0 } }

  init(
    first: @escaping LoadStoreProvider.Opener, second: @escaping LoadStoreProvider.Opener,
    onTrouble: @escaping @Sendable (LoadLogError?) -> Void
  ) {
    self.first = first
    self.second = second
    self.onTrouble = onTrouble
  }

  @Sendable func open() throws(LoadLogError) -> any LoadStore {
    if choice.withLock({ $0 }) == .second { return try second() }
    do throws(LoadLogError) {
      let store = try first()
      choice.withLock { $0 = .first }
      return store
    } catch {
      // A store that was open once comes back when its trouble is over; its events wait.
      // And one that is merely busy is tried again.
      guard choice.withLock({ $0 }) == .open, error.code != .busy else { throw error }
      refusal.withLock { $0 = error }
      onTrouble(error)
      choice.withLock { $0 = .second }
      return try second()
    }
  }
}

extension PushCount {
  /// Follows an event of this owner.
  mutating func note(_ kind: LoadEvent.Kind) {
    switch kind {
    case .start(let id, let feed, let message, _): start(id, feed, message: message)
    case .finish(let id, _): finish(id, mayBeEarly: true)
    case .abandon(let id, _): finish(id, mayBeEarly: false)
    case .push(let feed): push(feed)
    case .pop(let feed, _): pop(feed)
    case .extraPop(let feed, _): extraPop(feed)
    case .reset(let feeds): reset(feeds)
    case .update(let id, let message): update(id, message: message)
    case .adopt, .shown, .acknowledge, .close: break
    }
  }
}

extension LoadEvent.Kind {
  /// Refuses names and tags that are not allowed. Messages and reasons are cut instead.
  fileprivate func validate() throws(LoadLogError) {
    switch self {
    case .start(_, let feed, _, let tag):
      try feed.validated()
      _ = try TextLimit.checked(tag, field: "tag", limit: TextLimit.tag)
    case .push(let feed), .pop(let feed, _), .extraPop(let feed, _), .adopt(let feed, _),
      .shown(_, let feed, _, _):
      try feed.validated()
    case .reset(let feeds):
      for feed in feeds ?? [] { try feed.validated() }
    case .finish, .abandon, .update, .acknowledge, .close: break
    }
  }
}

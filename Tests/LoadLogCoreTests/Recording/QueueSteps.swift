import LoadLogSQLite
import Testing

@testable import LoadLogCore

/// Building blocks for the tests of the queue's rules: events, callers, and steps to reach a state.
enum QueueSteps {
  static let now = LoadInstant(wall: 1, boot: 1_000)

  static func push() -> LoadEvent { LoadEvent(.push("a"), at: now) }

  static func start(_ id: SessionID = SessionID()) -> LoadEvent {
    LoadEvent(.start(id, "a", message: nil, tag: nil), at: now)
  }

  static func finish(_ id: SessionID = SessionID()) -> LoadEvent {
    LoadEvent(.finish(id, .succeeded), at: now)
  }

  static let close = LoadEvent(.close, at: now)

  static func caller() -> CommitWaiter { .thread(ThreadWaiter()) }

  /// A store that the queue passes around; no method of it is called.
  static func store() throws -> any LoadStore {
    let process = ProcessIdentity(
      machineID: "", bootID: "", pid: 1, startTicks: nil, pidNamespace: nil, timeNamespace: nil)
    let owner = Owner(kind: .library, process: process, host: "box", app: "app")
    return try LoadStoreProvider.inMemory().opener(owner, now)()
  }

  static func isSame(_ one: (any LoadStore)?, _ other: (any LoadStore)?) -> Bool {
    (one as AnyObject) === (other as AnyObject) && one != nil
  }
}

extension CommitQueueState {
  /// A queue without events, with an open store and a writer that sleeps.
  static func resting(
    on store: any LoadStore, isRepeatable: Bool = true, synchronizes: Bool = false
  ) -> CommitQueueState {
    var queue = CommitQueueState(isRepeatable: isRepeatable)
    _ = queue.enqueue(QueueSteps.push())
    _ = queue.nextWork()
    queue.didOpen(store)
    queue.commitPending(synchronizes: synchronizes)
    _ = queue.nextWork()
    return queue
  }

  /// Commits the next batch successfully, as the working thread would.
  @discardableResult
  mutating func commitPending(
    taking duration: Int64 = 0, need: MaintenanceNeed = .none, synchronizes: Bool = false,
    at now: LoadInstant = QueueSteps.now
  ) -> (entries: [Entry], synchronization: Int64?) {
    commitSucceeded(
      droppedReported: takeBatch().dropped, taking: duration, need: need, synchronizes: synchronizes, at: now)
  }

  /// The batch in flight is durable.
  @discardableResult
  mutating func commitSucceeded(
    droppedReported dropped: Int, taking duration: Int64 = 0, need: MaintenanceNeed = .none,
    synchronizes: Bool = false, at now: LoadInstant = QueueSteps.now
  ) -> (entries: [Entry], synchronization: Int64?) {
    settle(
      droppedReported: dropped, duration: duration, maintenance: need, synchronizes: synchronizes, at: now)
  }

  /// Takes an event for a caller, with a distant deadline.
  @discardableResult
  mutating func take(_ event: LoadEvent?, until deadline: Int64 = .max - 1) -> Actions {
    take(event, for: QueueSteps.caller(), deadline: deadline)
  }

  /// Asks for work.
  mutating func next() -> Job {
    switch nextWork() {
    case .commit(let patience): .commit(gathering: patience)
    case .maintain: .maintain
    case .synchronize: .synchronize
    case .close: .close
    case .sleep: .sleep
    }
  }

  /// Asks for work, and expects it to be the closing of the store.
  mutating func nextClosing() throws -> ClosingWork {
    let work = nextWork()
    guard case .close(let closing) = work else { throw UnexpectedWork(work: work) }
    return closing
  }

  /// Lets a caller claim the store for an event, with a deadline of 2000, and expects success.
  @discardableResult
  mutating func claimed(_ event: LoadEvent) throws -> (store: any LoadStore, alarm: Int64?) {
    let claim = claim(event, for: QueueSteps.caller(), deadline: 2000)
    return try #require(claim)
  }

  /// Numbers of the pending entries.
  var numbers: [Int64] { pending.all.map(\.number) }

  /// Sessions that are about to be abandoned because their caller gave up.
  var abandoned: [SessionID] {
    pending.all.compactMap { entry in
      guard case .abandon(let id, .deadline) = entry.event?.kind else { return nil }
      return id
    }
  }

  /// The name of the state, without its payload.
  var name: String {
    switch state {
    case .dormant: "dormant"
    case .resting(isWriterAwake: true): "resting, called"
    case .resting(isWriterAwake: false): "resting"
    case .committingInPlace: "in place"
    case .gathering: "gathering"
    case .committing: "committing"
    case .maintaining: "maintaining"
    case .synchronizing: "synchronizing"
    case .closing: "closing"
    }
  }
}

/// The writer's work, without its payload.
enum Job: Equatable {
  case commit(gathering: Int64?), maintain, synchronize, close, sleep

  static let commit = Job.commit(gathering: nil)
}

struct UnexpectedWork: Error {
  let work: CommitQueueState.Work
}

extension CommitQueueState.Enqueued {
  /// The call, if the event was taken.
  var call: CommitQueueState.WriterCall? {
    if case .taken(let call) = self { call } else { nil }
  }

  /// Whether the event was dropped, and whether that has to be reported.
  var drop: Bool? {
    if case .dropped(let isFirst) = self { isFirst } else { nil }
  }

  var isRefused: Bool {
    if case .refused = self { true } else { false }
  }
}

extension CommitQueueState.Actions {
  /// The code of the error that the caller gets at once.
  var refusal: LoadLogError.Code? {
    if case .failure(let error) = answer { error.code } else { nil }
  }

  /// Whether the caller gets a success at once.
  var isDone: Bool {
    if case .success = answer { true } else { false }
  }
}

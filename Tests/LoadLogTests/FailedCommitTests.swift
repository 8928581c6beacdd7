import Dispatch
import LoadLog
import LoadLogTestSupport
import Synchronization
import Testing

/// Stores of which a commit fails once, or takes as long as the test wants.
@Suite(.timeLimit(.minutes(10))) struct FailedCommitTests {
  private let place: TemporaryStore
  private let clock = ManualClock()
  private let faults = Faults()

  init() throws { place = try TemporaryStore() }

  private func controller(
    for owner: LoadingController.OwnerChoice = .thisProcess, _ durability: Durability = .power
  ) throws -> LoadingController {
    var options = LoadingController.Options()
    (options.clock, options.owner, options.onOpenFailure) = (clock, owner, .fail)
    options.logger = CapturedLog(keeping: place).logger
    let store = LoadStoreProvider.sqlite(at: place.url, durability: durability, clock: clock)
      .wrapping { [faults] in faults.affecting($0) }
    return LoadingController(store: store, fallback: .inMemory(), options: options)
  }

  private static let owners: [LoadingController.OwnerChoice] = [.thisProcess, .process(pid: 1), .detached]

  @Test(arguments: owners)
  func aFinishWhoseCommitFailsIsRecordedNevertheless(owner: LoadingController.OwnerChoice) async throws {
    let loads = try controller(for: owner)
    let (one, other) = (try await loads.startLoading("reviews"), try await loads.startLoading("reviews"))
    faults.failNext()
    await #expect(throws: LoadLogError.self) { try await loads.finishLoading(one) }
    try await loads.finishLoading(one)
    faults.failNext()
    try await onAThread {
      #expect(throws: LoadLogError.self) { try loads.finishLoading(other) }
      try loads.finishLoading(other)
    }
    #expect(try await loads.allLoads().map(\.state) == [.succeeded, .succeeded])
    #expect(try await loads.unbalanced().isEmpty)
    try await loads.close()
  }

  @Test(arguments: owners)
  func aLoadIsAbandonedAlthoughTheCommitFailed(owner: LoadingController.OwnerChoice) async throws {
    let loads = try controller(for: owner)
    var token: LoadingToken? = try await loads.startLoading("reviews")
    #expect(token != nil)
    faults.failNext()
    token = nil
    // The first flush may be part of the commit that fails.
    try? await loads.flush()
    try await loads.flush()
    #expect(try await loads.onlyLoad()?.state == .abandoned)
    try await loads.close()
  }

  @Test func aCommandThatWasRefusedIsNotCarriedOutLater() async throws {
    let loads = try controller()
    loads.pop("a")
    try await loads.expect(Expectation(.every(60_000_000_000)), of: "a")
    faults.failNext()
    await #expect(throws: LoadLogError.self) { try await loads.acknowledgeAll(by: "ann") }
    faults.failNext()
    await #expect(throws: LoadLogError.self) { try await loads.pauseExpectation(of: "a") }
    loads.pop("a")
    try await loads.flush()
    #expect(try await loads.unbalanced().map(\.acknowledgement) == [nil, nil])
    #expect(try await loads.expectations().first?.pause == nil)
    try await loads.close()
  }

  /// A store that can be opened and locked may still be full.
  @Test func aQuestionDoesNotClearTheFailureOfACommit() async throws {
    let loads = try controller()
    try await loads.finishLoading(try await loads.startLoading("a"))
    faults.failNext()
    await #expect(throws: LoadLogError.self) { try await loads.expect(Expectation(maxFailures: 2), of: "a") }
    _ = try await loads.status()
    #expect(loads.failure?.code == .damaged)
    try await loads.expect(Expectation(maxFailures: 2), of: "a")
    #expect(loads.failure == nil)
    try await loads.close()
  }

  @Test func aCommandThatWasCommittedAtTheSecondTryHasFoundItsExpectation() async throws {
    let loads = try controller()
    try await loads.expect(Expectation(.every(60_000_000_000)), of: "a")
    faults.failNext(afterwards: true)
    #expect(try await loads.pauseExpectation(of: "a"))
    faults.failNext(afterwards: true)
    #expect(try await loads.resumeExpectation(of: "a"))
    faults.failNext(afterwards: true)
    #expect(try await loads.clearExpectation(of: "a"))
    #expect(try await loads.clearExpectation(of: "a") == false)
    try await loads.close()
  }

  /// Without numbers the store would not recognize them at a second try.
  @Test(arguments: [LoadingController.OwnerChoice.process(pid: 1), .detached])
  func eventsOfAnotherOwnerWithoutAWaitingCallerAreCountedAsDropped(
    _ owner: LoadingController.OwnerChoice
  ) async throws {
    let loads = try controller(for: owner)
    try await loads.finishLoading(try await loads.startLoading("a"))
    faults.failNext()
    loads.push("a")
    // The flush may be part of the commit that fails.
    try? await loads.flush()
    try await loads.finishLoading(try await loads.startLoading("a"))
    let all = try await loads.allLoads()
    #expect(all.map(\.state) == [.succeeded, .succeeded] && all.last?.owner.dropped == 1)
    try await loads.close()
  }

  @Test func aCloseReportsThatItsCommitsDidNotReachTheDisk() async throws {
    let loads = try controller(for: .thisProcess, .process)
    loads.push("a")
    try await loads.flush()
    faults.failSynchronizing()
    await #expect(throws: LoadLogError.self) { try await loads.close() }
    try await loads.close()
    let state = try await (try controller()).onlyLoad()?.state
    #expect(state == .cancelled, "the owner has ended")
  }

  /// The store says so, whatever the options are: five seconds after a commit, and before it is closed.
  @Test(arguments: [(Durability.process, 2), (.power, 0)])
  func aStoreIsSynchronizedIfItsCommitsMayBeLost(_ durability: Durability, times: Int) async throws {
    let loads = try controller(for: .thisProcess, durability)
    for _ in 0..<2 {
      loads.push("a")
      try await loads.flush()
      await clock.advance(by: .seconds(5))
    }
    loads.push("a")
    try await loads.flush()
    #expect(faults.synchronizations == times)
    try await loads.close()
    #expect(faults.synchronizations == times * 3 / 2)
  }

  @Test func aQuestionThatWaitedWhileACommitFailedOpensTheStoreAgain() async throws {
    let loads = try controller()
    loads.push("a")
    try await loads.flush()
    // Let the alarm for the deadlines so far ring, so that the next caller schedules one.
    await clock.advance(by: .seconds(10))
    let isOver = DispatchSemaphore(value: 0)
    var first: Task<Void, any Error>?
    await withCheckedContinuation { begun in
      first = Task {
        try await loads.ask { _ in
          begun.resume()
          isOver.wait()
        }
      }
    }
    // The second question is made while a commit is under way, and has reached the store when it is over.
    let commit = faults.holdNext()
    loads.push("b")
    let second = Task { try await loads.status() }
    await clock.alarms(atLeast: 1)
    commit.signal()
    try await loads.flush()
    faults.failNext()
    loads.push("c")
    while loads.failure == nil {
      try Task.checkCancellation()
      await Task.yield()
    }
    isOver.signal()
    try await first?.value
    #expect(try await second.value.totals.loads == 3)
    try await loads.close()
  }
}

/// What goes wrong in the next commit, or when commits are synchronized.
private final class Faults: Sendable {
  static let error = LoadLogError(.damaged, what: "commit", why: "the test wants it")
  /// An error after which the commit is tried again.
  static let passing = LoadLogError(.io, what: "commit", why: "the test wants it")

  private struct State {
    var fails = false
    var failsAfterwards = false
    var hold: DispatchSemaphore?
    var failsToSynchronize = false
    var synchronizations = 0
  }

  private let state = Mutex(State())

  /// - Parameter afterwards: whether the commit has taken effect nevertheless, and is tried again.
  func failNext(afterwards: Bool = false) {
    state.withLock { state in
      if afterwards { state.failsAfterwards = true } else { state.fails = true }
    }
  }

  var synchronizations: Int { state.withLock { $0.synchronizations } }

  func failSynchronizing() { state.withLock { $0.failsToSynchronize = true } }

  /// Makes the next commit wait for a signal.
  func holdNext() -> DispatchSemaphore {
    let hold = DispatchSemaphore(value: 0)
    state.withLock { $0.hold = hold }
    return hold
  }

  func affecting(_ store: some LoadStore) -> any LoadStore { FaultyStore(store, self) }

  func meet() throws(LoadLogError) {
    let now = state.withLock { state in
      defer { (state.fails, state.hold) = (false, nil) }
      return state
    }
    now.hold?.wait()
    if now.fails { throw Self.error }
  }

  func meetAfterwards() throws(LoadLogError) {
    let fails = state.withLock { state in
      defer { state.failsAfterwards = false }
      return state.failsAfterwards
    }
    if fails { throw Self.passing }
  }

  func meetSynchronization() throws(LoadLogError) {
    let fails = state.withLock { state in
      state.synchronizations += 1
      return state.failsToSynchronize
    }
    if fails { throw Self.error }
  }
}

/// A store whose commits meet faults before they change anything.
private struct FaultyStore<Inner: LoadStore>: LoadStore {
  private let inner: Inner
  private let faults: Faults

  init(_ inner: Inner, _ faults: Faults) {
    self.inner = inner
    self.faults = faults
  }

  var reader: Inner.Reader { inner.reader }
  var maintenance: MaintenanceNeed { inner.maintenance }
  var needsSynchronization: Bool { inner.needsSynchronization }

  func begin(waiting: Bool) throws(LoadLogError) -> Bool { try inner.begin(waiting: waiting) }

  func commit(_ events: [NumberedEvent], dropped: Int) throws(LoadLogError) -> [Receipt] {
    do throws(LoadLogError) {
      try faults.meet()
    } catch {
      inner.abort()
      throw error
    }
    let receipts = try inner.commit(events, dropped: dropped)
    try faults.meetAfterwards()
    return receipts
  }

  func synchronize() throws(LoadLogError) {
    try faults.meetSynchronization()
    try inner.synchronize()
  }

  func abort() { inner.abort() }
  func maintain(closing: Bool) { inner.maintain(closing: closing) }
  func close(finally: Bool) { inner.close(finally: finally) }
}

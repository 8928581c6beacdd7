import Testing

@testable import LoadLogCore

/// The queue's rules about callers, batches, deadlines and failures.
@Suite struct CommitQueueStateTests {
  private typealias Steps = QueueSteps
  private let now = QueueSteps.now

  @Test func eventsAreNumberedFromOneAndMarksAreNot() {
    var queue = CommitQueueState(isRepeatable: true)
    #expect(queue.isIdle)
    _ = queue.enqueue(Steps.push())
    queue.take(nil)
    queue.take(Steps.push())
    queue.take(nil)
    #expect(queue.numbers == [1, 1, 2, 2])
    #expect(queue.next() == .commit)
    #expect(queue.takeBatch().entries.count == 4 && queue.pending.isEmpty && !queue.isIdle)
    _ = queue.enqueue(Steps.push())
    #expect(queue.commitSucceeded(droppedReported: 0).entries.count == 4)
    #expect(queue.numbers == [3] && queue.inFlight.isEmpty)
  }

  @Test func batchesAreBounded() {
    var queue = CommitQueueState(isRepeatable: true)
    for _ in 0..<(PendingEntries.mostInBatch + 1) { _ = queue.enqueue(Steps.push()) }
    _ = queue.nextWork()
    #expect(queue.takeBatch().entries.count == PendingEntries.mostInBatch)
    #expect(queue.pending.count == 1)
  }

  @Test func droppedEventsAreCountedAndReportedOncePerRow() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    queue.take(Steps.start())
    _ = queue.nextWork()
    _ = queue.fail(at: now)
    for _ in 0..<CommitQueueState.mostPending.failing { #expect(queue.enqueue(Steps.push()).drop == nil) }
    #expect(queue.enqueue(Steps.push()).drop == true)
    #expect(queue.enqueue(Steps.push()).drop == false)
    let count = queue.pending.count
    queue.take(Steps.start(), until: 2000)
    #expect(queue.pending.count == count + 1, "a caller always gets in")
    #expect(queue.dropped == 2)
    // Taking a batch makes room: later drops start a new row, which is reported again.
    _ = queue.nextWork()
    let (entries, dropped) = queue.takeBatch()
    #expect(dropped == 2)
    #expect(queue.enqueue(Steps.push()).drop == nil)
    for _ in 2..<entries.count { _ = queue.enqueue(Steps.push()) }
    #expect(queue.enqueue(Steps.push()).drop == true, "still failing: the next row")
    _ = queue.commitSucceeded(droppedReported: dropped)
    #expect(queue.dropped == 1)
    #expect(queue.enqueue(Steps.push()).drop == nil, "a healthy store has room for more")
  }

  @Test func aBatchPutBackGoesFirst() throws {
    let store = try Steps.store()
    var queue = CommitQueueState.resting(on: store)
    try queue.claimed(Steps.push())
    _ = queue.takeBatch()
    _ = queue.enqueue(Steps.push())
    guard case .leaveToWriter(let closing) = queue.commitFailed(with: LoadLogError(.io, what: "", why: ""))
    else {
      Issue.record("a caller's thread must not reopen the store")
      return
    }
    #expect(Steps.isSame(closing, store) && queue.openStore == nil)
    #expect(queue.numbers == [2, 3] && queue.pending.callers == 1)
    #expect(queue.finishInPlace() == .wake && queue.next() == .commit)
  }

  @Test func theWriterTriesAFailedBatchAgainItself() throws {
    let store = try Steps.store()
    var queue = CommitQueueState.resting(on: store)
    queue.take(Steps.push())
    _ = queue.nextWork()
    _ = queue.takeBatch()
    guard case .tryAgain(let closing) = queue.commitFailed(with: LoadLogError(.io, what: "", why: "")) else {
      Issue.record("the batch was not tried again")
      return
    }
    #expect(Steps.isSame(closing, store) && queue.inFlight.count == 1)
    #expect(!queue.isIdle && queue.openStore == nil)
  }

  @Test(arguments: [(LoadLogError.Code.damaged, true), (.io, false)])
  func aFailureIsFinalIfTryingAgainCannotHelp(code: LoadLogError.Code, isRepeatable: Bool) throws {
    var queue = CommitQueueState.resting(on: try Steps.store(), isRepeatable: isRepeatable)
    queue.take(Steps.push())
    _ = queue.nextWork()
    _ = queue.takeBatch()
    guard case .giveUp = queue.commitFailed(with: LoadLogError(code, what: "", why: "")) else {
      Issue.record("it was tried again")
      return
    }
    #expect(queue.fail(at: now).callers.count == 1)
    #expect(queue.numbers == (isRepeatable ? [2] : []), "only numbers make a second try safe")
  }
}

// MARK: - Deadlines

extension CommitQueueStateTests {
  @Test func oneAlarmStandsForTheEarliestDeadline() {
    var queue = CommitQueueState(isRepeatable: true)
    #expect(queue.enqueue(Steps.push()).call == .start)
    #expect(queue.take(Steps.start(), until: 10).alarm == 10)
    #expect(queue.take(Steps.start(), until: 20).alarm == nil)
    let (early, _, alarm) = queue.expire(at: 9)
    #expect(early.isEmpty && alarm == 10)
  }

  @Test func deadlinesWithdrawPendingStartsAtTheirInstant() {
    var queue = CommitQueueState(isRepeatable: true)
    for deadline: Int64 in [10, 20, 30] { queue.take(Steps.start(), until: deadline) }
    _ = queue.enqueue(Steps.push())
    #expect(queue.expire(at: 9).callers.isEmpty)
    let (callers, _, next) = queue.expire(at: 10)
    #expect(callers.count == 1 && next == 20)
    #expect(queue.expire(at: 10).callers.isEmpty)
    #expect(queue.expire(at: 1000).callers.count == 2)
    #expect(queue.numbers == [4] && queue.pending.callers == 0 && queue.alarm == nil)
  }

  @Test func aFinishIsKeptHoweverLate() {
    var queue = CommitQueueState(isRepeatable: true)
    queue.take(Steps.finish(), until: 10)
    queue.take(nil, until: 10)
    #expect(queue.expire(at: 10).callers.count == 2)
    #expect(queue.numbers == [1] && queue.pending.callers == 0)
  }

  @Test func aStartCommittedTooLateIsAbandoned() {
    var queue = CommitQueueState(isRepeatable: true)
    let (late, early) = (SessionID(), SessionID())
    queue.take(Steps.start(late), until: 10)
    queue.take(Steps.start(early), until: 20)
    queue.take(Steps.finish(early), until: 10)
    _ = queue.nextWork()
    _ = queue.takeBatch()
    #expect(queue.expire(at: 10).callers.count == 2)
    let (entries, _) = queue.commitSucceeded(droppedReported: 0)
    #expect(entries.map { $0.waiter != nil } == [false, true, false])
    #expect(queue.abandoned == [late] && queue.numbers == [4])
  }

  @Test func aStartOfACommandThatIsCommittedTooLateStays() {
    var queue = CommitQueueState(isRepeatable: true)
    var start = Steps.start()
    start.run = RunDetails()
    queue.take(start, until: 10)
    #expect(!queue.expire(at: 9).isCommitting)
    _ = queue.nextWork()
    _ = queue.takeBatch()
    let late = queue.expire(at: 10)
    #expect(late.callers.count == 1 && late.isCommitting)
    _ = queue.commitSucceeded(droppedReported: 0)
    #expect(queue.abandoned == [] && queue.pending.isEmpty)
  }

  /// This process may end as soon as it has an answer, and then no process would abandon the start.
  @Test func aCallerForAnotherOwnerWaitsUntilACommitThatIsUnderWayHasEnded() {
    var queue = CommitQueueState(isRepeatable: false)
    queue.take(Steps.start(), until: 10)
    _ = queue.nextWork()
    _ = queue.takeBatch()
    queue.take(Steps.push(), until: 20)
    let (early, _, alarm) = queue.expire(at: 10)
    #expect(early.isEmpty && alarm == 20)
    #expect(queue.expire(at: 20).callers.count == 1, "the push waits for its turn")
    let (entries, _) = queue.commitSucceeded(droppedReported: 0)
    #expect(entries.map { $0.waiter != nil } == [true] && queue.abandoned == [])
  }

  @Test func aStartThatMayBeCommittedIsKeptAtItsDeadlineAndAbandoned() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    let id = SessionID()
    try queue.claimed(Steps.start(id))
    _ = queue.takeBatch()
    _ = queue.commitFailed(with: LoadLogError(.io, what: "", why: ""))
    _ = queue.finishInPlace()
    #expect(queue.expire(at: 2000).callers.count == 1)
    #expect(queue.numbers == [2])
    _ = queue.nextWork()
    queue.commitPending()
    #expect(queue.abandoned == [id])
  }

  @Test(arguments: [
    LoadEvent.Kind.acknowledge(nil, by: "ann", note: nil), .expect(Expectation(), "a"),
    .clearExpectation("a"), .pauseExpectation("a", duration: nil), .resumeExpectation("a"),
  ])
  func aCommandIsWithdrawnAtItsDeadlineEvenIfItMayBeCommitted(_ command: LoadEvent.Kind) throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    try queue.claimed(LoadEvent(command, at: now))
    _ = queue.takeBatch()
    _ = queue.commitFailed(with: LoadLogError(.io, what: "", why: ""))
    _ = queue.finishInPlace()
    #expect(queue.numbers == [2])
    #expect(queue.expire(at: 2000).callers.count == 1 && queue.pending.isEmpty)
  }
}

// MARK: - Failures

extension CommitQueueStateTests {
  @Test func aFailedBatchIsKeptWhereNoCallerWaitsAndItsStartsAreAbandoned() throws {
    let store = try Steps.store()
    var queue = CommitQueueState.resting(on: store)
    let id = SessionID()
    _ = queue.enqueue(Steps.push())
    queue.take(Steps.start(id), until: 2000)
    queue.take(nil, until: 2000)
    _ = queue.nextWork()
    _ = queue.takeBatch()
    _ = queue.enqueue(Steps.push())
    queue.take(Steps.start(), until: 3000)
    let failure = queue.fail(at: now)
    #expect(failure.callers.count == 2 && Steps.isSame(failure.store, store) && queue.openStore == nil)
    // First the failed events, then the later ones, then the end of the session whose start may have been committed.
    #expect(queue.numbers == [2, 4, 5, 6] && queue.abandoned == [id])
    #expect(queue.shouldCommit, "callers who came later get a try of their own")
  }

  @Test func aFailureBeforeTheBatchReachesAllCallers() {
    var queue = CommitQueueState(isRepeatable: true)
    _ = queue.enqueue(Steps.push())
    queue.take(Steps.start(), until: 10)
    queue.take(Steps.finish(), until: 10)
    _ = queue.nextWork()
    let failure = queue.fail(at: now)
    #expect(failure.callers.count == 2 && failure.store == nil)
    #expect(queue.numbers == [1, 3] && queue.abandoned == [], "a start that never left is just withdrawn")
  }

  @Test func callersBehindABatchWithoutCallersGetItsFailure() {
    var queue = CommitQueueState(isRepeatable: true)
    for _ in 0..<PendingEntries.mostInBatch { _ = queue.enqueue(Steps.push()) }
    queue.take(Steps.start())
    queue.take(Steps.finish())
    _ = queue.nextWork()
    _ = queue.takeBatch()
    queue.take(Steps.push())
    #expect(queue.fail(at: now).callers.count == 3)
    #expect(queue.next() == .sleep, "no try is made without a caller")
    #expect(queue.pending.count == PendingEntries.mostInBatch + 2, "only the start is withdrawn")
  }

  @Test func aStoreThatRecognizesNoEventGetsTheEndOfALoadAgain() {
    var queue = CommitQueueState(isRepeatable: false)
    queue.take(Steps.finish())
    queue.take(Steps.push())
    _ = queue.enqueue(LoadEvent(.abandon(SessionID(), .dropped), at: now))
    _ = queue.nextWork()
    _ = queue.takeBatch()
    #expect(queue.fail(at: now).callers.count == 2)
    #expect(queue.numbers == [1, 3])
  }

  @Test func anAbandonedStartWhoseBatchFailsIsAbandonedOnce() {
    var queue = CommitQueueState(isRepeatable: true)
    let id = SessionID()
    queue.take(Steps.start(id), until: 10)
    _ = queue.nextWork()
    _ = queue.takeBatch()
    _ = queue.expire(at: 10)
    #expect(queue.fail(at: now).callers.isEmpty)
    #expect(queue.abandoned == [id] && queue.pending.count == 1)
  }

  @Test func retriesWaitTwiceAsLongEachTimeUntilACommitSucceeds() throws {
    var queue = CommitQueueState(isRepeatable: true)
    _ = queue.enqueue(Steps.push())
    var delays: [Int64] = []
    for _ in 0..<8 {
      #expect(queue.next() == .commit)
      delays.append(queue.fail(at: now).retry - now.boot)
      #expect(queue.next() == .sleep, "it is not due yet")
      #expect(queue.enqueue(Steps.push()).call == nil)
      #expect(queue.retryIsDue() == .wake)
      #expect(queue.retryIsDue() == nil, "once is enough")
    }
    #expect(delays == [100, 200, 400, 800, 1600, 3200, 5000, 5000].map { $0 * 1_000_000 })
    _ = queue.nextWork()
    queue.didOpen(try Steps.store())
    queue.commitPending()
    #expect(queue.next() == .sleep && queue.retryIsDue() == nil)
    _ = queue.enqueue(Steps.push())
    _ = queue.nextWork()
    #expect(queue.fail(at: now).retry == now.boot + 100_000_000)
  }

  @Test func aCallerGetsATryWhileTheStoreFails() {
    var queue = CommitQueueState(isRepeatable: true)
    _ = queue.enqueue(Steps.push())
    _ = queue.nextWork()
    _ = queue.fail(at: now)
    #expect(queue.next() == .sleep)
    #expect(queue.take(Steps.start(), until: 2000).call == .wake && queue.next() == .commit)
  }

  @Test func aStoreThatIsBusyForAMomentIsTriedAgainAtOnce() {
    var queue = CommitQueueState(isRepeatable: true)
    _ = queue.enqueue(Steps.push())
    _ = queue.nextWork()
    _ = queue.fail(at: now)
    _ = queue.retryIsDue()
    #expect(queue.next() == .commit)
    queue.didNotBegin()
    #expect(queue.next() == .commit)
  }

  @Test func withoutAThreadEveryCallerFailsAndTheEventsStay() {
    var queue = CommitQueueState(isRepeatable: true)
    #expect(queue.enqueue(Steps.push()).call == .start)
    queue.take(Steps.start(), until: 2000)
    let failure = queue.writerDidNotStart(at: now)
    #expect(failure.callers.count == 1 && failure.store == nil)
    #expect(queue.name == "dormant" && queue.numbers == [1])
    #expect(queue.retryIsDue() == .start, "a later try may get one")
  }
}

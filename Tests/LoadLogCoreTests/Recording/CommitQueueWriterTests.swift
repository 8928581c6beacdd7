import Testing

@testable import LoadLogCore

/// The queue's rules about who uses the store: the writer, a caller in place, the close.
@Suite struct CommitQueueWriterTests {
  private typealias Steps = QueueSteps
  private let now = QueueSteps.now

  @Test func theWriterIsStartedOnceAndWokenWhenItSleeps() throws {
    var queue = CommitQueueState(isRepeatable: true)
    #expect(queue.name == "dormant")
    #expect(queue.enqueue(Steps.push()).call == .start && queue.name == "resting, called")
    #expect(queue.enqueue(Steps.push()).call == nil, "it has been called")
    #expect(queue.next() == .commit && queue.name == "committing")
    queue.didOpen(try Steps.store())
    #expect(queue.take(Steps.push()).call == nil, "it looks for more when it is done")
    queue.commitPending()
    #expect(queue.next() == .sleep && queue.name == "resting")
    #expect(queue.take(Steps.push()).call == .wake && queue.name == "resting, called")
  }

  @Test func aBlockingCallerCommitsInPlaceOnAnIdleQueueOnly() throws {
    let store = try Steps.store()
    var queue = CommitQueueState.resting(on: store)
    let claim = try queue.claimed(Steps.push())
    #expect(Steps.isSame(claim.store, store) && claim.alarm == 2000 && queue.name == "in place")
    #expect(queue.claim(Steps.push(), for: Steps.caller(), deadline: 2000) == nil, "one at a time")
    queue.commitPending()
    #expect(queue.finishInPlace() == nil && queue.name == "resting")

    _ = queue.enqueue(Steps.push())
    #expect(queue.claim(Steps.push(), for: Steps.caller(), deadline: 2000) == nil, "events are before it")
    var unopened = CommitQueueState(isRepeatable: true)
    #expect(unopened.claim(Steps.push(), for: Steps.caller(), deadline: 2000) == nil)
    #expect(unopened.pending.isEmpty)
  }

  @Test func eventsDuringACommitInPlaceAreTheWriters() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    try queue.claimed(Steps.push())
    _ = queue.takeBatch()
    #expect(queue.take(Steps.push()).call == nil)
    #expect(
      queue.next() == .sleep && queue.name == "in place",
      "a writer that was called before finds nothing to do")
    _ = queue.commitSucceeded(droppedReported: 0)
    #expect(queue.finishInPlace() == .wake && queue.next() == .commit)
  }

  @Test func aWriterThatIsAwakeAlreadyIsNotCalledAgainAfterACommitInPlace() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    try queue.claimed(Steps.push())
    queue.commitPending(need: .whenIdle)
    #expect(queue.finishInPlace() == .wake)
    try queue.claimed(Steps.push())
    queue.commitPending(need: .whenIdle)
    #expect(queue.finishInPlace() == nil && queue.next() == .maintain)
  }

  @Test func aStoreThatIsTakenLeavesTheEventToTheWriter() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    try queue.claimed(Steps.push())
    #expect(queue.finishInPlace() == .wake, "nothing was taken into flight")
    #expect(queue.next() == .commit && queue.takeBatch().entries.count == 1)
  }
}

// MARK: - Gathering

extension CommitQueueWriterTests {
  /// A queue whose last commit resumed the given number of callers, and took the time in nanoseconds.
  private func queue(after callers: Int, taking duration: Int64) throws -> CommitQueueState {
    var queue = CommitQueueState.resting(on: try Steps.store())
    for _ in 0..<callers { queue.take(Steps.push()) }
    _ = queue.nextWork()
    queue.commitPending(taking: duration)
    #expect(queue.next() == .sleep)
    return queue
  }

  @Test func theWriterWaitsForTheCallersOfTheLastCommit() throws {
    var queue = try queue(after: 3, taking: 1000)
    #expect(queue.take(Steps.push()).call == .wake)
    #expect(queue.next() == .commit(gathering: 500), "half of what the last commit took")
    #expect(queue.name == "gathering")
    #expect(queue.take(Steps.push()).call == nil)
    #expect(queue.take(Steps.push()).call == .wake && queue.name == "committing")
    #expect(queue.stopGathering() == true, "the signal is on its way")
    #expect(queue.takeBatch().entries.count == 3)
  }

  @Test func theWriterGathersNoLongerThanItsLimit() throws {
    var queue = try queue(after: 3, taking: 60_000_000)
    queue.take(Steps.push())
    #expect(queue.next() == .commit(gathering: CommitQueueState.gathering.longest))
    #expect(!queue.stopGathering() && queue.name == "committing")
    // The writer gathers only after a commit that has resumed callers.
    _ = queue.takeBatch()
    _ = queue.fail(at: now)
    queue.take(Steps.push())
    #expect(queue.next() == .commit)
  }

  @Test func itWaitsForAtMost128Callers() throws {
    var queue = try queue(after: 300, taking: 1000)
    queue.take(Steps.push())
    #expect(queue.next() == .commit(gathering: 500))
    for _ in 0..<126 { #expect(queue.take(Steps.push()).call == nil) }
    #expect(queue.take(Steps.push()).call == .wake)
  }

  @Test func aCloseEndsGathering() throws {
    var queue = try queue(after: 3, taking: 1000)
    queue.take(Steps.push())
    _ = queue.nextWork()
    #expect(queue.close(Steps.close, for: Steps.caller(), deadline: 2000).call == .wake)
    #expect(queue.stopGathering() == true)
  }
}

// MARK: - Maintenance and power cuts

extension CommitQueueWriterTests {
  @Test func maintenanceWaitsForAnIdleQueueUnlessItIsUrgent() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    for (need, isFirst) in [(MaintenanceNeed.whenIdle, false), (.soon, true)] {
      queue.take(Steps.push())
      _ = queue.nextWork()
      queue.commitPending(need: need)
      queue.take(Steps.push())
      if isFirst {
        #expect(queue.next() == .maintain && queue.name == "maintaining")
        #expect(queue.next() == .commit)
        queue.commitPending()
      } else {
        #expect(queue.next() == .commit)
        queue.commitPending(need: need)
        #expect(queue.next() == .maintain)
      }
      #expect(queue.next() == .sleep, "once")
    }
  }

  @Test func maintenanceThatACommitInPlaceMadeNecessaryIsTheWriters() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    try queue.claimed(Steps.push())
    queue.commitPending(need: .soon)
    #expect(queue.finishInPlace() == .wake)
    #expect(queue.claim(Steps.push(), for: Steps.caller(), deadline: 2000) == nil, "it is urgent")
    #expect(queue.next() == .maintain && !queue.isIdle)
    #expect(queue.next() == .sleep && queue.isIdle)
  }

  @Test func commitsAreSynchronizedOnceAfterFiveSeconds() throws {
    var queue = CommitQueueState.resting(on: try Steps.store(), synchronizes: true)
    queue.take(Steps.push())
    _ = queue.nextWork()
    #expect(queue.commitPending(synchronizes: true).synchronization == nil, "the first commit has planned it")
    #expect(queue.next() == .sleep)
    #expect(queue.synchronizationIsDue() == .wake && queue.next() == .synchronize)
    #expect(queue.name == "synchronizing")
    #expect(queue.synchronizationFailed(at: now) == now.boot + 5_000_000_000)
    #expect(queue.synchronizationFailed(at: now) == nil, "one try is planned")
    #expect(queue.next() == .sleep && queue.synchronizationIsDue() == .wake && queue.next() == .synchronize)
    queue.take(Steps.push())
    _ = queue.nextWork()
    #expect(queue.commitPending(synchronizes: true).synchronization == now.boot + 5_000_000_000)
  }

  @Test func aQueueThatIsNeverEmptyIsSynchronizedNevertheless() throws {
    var queue = CommitQueueState.resting(on: try Steps.store(), synchronizes: true)
    queue.take(Steps.push())
    _ = queue.synchronizationIsDue()
    #expect(queue.next() == .synchronize && queue.next() == .commit)
  }

  @Test func aCallerThatCommitsInPlaceLetsTheWriterSynchronizeFirst() throws {
    var queue = CommitQueueState.resting(on: try Steps.store(), synchronizes: true)
    #expect(queue.synchronizationIsDue() == .wake)
    #expect(queue.claim(Steps.push(), for: Steps.caller(), deadline: 2000) == nil)
    #expect(queue.next() == .synchronize && queue.next() == .sleep)
    try queue.claimed(Steps.push())
  }

  @Test func aClosedStoreIsNotSynchronized() throws {
    var queue = CommitQueueState.resting(on: try Steps.store(), synchronizes: true)
    queue.take(Steps.push())
    _ = queue.nextWork()
    _ = queue.fail(at: now)
    #expect(queue.next() == .sleep && queue.synchronizationIsDue() == nil)
  }

  @Test func storesThatNeedNoSynchronizationGetNone() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    queue.take(Steps.push())
    _ = queue.nextWork()
    #expect(queue.commitPending().synchronization == nil)
  }
}

// MARK: - Reaching and closing

extension CommitQueueWriterTests {
  @Test func anIdleQueueIsReachedAtOnce() throws {
    var queue = CommitQueueState(isRepeatable: true)
    #expect(queue.reach(opening: false, for: Steps.caller(), deadline: 10).isDone)
    let opening = queue.reach(opening: true, for: Steps.caller(), deadline: 10)
    #expect(!opening.isDone && opening.call == .start && opening.alarm == 10)
    queue = .resting(on: try Steps.store())
    #expect(queue.reach(opening: true, for: Steps.caller(), deadline: 10).isDone)
    _ = queue.enqueue(Steps.push())
    #expect(!queue.reach(opening: false, for: Steps.caller(), deadline: 10).isDone)
  }

  @Test func aClosedQueueTakesNothing() {
    var queue = CommitQueueState(isRepeatable: true)
    #expect(queue.close(Steps.close, for: Steps.caller(), deadline: 10).isDone, "there is no owner to end")
    #expect(queue.enqueue(Steps.push()).isRefused)
    #expect(queue.take(Steps.push()).refusal == .closed)
    #expect(queue.claim(Steps.push(), for: Steps.caller(), deadline: 10) == nil)
    #expect(queue.reach(opening: true, for: Steps.caller(), deadline: 10).refusal == .closed)
    #expect(queue.reach(opening: false, for: Steps.caller(), deadline: 10).refusal == .closed)
    #expect(queue.pending.isEmpty && queue.name == "dormant")
  }

  @Test func aCloseIsDoneWhenTheStoreIsClosed() throws {
    let store = try Steps.store()
    var queue = CommitQueueState.resting(on: store)
    _ = queue.enqueue(Steps.push())
    #expect(!queue.close(Steps.close, for: Steps.caller(), deadline: 2000).isDone)
    #expect(queue.next() == .commit)
    #expect(queue.commitPending().entries.allSatisfy { $0.waiter == nil }, "the event alone is no close")
    let work = try queue.nextClosing()
    #expect(Steps.isSame(work.store, store) && work.finally && work.lost == 0)
    // Other callers that close meanwhile wait for the same close.
    #expect(queue.close(Steps.close, for: Steps.caller(), deadline: 2000).answer == nil)
    let (callers, ends) = queue.finishClosing()
    #expect(callers.count == 2 && ends && queue.name == "dormant")
    #expect(queue.close(Steps.close, for: Steps.caller(), deadline: 2000).isDone)
    #expect(queue.retryIsDue() == nil && queue.synchronizationIsDue() == nil)
  }

  @Test func closingForAnotherProcessAddsNoEvent() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    let actions = queue.close(nil, for: Steps.caller(), deadline: 2000)
    #expect(actions.answer == nil && actions.call == .wake && queue.pending.isEmpty)
    let work = try queue.nextClosing()
    #expect(!work.finally)
    #expect(queue.close(nil, for: Steps.caller(), deadline: 2000).answer == nil, "it is being closed")
    #expect(queue.finishClosing().callers.count == 2)
    #expect(queue.close(nil, for: Steps.caller(), deadline: 2000).isDone)
  }

  @Test func callersOfACloseKeepTheirDeadlinesWhileTheStoreIsClosed() throws {
    var queue = CommitQueueState.resting(on: try Steps.store(), synchronizes: true)
    #expect(queue.close(Steps.close, for: Steps.caller(), deadline: 2000).alarm == 2000)
    #expect(queue.next() == .commit)
    queue.commitPending()
    _ = try queue.nextClosing()
    #expect(queue.close(Steps.close, for: Steps.caller(), deadline: 2500).alarm == nil)
    let (callers, _, alarm) = queue.expire(at: 2000)
    #expect(callers.count == 1 && alarm == 2500, "the second caller still waits")
    #expect(queue.expire(at: 2500).callers.count == 1)
    #expect(queue.close(Steps.close, for: Steps.caller(), deadline: 3000).alarm == 3000, "once more")
    #expect(queue.finishClosing().callers.count == 1, "the close has gone on")
    #expect(queue.close(Steps.close, for: Steps.caller(), deadline: 4000).isDone)
  }

  @Test func closingForAnotherProcessWaitsForEarlierEvents() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    _ = queue.enqueue(Steps.push())
    #expect(queue.close(nil, for: Steps.caller(), deadline: 2000).answer == nil)
    #expect(queue.next() == .commit)
    queue.commitPending()
    #expect(try queue.nextClosing().finally == false && queue.finishClosing().callers.count == 1)
  }

  @Test func aFailedCloseDiscardsNothingAndMayBeRepeated() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    _ = queue.enqueue(Steps.push())
    _ = queue.close(Steps.close, for: Steps.caller(), deadline: 2000)
    _ = queue.nextWork()
    #expect(queue.fail(at: now).callers.count == 1)
    #expect(queue.next() == .sleep && queue.numbers == [2], "the push stays until the store is well")
    #expect(queue.retryIsDue() == .wake && queue.next() == .commit)
    let store = try Steps.store()
    queue.didOpen(store)
    queue.commitPending()
    let work = try queue.nextClosing()
    #expect(!work.finally && Steps.isSame(work.store, store), "the owner has not ended yet")
    // The repeated close arrives while the store is being closed.
    #expect(queue.close(Steps.close, for: Steps.caller(), deadline: 2000).answer == nil)
    #expect(queue.finishClosing().ends == false && queue.next() == .commit)
    queue.didOpen(store)
    queue.commitPending()
    #expect(try queue.nextClosing().finally == true && queue.finishClosing().callers.count == 1)
  }

  @Test func aCloseThatFailedIsMadeUpForWithoutACaller() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    #expect(queue.endLater(Steps.close) == nil, "it is not closed")
    _ = queue.close(Steps.close, for: Steps.caller(), deadline: 2000)
    _ = queue.nextWork()
    #expect(queue.fail(at: now).callers.count == 1)
    _ = try queue.nextClosing()
    _ = queue.finishClosing()
    #expect(queue.endLater(Steps.close) == .start && queue.next() == .commit, "at once")
    _ = queue.fail(at: now)
    #expect(queue.next() == .sleep && queue.retryIsDue() == .wake && queue.next() == .commit, "and again")
    queue.didOpen(try Steps.store())
    queue.commitPending()
    #expect(try queue.nextClosing().finally == true && queue.endLater(Steps.close) == nil)
    #expect(queue.finishClosing().ends && queue.endLater(Steps.close) == nil)
  }

  @Test func aCloseAfterAFailureOpensTheStoreAgainToEndTheOwner() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    queue.take(Steps.start())
    _ = queue.nextWork()
    _ = queue.fail(at: now)
    #expect(queue.next() == .sleep && queue.isIdle)
    let actions = queue.close(Steps.close, for: Steps.caller(), deadline: 2000)
    #expect(actions.answer == nil && actions.call == .wake && queue.next() == .commit)
  }

  @Test func aCloseWithoutACallerDiscardsEventsWhileTheStoreFails() throws {
    var queue = CommitQueueState.resting(on: try Steps.store())
    _ = queue.enqueue(Steps.push())
    _ = queue.nextWork()
    _ = queue.takeBatch()
    _ = queue.fail(at: now)
    #expect(queue.next() == .sleep)
    #expect(queue.close(Steps.close, for: nil, deadline: .max).call == .wake)
    let work = try queue.nextClosing()
    #expect(work.lost == 1 && work.isEndLost && work.store == nil && !work.finally && work.callers.isEmpty)
    #expect(queue.finishClosing().ends && queue.pending.isEmpty)
  }

  @Test func aCloseWithoutAThreadFails() throws {
    var queue = CommitQueueState(isRepeatable: true)
    _ = queue.enqueue(Steps.push())
    _ = queue.close(Steps.close, for: Steps.caller(), deadline: 2000)
    #expect(queue.writerDidNotStart(at: now).callers.count == 1)
    #expect(queue.close(Steps.close, for: Steps.caller(), deadline: 2000).call == .start)
  }
}

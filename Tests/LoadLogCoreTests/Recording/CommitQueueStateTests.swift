import Testing

@testable import LoadLogCore

/// The queue's rules, without threads.
@Suite struct CommitQueueStateTests {
  let now = LoadInstant(wall: 1, boot: 1)

  private func push() -> LoadEvent { LoadEvent(.push("a"), at: now) }

  private func start(_ id: SessionID = SessionID()) -> LoadEvent {
    LoadEvent(.start(id, "a", message: nil, tag: nil), at: now)
  }

  private func waiter() -> CommitWaiter { .thread(ThreadWaiter()) }

  /// The abandoned session of an entry, with its reason.
  private func abandoned(_ entry: CommitQueueState.Entry) -> SessionID? {
    guard case .abandon(let id, .deadline) = entry.event?.kind else { return nil }
    return id
  }

  @Test func eventsAreNumberedFromOneAndMarksAreNot() throws {
    var queue = CommitQueueState()
    #expect(queue.isIdle)
    for event in [push(), nil, push(), nil] as [LoadEvent?] {
      try queue.append(event, waiter: event == nil ? waiter() : nil)
    }
    #expect(queue.pending.map(\.number) == [1, 1, 2, 2])
    #expect(queue.takeBatch().count == 4 && queue.pending.isEmpty && !queue.isIdle)
    try queue.append(push())
    #expect(queue.succeed(countingDropped: 0).count == 4)
    #expect(queue.pending.map(\.number) == [3] && queue.inFlight.isEmpty)
  }

  @Test func batchesAreBounded() throws {
    var queue = CommitQueueState()
    for _ in 0..<(CommitQueueState.mostInBatch + 1) { try queue.append(push()) }
    #expect(queue.takeBatch().count == CommitQueueState.mostInBatch)
    #expect(queue.pending.count == 1)
  }

  @Test func whatOverflowsIsDroppedAndCountedButNoCallerIs() throws {
    var queue = CommitQueueState()
    for _ in 0..<CommitQueueState.mostPending.inTrouble { try queue.append(push(), isInTrouble: true) }
    #expect(try !queue.append(push(), isInTrouble: true))
    #expect(try !queue.append(push(), isInTrouble: true))
    #expect(try queue.append(push()), "while all is well there is more room")
    #expect(try queue.append(start(), waiter: waiter(), deadline: 5, isInTrouble: true))
    #expect(try queue.append(LoadEvent(.close, at: now), isInTrouble: true, closing: true))
    #expect(queue.dropped == 2)
    _ = queue.takeBatch()
    _ = queue.succeed(countingDropped: 2)
    #expect(queue.dropped == 0)
  }

  @Test func aClosedQueueTakesNothing() throws {
    var queue = CommitQueueState()
    queue.isClosed = true
    let event = push()
    let error = #expect(throws: LoadLogError.self) { try queue.append(event) }
    #expect(error?.code == .closed && queue.pending.isEmpty)
  }

  @Test func deadlinesWithdrawWhatIsPendingAtTheirInstant() throws {
    var queue = CommitQueueState()
    for deadline: Int64 in [10, 20, 30] { try queue.append(start(), waiter: waiter(), deadline: deadline) }
    try queue.append(push())
    #expect(queue.nextDeadline == 10 && queue.hasCaller)
    #expect(queue.expire(at: 9).isEmpty)
    #expect(queue.expire(at: 10).count == 1)
    #expect(queue.expire(at: 10).isEmpty && queue.nextDeadline == 20)
    #expect(queue.expire(at: 1000).count == 2)
    #expect(queue.pending.map(\.number) == [4] && queue.nextDeadline == nil && !queue.hasCaller)
  }

  @Test func aStartCommittedTooLateIsNamed() throws {
    var queue = CommitQueueState()
    let (late, early) = (SessionID(), SessionID())
    try queue.append(start(late), waiter: waiter(), deadline: 10)
    try queue.append(start(early), waiter: waiter(), deadline: 20)
    try queue.append(LoadEvent(.finish(early, .succeeded), at: now), waiter: waiter(), deadline: 10)
    _ = queue.takeBatch()
    #expect(queue.expire(at: 10).count == 2)
    let entries = queue.succeed(countingDropped: 0)
    #expect(entries.map(\.forsakenStart) == [late, nil, nil])
    #expect(entries.map { $0.waiter != nil } == [false, true, false])
    queue.abandon(late, at: now)
    #expect(queue.pending.map(\.number) == [4] && queue.pending.compactMap(abandoned) == [late])
  }

  @Test func aFailedBatchIsKeptWhereNobodyWaitsAndItsStartsAreAbandoned() throws {
    var queue = CommitQueueState()
    let id = SessionID()
    try queue.append(push())
    try queue.append(start(id), waiter: waiter(), deadline: 10)
    try queue.append(nil, waiter: waiter(), deadline: 10)
    _ = queue.takeBatch()
    try queue.append(push())
    try queue.append(start(), waiter: waiter(), deadline: 10)
    #expect(queue.fail(at: now).count == 2)
    // First what failed, then what came later, then the end of a start that may have been committed.
    #expect(queue.pending.map(\.number) == [1, 3, 4, 5])
    #expect(queue.pending.compactMap(abandoned) == [id])
    #expect(queue.hasCaller, "who came later gets a try of their own")
  }

  @Test func aFailureBeforeTheBatchTellsAllWhoWait() throws {
    var queue = CommitQueueState()
    try queue.append(push())
    try queue.append(start(), waiter: waiter(), deadline: 10)
    #expect(queue.fail(at: now).count == 1)
    #expect(queue.pending.map(\.number) == [1], "a start that never left is just withdrawn")
  }

  @Test func aForsakenStartWhoseBatchFailsIsAbandonedOnce() throws {
    var queue = CommitQueueState()
    let id = SessionID()
    try queue.append(start(id), waiter: waiter(), deadline: 10)
    _ = queue.takeBatch()
    _ = queue.expire(at: 10)
    #expect(queue.fail(at: now).isEmpty)
    #expect(queue.pending.compactMap(abandoned) == [id] && queue.pending.count == 1)
  }
}

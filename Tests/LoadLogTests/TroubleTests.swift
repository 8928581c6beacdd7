import Foundation
import LoadLog
import LoadLogTestSupport
import Observation
import Synchronization
import TestProcesses
import Testing

/// Stores that cannot be opened, are locked or fail.
@Suite(.timeLimit(.minutes(10))) struct TroubleTests {
  @Test func workRunsEvenIfNothingCanBeRecorded() async throws {
    let bench = try Bench.withoutStore()
    let loads = bench.loads
    let (notifications, notification) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking {
      _ = loads.failure
    } onChange: {
      notification.finish()
    }
    let value = await loads.loading("reviews") {
      await Task.yield(); return 42
    }
    #expect(value == 42)
    #expect(loads.failure?.code == .storeUnusable && loads.failure?.path == bench.place.path)
    // Its observers are notified from another thread.
    for await _ in notifications {}
    await #expect(throws: Broken.self) { try await loads.loading("a") { () async throws in throw Broken() } }
    let error = await #expect(throws: LoadLogError.self) { _ = try await loads.startLoading("reviews") }
    #expect(error?.code == .storeUnusable)
    #expect(loads.depth(of: "reviews") == 0)
    #expect(bench.log.messages.allSatisfy { $0 == "recording failed" } && !bench.log.messages.isEmpty)
  }

  @Test func aStoreThatCannotBeOpenedIsLoggedOnceUntilItCan() async throws {
    let bench = try Bench.withoutStore()
    let loads = bench.loads
    for _ in 0..<5 {
      await loads.loading("reviews") { await Task.yield() }
      _ = try? await loads.startLoading("reviews")
      loads.push("network")
      #expect(loads.failure?.code == .storeUnusable)
    }
    #expect(bench.log.messages == ["recording failed"])
    for _ in 0..<2 { loads.push("bad\nname") }
    #expect(bench.log.messages.count == 3, "an invalid argument is logged each time")
    try bench.repair()
    try await loads.flush()
    try await loads.finishLoading(try await loads.startLoading("reviews"))
    #expect(loads.failure == nil)
    try await loads.close()
    for _ in 0..<3 { loads.push("network") }
    #expect(bench.log.messages.count { $0 == "recording failed" } == 4, "the log gets a new error again")
    #expect(loads.failure?.code == .closed)
  }

  @Test func recordingResumesWhenTheStoreCanBeOpenedAgain() async throws {
    let bench = try Bench.withoutStore()
    let loads = bench.loads
    _ = try? await loads.startLoading("reviews")
    #expect(loads.failure != nil)
    try bench.repair()
    // No caller waits for these events.
    loads.push("network")
    loads.push("network")
    // The queue retries only after it has set an alarm, so advance the clock until it has.
    while loads.failure != nil {
      try Task.checkCancellation()
      await bench.clock.advance(by: .seconds(10))
      await Task.yield()
    }
    #expect(try await loads.numbers(of: "network")?.running == 2)
    #expect(try await loads.numbers(of: "reviews") == nil)
  }

  @Test func recordsInMemoryIfTheStoreCannotBeOpened() async throws {
    let bench = try Bench.withoutStore { $0.onOpenFailure = .recordInMemory }
    let loads = bench.loads
    await loads.loading("reviews") { await Task.yield() }
    #expect(loads.failure?.code == .storeUnusable)
    #expect(try await loads.onlyLoad()?.state == .succeeded)
    try bench.repair()
    loads.push("network")
    #expect(try await loads.allLoads().count == 2, "the controller keeps the store in memory")
    #expect(!bench.files.contains("loadlog.db"))
    try await loads.close()
  }

  enum Outsider: CaseIterable {
    case gate, transaction

    /// Starts a program that holds a lock of the store until its input ends.
    func holding(_ path: String) throws -> Child {
      switch self {
      case .gate: return try Child.holding(gate: path + "-gate")
      case .transaction:
        let child = try Child(["/usr/bin/env", "sqlite3", path])
        try child.write("BEGIN IMMEDIATE; SELECT 'held';")
        #expect(try child.line() == "held")
        return child
      }
    }
  }

  @Test(arguments: Outsider.allCases)
  func waitingCallersThrowAtTheDeadlineAndRecordingResumes(_ outsider: Outsider) async throws {
    let bench = try Bench { $0.deadline = .seconds(5) }
    let loads = bench.loads
    try await bench.makeStore(loading: "before")
    let child = try outsider.holding(bench.place.path)
    let waiting = Task { try await loads.startLoading("withdrawn") }
    await bench.clock.alarms(atLeast: 1)
    loads.push("network")
    #expect(loads.depth(of: "withdrawn") == 1)
    await bench.clock.advance(by: .milliseconds(4999))
    #expect(loads.failure == nil)
    await bench.clock.advance(by: .milliseconds(1))
    let error = await #expect(throws: LoadLogError.self) { _ = try await waiting.value }
    #expect(error?.code == .busy && error?.path == bench.place.path)
    #expect(loads.failure?.code == .busy && loads.depth(of: "withdrawn") == 0)
    try child.finish()
    try await loads.flush()
    #expect(loads.failure == nil)
    let all = try await loads.allLoads()
    #expect(all.map(\.feed) == ["before", "network"], "the start was withdrawn")
    #expect(all.map(\.state) == [.succeeded, .running])
    #expect(try await loads.status().totals.unbalanced.total == 0)
  }

  @Test func blockingCallsThrowAtTheDeadline() async throws {
    let bench = try Bench()
    try await bench.makeStore(loading: "before")
    let child = try Outsider.gate.holding(bench.place.path)
    let thread = Task { try await onAThread { _ = try bench.loads.startLoading("a") } }
    await bench.clock.alarms(atLeast: 1)
    await bench.clock.advance(by: .seconds(5))
    let error = await #expect(throws: LoadLogError.self) { try await thread.value }
    #expect(error?.code == .busy)
    try child.finish()
    try await bench.loads.flush()
    #expect(try await bench.loads.allLoads().map(\.feed) == ["before"])
  }

  /// Withdrawing the finish would leave the load running, and the clean close would cancel it although the
  /// work has succeeded.
  @Test func aFinishIsRecordedAfterItsCallerHasTimedOut() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let id = SessionID()
    loads.start(id: id, feed: "reviews")
    try await loads.flush()
    let child = try Outsider.gate.holding(bench.place.path)
    let work = Task { try await onAThread { try loads.record(.finish(id, .succeeded)) } }
    // The caller may start to wait at any time, so advance the clock until its deadline passes.
    while loads.failure == nil {
      try Task.checkCancellation()
      await bench.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    await #expect(throws: LoadLogError.self) { try await work.value }
    try child.finish()
    try await loads.close()
    let state = try await (try bench.another()).onlyLoad()?.state
    #expect(state == .succeeded)
  }

  @Test func aFailedCloseCanBeRetried() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let token = try await loads.startLoading("reviews")
    let child = try Outsider.gate.holding(bench.place.path)
    loads.push("network")
    let closing = Task { try await loads.close() }
    while loads.failure == nil {
      try Task.checkCancellation()
      await bench.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    let error = await #expect(throws: LoadLogError.self) { try await closing.value }
    #expect(error?.code == .busy)
    loads.push("late")
    try child.finish()
    try await onAThread { try loads.close() }
    try await loads.close()
    #expect(!bench.files.contains { $0.contains("-owner-") }, "the lock is released when close returns")
    let all = try await (try bench.another()).allLoads()
    #expect(all.map(\.feed) == ["reviews", "network"], "events before the failure are not lost")
    #expect(all.allSatisfy { $0.state == .cancelled && $0.reason == "quit" })
    withExtendedLifetime(token) {}
  }

  /// Only the last commits must reach the disk, and for that the gate is needed.
  @Test func aCloseWithNothingToRecordKeepsItsDeadline() async throws {
    let bench = try Bench {
      ($0.durability, $0.owner, $0.deadline) = (.process, .detached, .seconds(1))
    }
    let loads = bench.loads
    loads.push("network")
    try await loads.flush()
    // Let the deadline of the flush pass, so that only the synchronization is scheduled.
    await bench.clock.advance(by: .seconds(2))
    let child = try Outsider.gate.holding(bench.place.path)
    let closing = Task { try await loads.close() }
    await bench.clock.alarms(atLeast: 2)
    await bench.clock.advance(by: .seconds(1))
    let error = await #expect(throws: LoadLogError.self) { try await closing.value }
    #expect(error?.code == .busy)
    try child.finish()
    try await loads.close()
    loads.reopen()
    #expect(try await loads.onlyLoad()?.state == .running)
    try await loads.close()
  }

  @Test func aFailedCloseIsMadeUpForAfterReopening() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let token = try await loads.startLoading("reviews")
    let child = try Outsider.gate.holding(bench.place.path)
    let closing = Task { try await loads.close() }
    while loads.failure == nil {
      try Task.checkCancellation()
      await bench.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    await #expect(throws: LoadLogError.self) { try await closing.value }
    loads.reopen()
    #expect(loads.failure == nil)
    try child.finish()
    while try await loads.onlyLoad()?.state == .running {
      try Task.checkCancellation()
      await Task.yield()
    }
    let load = try #require(try await loads.onlyLoad())
    #expect(load.state == .cancelled && load.reason == "quit")
    try await loads.close()
    withExtendedLifetime(token) {}
  }

  /// After a failure the store is closed and no caller waits, but the owner must still be closed.
  @Test func closingAfterAFailureEndsTheOwner() async throws {
    let bench = try Bench()
    let (loads, gate, files) = (bench.loads, bench.place.path + "-gate", FileManager.default)
    let token = try await loads.startLoading("reviews")
    try files.removeItem(atPath: gate)
    try files.createDirectory(atPath: gate, withIntermediateDirectories: true)
    await #expect(throws: LoadLogError.self) { _ = try await loads.startLoading("refused") }
    try files.removeItem(atPath: gate)
    try await loads.close()
    #expect(try await (try bench.another()).onlyLoad()?.state == .cancelled)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: [(0, "the end of the owner"), (1, "1 event"), (2, "2 events")])
  func aReleasedControllerReportsWhatItCannotRecord(pushes: Int, lost: String) async throws {
    let bench = try Bench()
    var loads: LoadingController? = try bench.another()
    try await loads?.finishLoading(try #require(loads).startLoading("reviews"))
    // The store is moved away.
    try FileManager.default.moveItem(atPath: bench.place.path, toPath: bench.place.path + ".old")
    for _ in 0..<pushes { loads?.push("network") }
    loads = nil
    while !bench.log.text.contains("close:") {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(bench.log.text.contains("close: \(lost) could not be recorded"), "\(bench.log.text)")
  }

  @Test func concurrentCallsToCloseSucceed() async throws {
    let bench = try Bench()
    bench.loads.push("network")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { try await bench.loads.close() } }
      try await group.waitForAll()
    }
    #expect(!bench.files.contains { $0.contains("-owner-") })
    #expect(try await (try bench.another()).onlyLoad()?.state == .cancelled)
  }

  @Test func theMaximumDeadlineNeverPasses() async throws {
    let bench = try Bench { $0.deadline = .seconds(Int64.max) }
    try await bench.loads.finishLoading(try await bench.loads.startLoading("a"))
    #expect(try await bench.loads.onlyLoad()?.state == .succeeded)
  }

  @Test func aCancelledTaskStillRecordsItsLoad() async throws {
    let loads = try Bench().loads
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await loads.startLoading("a")
    }
    try await loads.finishLoading(try await task.value)
    #expect(try await loads.onlyLoad()?.state == .succeeded)
  }

  @Test(arguments: ["rename", "unlink", "replace", "log"])
  func noEventIsAcknowledgedAfterTheStoreWasMoved(_ how: String) async throws {
    let bench = try Bench()
    let loads = bench.loads
    loads.push("before")
    try await loads.flush()
    let (files, path) = (FileManager.default, bench.place.path)
    switch how {
    case "rename": try files.moveItem(atPath: path, toPath: path + ".old")
    case "unlink": for name in ["", "-wal", "-shm"] { try files.removeItem(atPath: path + name) }
    case "replace":
      let other = try Bench()
      try await other.loads.finishLoading(try await other.loads.startLoading("theirs"))
      try await other.loads.close()
      try files.removeItem(atPath: path)
      try files.copyItem(atPath: other.place.path, toPath: path)
    default: try files.removeItem(atPath: path + "-wal")
    }
    let error = await #expect(throws: LoadLogError.self) { _ = try await loads.startLoading("lost") }
    #expect(error?.code == .storeMoved)
    #expect(loads.failure?.code == .storeMoved)
  }
}

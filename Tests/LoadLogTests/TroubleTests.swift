import Foundation
import LoadLog
import LoadLogTestSupport
import Observation
import Synchronization
import TestProcesses
import Testing

/// The store cannot be used, or not now.
@Suite(.timeLimit(.minutes(2))) struct TroubleTests {
  /// A controller whose store lies where a folder is.
  private func benchWithoutStore(
    _ policy: LoadingController.OpenFailurePolicy
  ) throws -> (bench: Bench, repair: () throws -> Void) {
    let bench = try Bench { $0.onOpenFailure = policy }
    try FileManager.default.createDirectory(at: bench.place.url, withIntermediateDirectories: true)
    return (bench, { try FileManager.default.removeItem(at: bench.place.url) })
  }

  @Test func theWorkRunsWhenNothingCanBeRecorded() async throws {
    let (bench, _) = try benchWithoutStore(.fail)
    let loads = bench.loads
    let isTold = Mutex(false)
    withObservationTracking {
      _ = loads.failure
    } onChange: {
      isTold.withLock { $0 = true }
    }
    let value = await loads.loading("reviews") {
      await Task.yield(); return 42
    }
    #expect(value == 42)
    #expect(loads.failure?.code == .storeUnusable && loads.failure?.path == bench.place.path)
    #expect(isTold.withLock { $0 }, "failure is observable")
    await #expect(throws: Broken.self) { try await loads.loading("a") { () async throws in throw Broken() } }
    let error = await #expect(throws: LoadLogError.self) { _ = try await loads.startLoading("reviews") }
    #expect(error?.code == .storeUnusable)
    #expect(loads.depth(of: "reviews") == 0)
    #expect(bench.log.messages.allSatisfy { $0 == "recording failed" } && !bench.log.messages.isEmpty)
  }

  @Test func recordingResumesByItselfWhenTheTroubleIsOver() async throws {
    let (bench, repair) = try benchWithoutStore(.fail)
    let loads = bench.loads
    _ = try? await loads.startLoading("reviews")
    #expect(loads.failure != nil)
    try repair()
    // Nobody waits for these.
    loads.push("network")
    loads.push("network")
    // The clock stands until the queue has planned its next try.
    while loads.failure != nil {
      bench.clock.advance(by: .seconds(10))
      await Task.yield()
    }
    #expect(try await loads.numbers(of: "network")?.running == 2)
    #expect(try await loads.numbers(of: "reviews") == nil)
  }

  @Test func anAppStartsOverABrokenLogAndRecordsInMemory() async throws {
    let (bench, repair) = try benchWithoutStore(.recordInMemory)
    let loads = bench.loads
    await loads.loading("reviews") { await Task.yield() }
    #expect(loads.failure?.code == .storeUnusable)
    #expect(try await loads.onlyLoad()?.state == .succeeded)
    try repair()
    loads.push("network")
    #expect(try await loads.allLoads().count == 2, "it stays with the store it has chosen")
    #expect(!bench.files.contains("loadlog.db"))
    try await loads.close()
  }

  enum Outsider: CaseIterable {
    case gate, transaction

    /// Another program that keeps writers out of the store until its input ends.
    func holding(_ path: String) throws -> Child {
      let child: Child
      switch self {
      case .gate:
        child = try Child(["/usr/bin/env", "flock", path + "-gate", "-c", "echo held; cat"])
      case .transaction:
        child = try Child(["/usr/bin/env", "sqlite3", path])
        try child.write("BEGIN IMMEDIATE; SELECT 'held';")
      }
      #expect(try child.line() == "held")
      return child
    }
  }

  @Test(arguments: Outsider.allCases)
  func whoeverWaitsIsToldAtTheDeadlineAndRecordingResumes(_ outsider: Outsider) async throws {
    let bench = try Bench { $0.deadline = .seconds(5) }
    let loads = bench.loads
    try await bench.makeStore(loading: "before")
    let child = try outsider.holding(bench.place.path)
    let waiting = Task { try await loads.startLoading("withdrawn") }
    await bench.clock.alarms(atLeast: 1)
    loads.push("network")
    #expect(loads.depth(of: "withdrawn") == 1)
    bench.clock.advance(by: .milliseconds(4999))
    #expect(loads.failure == nil)
    bench.clock.advance(by: .milliseconds(1))
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

  @Test func aBlockedThreadIsToldToo() async throws {
    let bench = try Bench()
    try await bench.makeStore(loading: "before")
    let child = try Outsider.gate.holding(bench.place.path)
    let thread = Task { try await onAThread { _ = try bench.loads.startLoading("a") } }
    await bench.clock.alarms(atLeast: 1)
    bench.clock.advance(by: .seconds(5))
    let error = await #expect(throws: LoadLogError.self) { try await thread.value }
    #expect(error?.code == .busy)
    try child.finish()
    try await bench.loads.flush()
    #expect(try await bench.loads.allLoads().map(\.feed) == ["before"])
  }

  /// A finish that was withdrawn would leave its load running, and the clean close would call it cancelled
  /// although the work had succeeded.
  @Test func aFinishThatCameTooLateForItsCallerIsNotLost() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let id = SessionID()
    loads.start(id: id, feed: "reviews")
    try await loads.flush()
    let child = try Outsider.gate.holding(bench.place.path)
    let work = Task { try await onAThread { try loads.record(.finish(id, .succeeded)) } }
    // Its deadline passes, whenever it began to wait.
    while loads.failure == nil {
      bench.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    await #expect(throws: LoadLogError.self) { try await work.value }
    try child.finish()
    try await loads.close()
    let state = try await (try bench.another()).onlyLoad()?.state
    #expect(state == .succeeded)
  }

  @Test func aCloseThatFailedMayBeTriedAgain() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let token = try await loads.startLoading("reviews")
    let child = try Outsider.gate.holding(bench.place.path)
    loads.push("network")
    let closing = Task { try await loads.close() }
    while loads.failure == nil {
      bench.clock.advance(by: .seconds(1))
      await Task.yield()
    }
    let error = await #expect(throws: LoadLogError.self) { try await closing.value }
    #expect(error?.code == .busy)
    loads.push("late")
    try child.finish()
    try await onAThread { try loads.close() }
    try await loads.close()
    #expect(!bench.files.contains { $0.contains("-owner-") }, "its lock is gone when it returns")
    let all = try await (try bench.another()).allLoads()
    #expect(all.map(\.feed) == ["reviews", "network"], "what was pushed before is not lost")
    #expect(all.allSatisfy { $0.state == .cancelled && $0.reason == "quit" })
    withExtendedLifetime(token) {}
  }

  /// After trouble the store is closed and nothing waits: there is an owner to end all the same.
  @Test func aCloseAfterTroubleEndsTheOwner() async throws {
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

  @Test func severalMayCloseAtOnce() async throws {
    let bench = try Bench()
    bench.loads.push("network")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { try await bench.loads.close() } }
      try await group.waitForAll()
    }
    #expect(!bench.files.contains { $0.contains("-owner-") })
    #expect(try await (try bench.another()).onlyLoad()?.state == .cancelled)
  }

  @Test func anEndlessDeadlineNeverPasses() async throws {
    let bench = try Bench { $0.deadline = .seconds(Int64.max) }
    try await bench.loads.finishLoading(try await bench.loads.startLoading("a"))
    #expect(try await bench.loads.onlyLoad()?.state == .succeeded)
  }

  @Test func aCancelledTaskStillWaitsForItsRecord() async throws {
    let loads = try Bench().loads
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await loads.startLoading("a")
    }
    try await loads.finishLoading(try await task.value)
    #expect(try await loads.onlyLoad()?.state == .succeeded)
  }

  @Test(arguments: ["rename", "unlink", "replace", "log"])
  func aStoreMovedWhileOpenIsNeverAcknowledged(_ how: String) async throws {
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

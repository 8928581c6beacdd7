import Foundation
import LoadLogCore
import LoadLogFleet
import LoadLogSQLite
import Synchronization
import Testing

/// Which rounds share a connection, and the open store.
@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
  private let bench: FleetBench
  private let destination = MemoryDestination()

  init() throws {
    bench = try FleetBench()
    try bench.load("news")
  }

  /// Runs until a number of rounds has succeeded, and then once more, as a cancelled sync does.
  ///
  /// - Returns: the number of rounds that failed.
  private func run(
    every interval: Duration, rounds: Int, afterRound: @escaping @Sendable (_ number: Int) -> Void = { _ in }
  ) async throws -> Int {
    let ended = Mutex((succeeded: 0, failed: 0))
    let sync = bench.sync(to: destination)
    let task = Task {
      try await sync.run(every: interval) { round in
        ended.withLock { ended in
          switch round {
          case .success: ended.succeeded += 1
          case .failure: ended.failed += 1
          }
          afterRound(ended.succeeded + ended.failed)
          if ended.succeeded == rounds { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }
    }
    try await task.value
    return ended.withLock { $0.failed }
  }

  @Test func roundsThatFollowSoonShareIt() async throws {
    #expect(try await run(every: .milliseconds(1), rounds: 5) == 0)
    #expect(destination.connections == 1)
  }

  @Test func roundsThatFollowLaterConnectEach() async throws {
    #expect(try await run(every: .seconds(10), rounds: 1) == 0)
    // The first round, the last one, and the end of the lease.
    #expect(destination.connections == 3)
  }

  @Test(arguments: [MemoryDestination.Break.beforeCommit, .afterCommit])
  func oneThatHasEndedIsOpenedAgainInTheSameRound(_ place: MemoryDestination.Break) async throws {
    nonisolated(unsafe) let destination = destination
    let failed = try await run(every: .milliseconds(1), rounds: 3) { number in
      if number == 1 { destination.nextBreak = place }
    }
    #expect(failed == 0 && destination.connections == 2)
  }

  @Test func aStoreThatWasReplacedIsOpenedAgainInTheSameRound() async throws {
    nonisolated(unsafe) let (bench, destination) = (bench, destination)
    let failed = try await run(every: .milliseconds(1), rounds: 3) { number in
      guard number == 1 else { return }
      bench.crash()
      do {
        try bench.putBack(bench.copy())
        try bench.load("sport")
      } catch {
        Issue.record(error)
      }
    }
    #expect(failed == 0 && destination.connections == 2)
    #expect(try destination.hosts.values.first?.rows == bench.everything(.unusual))
  }

  @Test(arguments: [LoadLogError.Code.fleetUnreachable, .fleetUnusable])
  func aDatabaseThatIsAwayForATimeEndsNoSync(_ code: LoadLogError.Code) async throws {
    nonisolated(unsafe) let destination = destination
    nonisolated(unsafe) var hasFailed = false
    let failed = try await run(every: .milliseconds(1), rounds: 2) { _ in
      destination.failure = hasFailed ? nil : code
      hasFailed = true
    }
    // One that refuses a round is not asked again in it.
    #expect(failed == 1 && destination.connections == (code == .fleetUnreachable ? 3 : 2))
  }

  @Test func aSyncThatIsCancelledLeavesWhatWaits() async throws {
    try bench.load("sport", times: 5000)
    let sync = bench.sync(to: destination, loads: .all)
    let canCancel = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var task: Task<Void, any Error>?
    destination.onSend = {
      canCancel.wait()
      task?.cancel()
    }
    task = Task { try await sync.run(every: .seconds(3600)) }
    canCancel.signal()
    try await task?.value
    // The one during which it was cancelled, and one more.
    #expect(destination.batches.count == 2)
    try await sync.round()
    #expect(destination.batches.count > 2)
    #expect(try destination.hosts.values.first?.rows == bench.everything())
  }

  @Test func aDatabaseThatNeverTookARoundEndsTheSync() async throws {
    destination.failure = .fleetUnusable
    let error = await #expect(throws: LoadLogError.self) {
      _ = try await run(every: .milliseconds(1), rounds: 1)
    }
    #expect(error?.code == .fleetUnusable)
  }

  @Test func singleRoundsConnectEach() async throws {
    let sync = bench.sync(to: destination)
    for _ in 0..<2 { try await sync.round() }
    #expect(destination.connections == 2)
  }
}

import LoadLogCore
import LoadLogFleet
import LoadLogSQLite
import Synchronization
import Testing

/// Which rounds share a connection.
@Suite(.timeLimit(.minutes(1))) struct ConnectionTests {
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
          afterRound(ended.succeeded)
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

  /// One that has ended between two rounds is noticed at once; one that breaks in a round ends that round.
  @Test(arguments: [(MemoryDestination.Break.beforeAsking, 0), (.beforeCommit, 1)])
  func oneThatBrokeIsOpenedAgain(_ place: MemoryDestination.Break, failures: Int) async throws {
    nonisolated(unsafe) let destination = destination
    nonisolated(unsafe) var hasBroken = false
    let failed = try await run(every: .milliseconds(1), rounds: 3) { _ in
      if !hasBroken { destination.nextBreak = place }
      hasBroken = true
    }
    #expect(failed == failures && destination.connections == 2)
  }

  @Test(arguments: [LoadLogError.Code.fleetUnreachable, .fleetUnusable])
  func aDatabaseThatIsAwayForATimeEndsNoSync(_ code: LoadLogError.Code) async throws {
    nonisolated(unsafe) let destination = destination
    nonisolated(unsafe) var hasFailed = false
    let failed = try await run(every: .milliseconds(1), rounds: 2) { _ in
      destination.failure = hasFailed ? nil : code
      hasFailed = true
    }
    #expect(failed == 1)
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

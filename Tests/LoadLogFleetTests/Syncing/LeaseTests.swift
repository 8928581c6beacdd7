import LoadLogCore
import LoadLogFleet
import Testing

/// For how long a host counts as alive after a round.
@Suite(.timeLimit(.minutes(10))) struct LeaseTests {
  private let bench: FleetBench
  private let destination = MemoryDestination()

  init() throws {
    bench = try FleetBench()
    try bench.load("news")
  }

  /// Runs for one round, and then once more, as a cancelled sync does.
  private func run(every interval: Duration, lease: Duration? = nil) async throws {
    let sync = bench.sync(to: destination, lease: lease)
    let task = Task {
      try await sync.run(every: interval) { _ in withUnsafeCurrentTask { $0?.cancel() } }
    }
    try await task.value
  }

  @Test(arguments: [(Duration.seconds(60), Duration.seconds(180)), (.seconds(300), .seconds(900))])
  func itIsThreeIntervalsAndThreeMinutesAtLeast(_ interval: Duration, _ lease: Duration) async throws {
    try await run(every: interval)
    #expect(destination.leases == [lease, lease])
  }

  @Test func aLongerOneThanTheIntervalIsTaken() async throws {
    try await run(every: .seconds(300), lease: .seconds(301))
    #expect(destination.leases == [.seconds(301), .seconds(301)])
    try await bench.sync(to: destination, lease: .seconds(5)).round()
    #expect(destination.leases.last == .seconds(5))
  }

  @Test func oneThatEndsBeforeTheNextRoundIsRefused() async throws {
    let error = await #expect(throws: LoadLogError.self) {
      try await run(every: .seconds(300), lease: .seconds(300))
    }
    #expect(error?.code == .invalidInput && destination.connections == 0)
  }
}

#if Server
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  import Logging
  import ServiceLifecycle
  import Testing

  /// A sync as a service of swift-service-lifecycle, as the documentation describes it.
  @Suite(.timeLimit(.minutes(10))) struct ServiceTests {
    private struct SyncService: Service {
      let sync: FleetSync
      let rounds: AsyncStream<Void>.Continuation

      func run() async throws {
        try await cancelWhenGracefulShutdown {
          try await sync.run(every: .seconds(3600)) { _ in rounds.yield() }
        }
      }
    }

    @Test func aGracefulShutdownShipsOnceMoreAndEndsTheLease() async throws {
      let (bench, destination) = (try FleetBench(), MemoryDestination())
      try bench.load("news")
      let (rounds, continuation) = AsyncStream<Void>.makeStream()
      let service = SyncService(sync: bench.sync(to: destination, loads: .all), rounds: continuation)
      let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
      async let ended: Void = group.run()
      for await _ in rounds { break }
      try bench.load("late")
      await group.triggerGracefulShutdown()
      try await ended
      let host = try #require(destination.hosts.values.first)
      #expect(host.rows[.session]?.count == 2 && host.isGone)
    }
  }
#endif

#if Fleet
  import Foundation
  import LoadLogCore
  import LoadLogFleet
  import LoadLogSQLite
  import LoadLogTestSupport
  import Testing

  @Suite struct FleetContractTests {
    /// The database of all cases: each has a host of its own there.
    private static let address = Result { try PostgresBench().address }

    /// What a fleet answers otherwise than a store.
    private static let others: Set = [
      // The sync has recorded these verdicts before the opening that is to do so.
      "the loads of a dead owner are crashed for all readers",
      "after a boot the loads of older boots are rebooted",
      "a live owner that has released its lock has abandoned its loads",
      "a reused pid proves that the owner is dead",
      // They run while their host's lease lasts.
      "the loads of an owner that cannot be checked are unknown",
      // To ask is to ship, which writes.
      "only one owner at a time has the right to write",
      // The fleet keeps the rows of what a host prunes.
      "pruning keeps numbers, dates and the loads that must stay",
      "a pruned day still counts and is marked approximate",
    ]

    @Test func whatAFleetAnswersOtherwiseIsInTheContract() {
      #expect(Self.others.isSubset(of: LoadStoreContract.cases.map(\.rule)))
    }

    @Test(
      .timeLimit(.minutes(10)),
      arguments: LoadStoreContract.cases(without: [.busy, .exactTimes, .details, .oneHost])
        .filter { !others.contains($0.rule) })
    func aFleetKeepsTheContract(_ test: LoadStoreContract.Case) throws {
      let address = try Self.address.get()
      let place = try TemporaryStore()
      let name = UUID().uuidString
      try test.run { world in
        var settings = StoreOutbox.Settings()
        (settings.name, settings.loads, settings.withMessages) = (name, .all, true)
        let reader = ShippedReader(
          sync: FleetSync(
            storeAt: place.path, settings: settings, processes: world.processes, clock: world.clock
          ) { PostgresDestination(address) },
          fleet: FleetReader(
            address, FleetReaderOptions(hosts: [FeedPattern(name)]), clock: world.clock))
        return LoadStoreProvider.sqlite(
          at: place.url, durability: .process, processes: world.processes, locks: world.locks,
          clock: world.clock
        ).wrapping { ShippedStore($0, reader) }
      }
    }
  }
#endif

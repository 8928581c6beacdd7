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

    @Test(
      .timeLimit(.minutes(5)),
      arguments: LoadStoreContract.cases(without: [
        .sharing, .pruning, .busy, .exactTimes, .details, .oneHost,
      ]))
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
            address, FleetReader.Options(hosts: [FeedPattern(name)]), clock: world.clock))
        return LoadStoreProvider.sqlite(
          at: place.url, durability: .process, processes: world.processes, locks: world.locks,
          clock: world.clock
        ).wrapping { ShippedStore($0, reader) }
      }
    }
  }
#endif

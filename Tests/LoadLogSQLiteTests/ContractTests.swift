import LoadLogSQLite
import LoadLogTestSupport
import Testing

@Suite struct ContractTests {
  @Test(arguments: LoadStoreContract.cases) func aStoreInAFileKeepsTheContract(_ test: LoadStoreContract.Case)
    throws
  {
    let place = try TemporaryStore()
    try test.run { world in
      .sqlite(at: place.url, processes: world.processes, locks: world.locks, clock: world.clock)
    }
  }

  @Test(arguments: LoadStoreContract.cases(without: [.sharing]))
  func aStoreInMemoryKeepsTheContract(_ test: LoadStoreContract.Case) throws {
    try test.run { world in .inMemory(processes: world.processes, clock: world.clock) }
  }
}

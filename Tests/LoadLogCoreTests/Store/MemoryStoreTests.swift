import LoadLogCore
import LoadLogTestSupport
import Testing

@Suite struct MemoryStoreTests {
  @Test(arguments: LoadStoreContract.cases(without: [.sharing, .pruning]))
  func aStoreInArraysKeepsTheContract(_ test: LoadStoreContract.Case) throws {
    try test.run { world in
      LoadStoreProvider { owner, opened in { MemoryStore(owner, opened: opened, clock: world.clock) } }
    }
  }
}

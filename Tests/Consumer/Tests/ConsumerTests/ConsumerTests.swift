import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Testing

@MainActor @Test func anAppRecordsLoads() async throws {
  let store = try TemporaryStore()
  let loads = try LoadingController(storeAt: store.url)
  let network = NetworkActivityIndicator(loads)

  network.push()
  await loads.loading("reviews") {}
  network.pop(.succeeded)
  await expectBalanced(loads)

  #expect(try await loads.lastUpdated("reviews") != nil)
  try await loads.close()
}

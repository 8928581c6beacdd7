import Foundation
import LoadLog
import LoadLogTestSupport
import Testing

@Test func aLoadIsRecordedAndFound() async throws {
  let store = try TemporaryStore()
  let loads = try LoadingController(storeAt: store.url)
  let value = await loads.loading("reviews") { await Task.yield(); return 42 }
  #expect(value == 42)
  #expect(loads.failure == nil)
  let date = try await loads.lastUpdated("reviews")
  #expect(date != nil)
  loads.push("network"); loads.push("network"); loads.pop("network"); loads.pop("network"); loads.pop("network")
  #expect(loads.count(of: "network") == 0)
  let status = try await loads.status()
  #expect(status.feeds.map(\.feed.name) == ["network", "reviews"])
  #expect(status.feeds[0].numbers.unbalanced.extraPop == 1)
  #expect(status.feeds[0].numbers.ended == 2)
  try await loads.close()
}

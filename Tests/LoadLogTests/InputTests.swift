import Foundation
import LoadLog
import LoadLogTestSupport
import Testing

@Suite struct InputTests {
  static let badFeeds = [
    "", String(repeating: "x", count: 201), String(repeating: "é", count: 201), " a", "a ", "a\t",
    "\u{3000}a",
    "a\u{0}b", "a\nb", "a\u{1B}[31m", "a\u{202E}b", "a\u{2066}b", "a\u{200F}", "a\u{7F}", "a\u{85}b",
    "a\u{2028}b", "\u{FEFF}a",
  ]

  @Test(arguments: badFeeds) func anInvalidFeedNameIsRefusedAndChangesNothing(_ name: String) async throws {
    let bench = try Bench()
    let loads = bench.loads
    let feed = Feed(name)
    func refused(_ work: () async throws -> Void) async {
      let error = await #expect(throws: LoadLogError.self) { try await work() }
      #expect(error?.code == .invalidInput && error?.what == "feed name")
      #expect(error?.description.contains { $0.isNewline } == false)
      #expect(error?.description.unicodeScalars.contains(where: VisibleText.mustShow) == false)
    }
    await refused { _ = try await loads.startLoading(feed) }
    await refused { _ = try await loads.lastUpdated(feed) }
    loads.push(feed)
    loads.pop(feed)
    loads.start(id: SessionID(), feed: feed)
    loads.reset(feed)
    loads.adoptLastUpdated(bench.clock.now().date, of: feed)
    #expect(loads.failure?.code == .invalidInput)
    #expect(loads.count(of: feed) == 0 && loads.depth(of: feed) == 0)
    #expect(
      await loads.loading(feed) {
        await Task.yield(); return 1
      } == 1, "the work runs even if its feed name is invalid")
    let status = try await loads.status()
    #expect(status.feeds.isEmpty && status.totals.unbalanced.total == 0)
    #expect(bench.log.messages == Array(repeating: "recording failed", count: 6))
  }

  @Test(arguments: [
    "a", String(repeating: "x", count: 200), "a b", "apps/42/reviews", "日本語 🎉", "a*b?", "-rf", "=1+1",
  ])
  func aValidFeedNameIsRecordedUnchanged(_ name: String) async throws {
    let loads = try Bench().loads
    loads.push(Feed(name))
    try await loads.flush()
    #expect(try await loads.status().feeds.map(\.feed.name) == [name])
  }

  @Test func differentEncodingsOfANameAreOneFeed() async throws {
    let loads = try Bench().loads
    loads.push("caf\u{E9}")
    loads.push("cafe\u{301}")
    #expect(loads.count(of: "caf\u{E9}") == 2)
    try await loads.flush()
    #expect(try await loads.status().feeds.map(\.numbers.running) == [2])
  }

  @Test func longTagsAreRefusedAndLongMessagesAreCut() async throws {
    let loads = try Bench().loads
    let tag = String(repeating: "t", count: 201)
    let error = await #expect(throws: LoadLogError.self) { _ = try await loads.startLoading("a", tag: tag) }
    #expect(error?.code == .invalidInput && error?.what == "tag" && error?.why.contains("200") == true)
    #expect(loads.depth(of: "a") == 0)
    let message = String(repeating: "m", count: 5000)
    let token = try await loads.startLoading("a", message: message, tag: String(tag.dropLast()))
    loads.update(token, message: message)
    try await loads.finishLoading(token, .failed(message))
    let load = try #require(try await loads.onlyLoad())
    #expect(load.message?.count == 2000 && load.reason?.count == 2000 && load.reason?.hasSuffix("…") == true)
    #expect(load.tag?.count == 200)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300]) func anInvalidDateIsRefused(_ time: Double)
    async throws
  {
    let loads = try Bench().loads
    loads.adoptLastUpdated(Date(timeIntervalSince1970: time), of: "reviews")
    #expect(loads.failure?.code == .invalidInput)
    #expect(try await loads.lastUpdated("reviews") == nil)
  }

  @Test func anAdoptedDateIsValidUntilTheFirstSuccess() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    loads.adoptLastUpdated(date, of: "reviews")
    #expect(try await loads.lastUpdated("reviews") == date)
    await loads.loading("reviews") { await Task.yield() }
    #expect(try await loads.lastUpdated("reviews") == bench.clock.now().date)
    loads.adoptLastUpdated(date, of: "reviews")
    #expect(try await loads.lastUpdated("reviews") == bench.clock.now().date)
    #expect(try await loads.lastUpdated("never") == nil)
  }

  @Test func theDistantPastIsNever() async throws {
    let loads = try Bench().loads
    loads.adoptLastUpdated(.distantPast, of: "reviews")
    #expect(try await loads.lastUpdated("reviews") == nil && loads.failure == nil)
    #expect(try await loads.status().feeds.isEmpty)
    let date = Date(timeIntervalSince1970: 1_700_000_000)
    loads.adoptLastUpdated(date, of: "reviews")
    loads.adoptLastUpdated(.distantPast, of: "reviews")
    #expect(try await loads.lastUpdated("reviews") == date)
  }

  @Test func anAcknowledgedImbalanceRaisesNoMoreAlarms() async throws {
    let loads = try Bench().loads
    loads.pop("network")
    loads.pop("network")
    try await loads.flush()
    let id = try #require(try await loads.unbalanced().first?.id)
    #expect(try await loads.acknowledge([id], by: "me", note: "fixed") == 1)
    #expect(try await loads.acknowledge([id], by: "me") == 0)
    #expect(try await loads.status().totals.unbalanced.unacknowledged == 1)
    #expect(try await loads.acknowledgeAll(by: "me") == 1)
    #expect(try await loads.status().totals.unbalanced.total == 2)
  }
}

import Foundation
import LoadLog
import LoadLogTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CountTests {
  @Test func pushesAndPopsChangeTheCountImmediatelyAndAreRecorded() async throws {
    let bench = try Bench()
    let loads = bench.loads
    loads.push("network")
    loads.push("network")
    loads.start(id: SessionID(), feed: "network")
    #expect(loads.count(of: "network") == 2 && loads.depth(of: "network") == 3)
    #expect(loads.count(of: "other") == 0)
    loads.pop("network")
    loads.pop("network", .failed("x"))
    loads.pop("network")
    #expect(loads.count(of: "network") == 0 && loads.depth(of: "network") == 1)
    try await loads.flush()
    let numbers = try #require(try await loads.numbers(of: "network"))
    #expect(numbers.ended == 1 && numbers.failed == 1 && numbers.running == 1)
    #expect(numbers.unbalanced.extraPop == 1 && numbers.unbalanced.total == 1)
    let message = "Unbalanced pop of network: count already 0."
    #expect(bench.log.messages == [message])
    #expect(bench.log.detail("call_site", of: message) == "LoadLogTests/CountTests.swift:17")
  }

  @Test func popsAfterAResetAreNotUnbalanced() async throws {
    let loads = try Bench().loads
    for _ in 0..<2 { loads.push("a") }
    loads.push("b")
    let token = try await loads.startLoading("a")
    loads.reset("a")
    #expect(loads.count(of: "a") == 0 && loads.depth(of: "a") == 1 && loads.count(of: "b") == 1)
    for _ in 0..<3 { loads.pop("a") }
    loads.resetAll()
    #expect(loads.count(of: "b") == 0)
    try await loads.flush()
    let numbers = try #require(try await loads.numbers(of: "a"))
    #expect(
      numbers.unbalanced.abandoned == 2 && numbers.popsAfterReset == 2 && numbers.unbalanced.extraPop == 1)
    #expect(try await loads.numbers(of: "b")?.unbalanced.abandoned == 1)
    try await loads.finishLoading(token)
  }

  @Test func changesArriveInOrder() async throws {
    let loads = try Bench().loads
    let changes = loads.changes(of: "a")
    let (id, early) = (SessionID(), SessionID())
    loads.push("a")
    loads.push("b")
    loads.start(id: id, feed: "a", message: "m")
    loads.update(id: id, message: "n")
    loads.finish(id: early)
    loads.start(id: early, feed: "a")
    loads.finish(id: id)
    loads.pop("a")
    loads.pop("a")
    loads.push("a")
    loads.reset("a")
    try await loads.flush()
    try await loads.close()
    var seen: [LoadingChange] = []
    for await change in changes { seen.append(change) }
    #expect(
      seen.map(\.kind) == [
        .listening, .pushed, .started(id), .updated(id), .finished(id), .popped, .extraPop, .pushed, .reset,
      ])
    #expect(seen.map(\.count) == [0, 1, 1, 1, 1, 0, 0, 1, 0])
    #expect(seen.map(\.depth) == [0, 1, 2, 2, 1, 0, 0, 1, 0])
    #expect(seen.map(\.message) == [nil, nil, "m", "n", nil, nil, nil, nil, nil])
    #expect(seen.allSatisfy { $0.feed == "a" })
  }

  @Test func aListenerThatReceivesAnEndFindsItInTheRecord() async throws {
    // Its deadline cannot pass: the first commit, which creates the store, takes seconds under the thread sanitizer.
    var options = LoadingController.Options()
    options.clock = ManualClock()
    let loads = LoadingController.inMemory(options: options)
    for number in 0..<400 {
      let feed = Feed("feed-\(number)")
      let changes = loads.changes(of: feed)
      let updated = Task {
        for await change in changes {
          if case .finished = change.kind { return try await loads.lastUpdated(feed) }
        }
        return nil
      }
      if number.isMultiple(of: 2) {
        await loads.loading(feed) { await Task.yield() }
      } else {
        try await onAThread { loads.loading(feed) {} }
      }
      #expect(try await updated.value != nil, "\(number)")
    }
  }

  @Test func aDroppedListenerIsRemoved() async throws {
    let loads = try Bench().loads
    var changes: AsyncStream<LoadingChange>? = loads.changes(of: "a")
    loads.push("a")
    changes = nil
    #expect(changes == nil)
    loads.push("a")
    #expect(loads.count(of: "a") == 2)
    try await loads.close()
  }

  @Test func eventsAreCommittedInTheOrderOfTheCalls() async throws {
    let bench = try Bench()
    let loads = bench.loads
    for number in 0..<200 {
      loads.start(id: SessionID(), feed: "a", message: "\(number)")
      await bench.clock.advance(by: .microseconds(1))
    }
    #expect(try await loads.allLoads().map(\.message) == (0..<200).map { "\($0)" })
  }

  @Test func concurrentPushesAndPopsAreCounted() async throws {
    let loads = try Bench().loads
    await withTaskGroup { group in
      for _ in 0..<64 {
        group.addTask {
          for _ in 0..<20 {
            loads.push("network")
            loads.pop("network")
          }
        }
      }
    }
    #expect(loads.count(of: "network") == 0)
    try await loads.flush()
    let numbers = try #require(try await loads.numbers(of: "network"))
    #expect(numbers.ended == 1280 && numbers.unbalanced.total == 0)
  }

  @Test func eachControllerHasItsOwnCounts() async throws {
    let bench = try Bench()
    let (one, two) = (bench.loads, try bench.another())
    one.push("network")
    one.push("network")
    two.push("network")
    try await one.flush()
    try await two.flush()
    await bench.clock.advance(by: .seconds(1))
    two.pop("network")
    two.pop("network")
    try await two.flush()
    #expect(one.count(of: "network") == 2 && two.count(of: "network") == 0)
    let numbers = try #require(try await one.numbers(of: "network"))
    #expect(numbers.running == 2 && numbers.ended == 1 && numbers.unbalanced.extraPop == 1)
    let busy = try await one.ask { try $0.busy(LoadFilter()) { _, _ in } }.feeds["network"]
    #expect(busy?.peakDepth == 3 && busy?.busy == 1_000_000_000)
    try await two.close()
    #expect(try await one.numbers(of: "network")?.running == 2)
  }
}

import Foundation
import LoadLog
import LoadLogTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TokenTests {
  @Test func aTokenCanBeFinishedOnce() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let token = try await loads.startLoading("reviews", message: "Loading…")
    #expect(try await (try bench.another()).onlyLoad()?.state == .running, "durable when start returns")
    loads.update(token, message: "Parsing…")
    try await loads.finishLoading(token, .failed(Broken()))
    try await loads.finishLoading(token)
    let load = try #require(try await loads.onlyLoad())
    #expect(load.id == token.id && load.state == .failed && load.reason == "Broken()")
    #expect(load.message == "Parsing…")
    let row = try #require(try await loads.unbalanced().first)
    #expect(row.kind == .unmatchedFinish(.duplicateFinish) && row.session == token.id)
    #expect(row.callSite == "LoadLogTests/TokenTests.swift:14")
    #expect(loads.depth(of: "reviews") == 0)
    #expect(bench.log.messages == ["a load was finished twice"])
  }

  @Test func aDroppedTokenReportsTheLineThatStartedIt() async throws {
    let bench = try Bench()
    let loads = bench.loads
    do {
      let token = try await loads.startLoading("reviews")
      await bench.clock.advance(by: .seconds(2))
      #expect(loads.depth(of: "reviews") == 1)
      withExtendedLifetime(token) {}
    }
    #expect(loads.depth(of: "reviews") == 0)
    let load = try #require(try await loads.onlyLoad())
    #expect(load.state == .abandoned && load.reason == "dropped" && load.openAtLeast == 2_000_000_000)
    let row = try #require(try await loads.unbalanced().first)
    #expect(row.kind == .unfinishedStart(.abandoned) && !row.isLikely)
    #expect(row.evidence == "token dropped unfinished after 2.00 s")
    #expect(row.callSite == "LoadLogTests/TokenTests.swift:29")
    #expect(bench.log.detail("reason", of: "load abandoned") == "dropped")
  }

  @Test func aTokenCanOutliveItsController() async throws {
    let bench = try Bench()
    var token: LoadingToken? = try await bench.loads.startLoading("reviews")
    try await bench.loads.close()
    #expect(token != nil)
    token = nil
    #expect(bench.loads.failure == nil)
    #expect(bench.log.messages.isEmpty)
    let load = try #require(try await (try bench.another()).onlyLoad())
    #expect(load.state == .cancelled && load.reason == "quit")
  }

  @Test func startsAndFinishesWithIDsMayArriveInAnyOrder() async throws {
    let loads = try Bench().loads
    let ids = (0..<64).map { _ in SessionID() }
    await withTaskGroup { group in
      for (number, id) in ids.enumerated() {
        group.addTask { number % 2 == 0 ? loads.start(id: id, feed: "a") : loads.finish(id: id) }
        group.addTask { number % 2 == 0 ? loads.finish(id: id) : loads.start(id: id, feed: "a") }
      }
    }
    try await loads.flush()
    let numbers = try #require(try await loads.numbers(of: "a"))
    #expect(numbers.succeeded == 64 && numbers.loads == 64 && numbers.unbalanced.total == 0)
    #expect(try await loads.status().totals.unbalanced.total == 0)
    #expect(loads.depth(of: "a") == 0)
  }

  @Test func aLoadThatFinishedBeforeItsStartIsNeverOpen() async throws {
    let bench = try Bench()
    let loads = bench.loads
    let id = SessionID()
    loads.finish(id: id, .unchanged)
    try await loads.flush()
    #expect(try await loads.unbalanced().map(\.kind) == [.unmatchedFinish(.orphanFinish)])
    loads.start(id: id, feed: "reviews", message: "m", tag: "t")
    #expect(loads.depth(of: "reviews") == 0)
    #expect(try await loads.onlyLoad()?.state == .unchanged)
    #expect(try await loads.unbalanced().isEmpty)
  }

  @Test func aSecondStartOfARunningLoadHasNoEffect() async throws {
    let loads = try Bench().loads
    let id = SessionID()
    loads.start(id: id, feed: "reviews")
    loads.start(id: id, feed: "reviews")
    try await loads.flush()
    #expect(loads.depth(of: "reviews") == 1)
    loads.start(id: id, feed: "reviews")
    try await loads.flush()
    #expect(loads.depth(of: "reviews") == 1)
    loads.finish(id: id)
    try await loads.flush()
    #expect(loads.depth(of: "reviews") == 0)
    // A start of a finished load: the record contains the load, so this controller does not count it as open.
    loads.start(id: id, feed: "reviews")
    try await loads.flush()
    #expect(loads.depth(of: "reviews") == 0)
    let status = try await loads.status()
    #expect(status.totals.loads == 1 && status.totals.unbalanced.total == 0)
  }
}

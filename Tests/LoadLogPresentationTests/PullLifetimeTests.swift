import Foundation
import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Testing

/// A ``PullToRefresh`` during loads that it did not start, and loads that outlive their model.
@MainActor @Suite(.timeLimit(.minutes(10))) struct PullLifetimeTests {
  private struct Weak {
    weak var model: PullToRefresh?
  }

  @Test func modelFollowsALoadOfOtherCode() async throws {
    let bench = Bench()
    let token = try await bench.loads.startLoading("reviews")
    bench.loads.push("reviews")
    let other = PullToRefresh(bench.loads, feed: "other")
    let pull = PullToRefresh(bench.loads, feed: "reviews")
    #expect(other.state == .pulling && pull.state == .loading && pull.isAnimating)
    #expect(pull.inset == 60 && pull.insetTime == .zero && pull.arrow == .hidden && pull.cue == nil)
    try await bench.loads.finishLoading(token)
    await bench.runTasks()
    #expect(pull.state == .loading, "the push is still open")
    pull.finish()
    await bench.runTasks()
    #expect(pull.state == .loading && bench.loads.depth(of: "reviews") == 1)
    bench.loads.pop("reviews")
    await bench.runTasks()
    #expect(pull.state == .pulling && pull.inset == 0 && pull.cue?.kind == .finished)
    #expect(try await bench.allLoads().map(\.state) == [.succeeded, .ended])
    #expect(try await bench.unbalanced() == [], "the model showed that load, so its finish is no imbalance")
    pull.finish()
    await bench.runTasks()
    #expect(try await bench.unbalanced() == ["extra_pop"], "the second finish matches no load")
    await pull.reloadLastUpdated()
    #expect(pull.lastUpdated != nil)
  }

  @Test func appearingModelJoinsALoadOfOtherCode() async throws {
    let bench = Bench()
    let pull = PullToRefresh(bench.loads, feed: "reviews", handler: .begin { _ in })
    let token = try await bench.loads.startLoading("reviews")
    await bench.runTasks()
    #expect(pull.state == .pulling, "not before it appears")
    pull.beginDrag()
    pull.scroll(to: 80)
    let cue = pull.cue
    pull.appear()
    #expect(pull.state == .loading && pull.isAnimating && pull.inset == 60 && pull.insetTime == .zero)
    #expect(pull.arrow == .hidden && pull.cue == cue && pull.progress == 0)
    try await bench.loads.finishLoading(token)
    pull.finish(.failed("late"))
    await bench.runTasks()
    #expect(pull.state == .pulling && pull.inset == 0)
    #expect(try await bench.allLoads().map(\.state) == [.succeeded])
    #expect(try await bench.unbalanced() == [], "also when the load has ended before the finish")
    pull.appear()
    #expect(pull.state == .pulling)
    pull.beginRefreshing()
    pull.finish(.unchanged)
    pull.finish(.unchanged)
    await bench.runTasks()
    #expect(try await bench.allLoads().map(\.state) == [.succeeded, .unchanged])
    #expect(try await bench.unbalanced() == ["extra_pop"], "a load of its own needs exactly one finish")
  }

  @Test func modelKeepsLoadingIfAnotherLoadHasStartedSinceTheEnd() async throws {
    let bench = Bench()
    bench.loads.push("reviews")
    let pull = PullToRefresh(bench.loads, feed: "reviews")
    bench.loads.pop("reviews")
    bench.loads.push("reviews")
    await bench.runTasks()
    #expect(pull.state == .loading && pull.inset == 60)
    bench.loads.pop("reviews")
    await bench.runTasks()
    #expect(pull.state == .pulling && pull.cue?.kind == .finished)
  }

  @Test func loadOfADeallocatedModelIsTakenOverByTheNextOne() async throws {
    let bench = Bench()
    let calls = Calls()
    var first: PullToRefresh? = PullToRefresh(bench.loads, feed: "reviews", handler: .begin { _ in })
    let gone = Weak(model: first)
    first?.beginRefreshing()
    let line = #line - 1
    first = nil
    await bench.runTasks()
    #expect(gone.model == nil)
    #expect(try await bench.allLoads().map(\.state) == [.running])
    let other = PullToRefresh(bench.loads, feed: "other")
    let pull = PullToRefresh(bench.loads, feed: "reviews", handler: .begin { _ in calls.add() })
    #expect(other.state == .pulling && pull.state == .loading && pull.isAnimating)
    #expect(pull.inset == 60 && pull.insetTime == .zero && pull.cue == nil && calls.count == 0)
    pull.finish(.succeeded)
    await bench.runTasks()
    #expect(pull.state == .pulling && pull.cue?.kind == .finished)
    let load = try #require(try await bench.allLoads().first)
    #expect(
      load.state == .succeeded && load.callSite == "LoadLogPresentationTests/PullLifetimeTests.swift:\(line)")
    pull.beginDrag()
    pull.scroll(to: 80)
    pull.release()
    #expect(calls.count == 1 && bench.loads.depth(of: "reviews") == 1)
    pull.finish()
    await bench.runTasks()
    #expect(try await bench.unbalanced() == [])
  }

  @Test func loadOfADeallocatedModelIsFinishedByAModelThatExistedBefore() async throws {
    let bench = Bench()
    var first: PullToRefresh? = PullToRefresh(bench.loads, feed: "reviews")
    first?.beginRefreshing(notify: false)
    let second = PullToRefresh(bench.loads, feed: "reviews")
    #expect(second.state == .loading)
    first = nil
    #expect(first == nil)
    second.finish(.succeeded)
    await bench.runTasks()
    #expect(second.state == .pulling && bench.loads.depth(of: "reviews") == 0)
    #expect(try await bench.allLoads().map(\.state) == [.succeeded])
    #expect(try await bench.unbalanced() == [])
  }

  @Test func finishOfAModelThatIsDeallocatedAtOnceIsRecorded() async throws {
    let bench = Bench()
    var pull: PullToRefresh? = PullToRefresh(bench.loads, feed: "reviews", handler: .begin { _ in })
    pull?.beginRefreshing()
    pull?.finish(.unchanged)
    pull = nil
    #expect(pull == nil)
    #expect(try await bench.allLoads().map(\.state) == [.unchanged])
    pull = PullToRefresh(bench.loads, feed: "reviews")
    #expect(pull?.state == .pulling)
  }

  @Test func leftLoadEndsWithItsController() async throws {
    let bench = Bench()
    var pull: PullToRefresh? = PullToRefresh(bench.loads, feed: "reviews")
    pull?.beginRefreshing(notify: false)
    pull = nil
    try await bench.loads.close()
    bench.loads.reopen()
    pull = PullToRefresh(bench.loads, feed: "reviews")
    #expect(pull?.state == .pulling && bench.loads.failure == nil)
  }

  @Test func runningHandlerKeepsItsModelAlive() async throws {
    let bench = Bench()
    var working: PullToRefresh? = PullToRefresh(
      bench.loads, feed: "reviews",
      handler: .load {
        await Task.yield()
        return .succeeded
      })
    working?.beginRefreshing()
    working = nil
    // The handler yields on another thread, which may come late.
    while bench.loads.depth(of: "reviews") > 0 {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(working == nil)
    #expect(try await bench.allLoads().map(\.state) == [.succeeded])
  }

  @Test func closingTheControllerEndsNoLoadOfTheModelAndHandlersStillRun() async throws {
    let bench = Bench()
    let calls = Calls()
    let pull = PullToRefresh(bench.loads, feed: "reviews", handler: .begin { _ in calls.add() })
    pull.beginRefreshing()
    #expect(pull.state == .loading)
    try await bench.loads.close()
    await bench.runTasks()
    #expect(pull.state == .loading && pull.inset == 60)
    pull.finish(.succeeded)
    await bench.runTasks()
    #expect(pull.state == .pulling && bench.loads.failure == nil)
    pull.beginRefreshing()
    #expect(pull.state == .loading && calls.count == 2)
    pull.finish(.succeeded)
    await bench.runTasks()
    #expect(pull.state == .pulling)
    bench.loads.reopen()
    bench.loads.push("reviews")
    pull.appear()
    #expect(pull.state == .loading)
    try await bench.loads.close()
    await bench.runTasks()
    #expect(pull.state == .pulling, "the end of a load of other code would not be known")
    bench.loads.reopen()
    pull.beginRefreshing()
    #expect(bench.loads.depth(of: "reviews") == 1)
  }

  @Test func modelStartsInPullingAfterACrashDuringALoad() async throws {
    let place = try TemporaryStore()
    let (clock, app) = (ManualClock(), ManualProcessTable())
    func open(_ processes: ManualProcessTable) throws -> LoadingController {
      var options = Bench.options(clock)
      options.processes = processes
      options.locks = ManualLocks(.unreadable)
      options.onOpenFailure = .fail
      return try LoadingController(storeAt: place.url, options: options)
    }
    let before = try open(app)
    await before.loading("reviews") { await Task.yield() }
    let date = clock.now().date
    await clock.advance(by: .seconds(3600))
    let refreshed = PullToRefresh(before, feed: "reviews")
    refreshed.beginRefreshing()
    try await before.flush()
    #expect(refreshed.state == .loading)
    app.kill()
    await clock.advance(by: .seconds(60))

    let after = try open(app.another())
    let pull = PullToRefresh(after, feed: "reviews", dateText: .init(form: .relative))
    #expect(pull.state == .pulling && !pull.isAnimating && pull.inset == 0 && pull.lastUpdatedText == nil)
    await pull.reloadLastUpdated()
    #expect(pull.state == .pulling && pull.lastUpdated == date)
    #expect(pull.lastUpdatedText == "Last Updated: 1 hour ago")
    #expect(try await after.history().loads.map(\.state) == [.crashed, .succeeded])
    #expect(try await after.unbalanced().map(\.kind.word) == ["crashed"])
    try await after.close()
    withExtendedLifetime((before, refreshed)) {}
  }
}

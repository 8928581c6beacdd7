import Foundation
import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Testing

/// The behaviour of a ``PullToRefresh``.
@MainActor @Suite struct PullTests {
  @Test(arguments: [true, false])
  func pullOfExactlyTheThresholdArmsOnlyIfInclusive(isInclusive: Bool) async throws {
    let bench = Bench()
    let calls = Calls()
    let pull = PullToRefresh(
      bench.loads, feed: "reviews", options: PullToRefreshOptions(isThresholdInclusive: isInclusive),
      handler: .begin { _ in calls.add() })
    #expect(pull.statusText == "Pull down to refresh…")
    pull.beginDrag()
    pull.scroll(to: 64.9)
    #expect(pull.state == .pulling && pull.arrow == .down && pull.cue == nil)
    pull.scroll(to: 65)
    #expect(pull.progress == 1)
    #expect(pull.statusText == (isInclusive ? "Release to refresh…" : "Pull down to refresh…"))
    #expect(pull.arrow == (isInclusive ? .up : .down) && pull.cue?.kind == (isInclusive ? .armed : nil))
    pull.release()
    #expect(pull.state == (isInclusive ? .loading : .pulling) && pull.isAnimating == isInclusive)
    #expect(calls.count == (isInclusive ? 1 : 0) && pull.inset == (isInclusive ? 60 : 0))
    #expect(bench.loads.depth(of: "reviews") == (isInclusive ? 1 : 0))
    #expect(pull.abortedPulls == (isInclusive ? 0 : 1))
    #expect(try await bench.allLoads().map(\.state) == (isInclusive ? [.running] : []))
    guard !isInclusive else { return }
    pull.beginDrag()
    pull.scroll(to: 65.001)
    #expect(pull.statusText == "Release to refresh…")
    pull.release()
    #expect(pull.state == .loading && calls.count == 1)
  }

  @Test func beginRefreshingRunsTheHandlerOnlyIfNotified() async throws {
    let bench = Bench()
    let calls = Calls()
    let pull = PullToRefresh(bench.loads, feed: "reviews", handler: .begin { _ in calls.add() })
    for notifies in [false, true] {
      for number in 1...5 {
        pull.beginRefreshing(notify: notifies)
        #expect(pull.state == .loading && pull.arrow == .hidden && pull.cue?.kind != .released)
        #expect(pull.inset == 60 && pull.insetTime == .milliseconds(200))
        pull.beginRefreshing(notify: notifies)
        pull.finish(.succeeded)
        await bench.runTasks()
        #expect(pull.state == .pulling && pull.arrow == .down && pull.arrowTime == .zero)
        #expect(pull.inset == 0 && pull.insetTime == .milliseconds(300) && pull.cue?.kind == .finished)
        #expect(calls.count == (notifies ? number : 0))
      }
    }
    #expect(try await bench.allLoads().map(\.state) == Array(repeating: .succeeded, count: 10))
    #expect(try await bench.unbalanced() == [])
  }

  @Test func handlerMayFinishSynchronouslyAndExtraFinishIsRecorded() async throws {
    let bench = Bench()
    let pull = PullToRefresh(bench.loads, feed: "reviews", handler: .begin { $0.finish(.unchanged) })
    pull.beginDrag()
    pull.scroll(to: 80)
    pull.release()
    await bench.runTasks()
    #expect(pull.state == .pulling && pull.arrow == .down && !pull.isAnimating && pull.inset == 0)
    #expect(try await bench.allLoads().map(\.state) == [.unchanged])
    #expect(try await bench.unbalanced() == [])
    let cue = pull.cue
    pull.finish(.failed("late"))
    await bench.runTasks()
    #expect(pull.state == .pulling && pull.arrow == .down && pull.cue == cue)
    pull.beginDrag()
    pull.scroll(to: 80)
    pull.finish()
    await bench.runTasks()
    #expect(pull.state == .armed && pull.arrow == .up && pull.statusText == "Release to refresh…")
    #expect(try await bench.unbalanced() == ["extra_pop", "extra_pop"])
    let sites = try await bench.loads.unbalanced().map(\.callSite)
    #expect(sites.allSatisfy { $0?.hasPrefix("LoadLogPresentationTests/PullTests.swift:") == true })
    #expect(try await bench.allLoads().count == 1)
  }

  @Test func dragIsIgnoredAfterALoadBeganByCode() async throws {
    let bench = Bench()
    let calls = Calls()
    let pull = PullToRefresh(bench.loads, feed: "reviews", handler: .begin { _ in calls.add() })
    pull.beginDrag()
    pull.scroll(to: 32.5)
    #expect(pull.progress == 0.5)
    pull.beginRefreshing()
    #expect(pull.state == .loading && pull.progress == 0)
    pull.scroll(to: 80)
    #expect(pull.progress == 0)
    pull.finish(.succeeded)
    await bench.runTasks()
    #expect(pull.state == .pulling && pull.progress == 0)
    // The user has not ended the drag.
    pull.scroll(to: 90)
    pull.release()
    #expect(pull.state == .pulling && pull.progress == 0 && pull.arrow == .down && calls.count == 1)
    #expect(pull.abortedPulls == 0)
    #expect(try await bench.allLoads().map(\.state) == [.succeeded])
    // The next drag has an effect again, but not a drag during a load.
    pull.beginDrag()
    pull.scroll(to: 90)
    pull.release()
    pull.beginDrag()
    pull.scroll(to: 90)
    pull.release()
    #expect(calls.count == 2 && pull.state == .loading)
    #expect(try await bench.allLoads().count == 2)
  }

  @Test func scrollingWithoutADragNeverArms() throws {
    let bench = Bench()
    let pull = PullToRefresh(bench.loads, feed: "reviews", handler: .begin { _ in })
    pull.scroll(to: 100)
    pull.release()
    #expect(pull.state == .pulling && pull.progress == 0 && pull.abortedPulls == 0)
    pull.beginDrag()
    pull.scroll(to: -20)
    pull.release()
    #expect(pull.abortedPulls == 0, "the drag did not pull the list down")
    pull.scroll(to: 100)
    #expect(pull.state == .pulling)
  }

  @Test(arguments: [64.9, 0, -200])
  func draggingBackDisarmsAPull(to distance: Double) {
    let pull = PullToRefresh(Bench().loads, feed: "reviews", handler: .begin { _ in })
    pull.beginDrag()
    pull.scroll(to: 70)
    #expect(pull.arrow == .up && pull.arrowTime == .milliseconds(180))
    let armed = pull.cue
    pull.scroll(to: 90)
    #expect(pull.cue == armed, "the cue occurs once")
    pull.scroll(to: distance)
    #expect(pull.state == .pulling && pull.arrow == .down && pull.arrowTime == .milliseconds(180))
    #expect(pull.cue?.kind == .disarmed && pull.statusText == "Pull down to refresh…")
    pull.release()
    #expect(pull.abortedPulls == 1 && pull.state == .pulling)
  }

  @Test func pullWithoutAHandlerOrWhileDisabledNeverArms() async throws {
    let bench = Bench()
    let pull = PullToRefresh(bench.loads, feed: "reviews")
    let table: [(PullToRefresh.Handler?, isEnabled: Bool)] = [(nil, true), (.begin { _ in }, false)]
    for (handler, isEnabled) in table {
      (pull.handler, pull.isEnabled) = (handler, isEnabled)
      pull.beginDrag()
      pull.scroll(to: 70)
      #expect(pull.state == .pulling && pull.statusText == "Pull down to refresh…" && pull.cue == nil)
      #expect(pull.progress == 0 && pull.overpull == 0 && pull.arrow == .down)
      pull.release()
    }
    // Nor does a change of the options during the pull.
    for (handler, isEnabled) in table {
      (pull.handler, pull.isEnabled) = (handler, isEnabled)
      pull.beginDrag()
      pull.options.threshold = 0
      #expect(pull.state == .pulling && pull.cue == nil)
      pull.release()
      pull.options = PullToRefreshOptions()
    }
    #expect(try await bench.allLoads().isEmpty && pull.abortedPulls == 0)
    // A pull that can no longer load is taken back.
    let takeBack = [{ pull.isEnabled = false }, { pull.handler = nil }] as [@MainActor () -> Void]
    for disable in takeBack {
      (pull.isEnabled, pull.handler) = (true, .begin { _ in })
      pull.beginDrag()
      pull.scroll(to: 130)
      #expect(pull.state == .armed && pull.overpull == 1)
      let cue = pull.cue
      disable()
      #expect(pull.state == .pulling && pull.arrow == .down && pull.arrowTime == .milliseconds(180))
      #expect(pull.overpull == 0 && pull.cue == cue, "the user has not moved")
      pull.scroll(to: 131)
      pull.release()
      #expect(pull.state == .pulling && pull.abortedPulls == 0)
    }
    pull.isEnabled = false
    pull.beginRefreshing()
    #expect(pull.state == .loading && bench.loads.depth(of: "reviews") == 1, "by code")
  }

  @Test func overpullIsTheDistanceBeyondTheThresholdAndNaNIsIgnored() {
    let pull = PullToRefresh(Bench().loads, feed: "reviews", handler: .begin { _ in })
    pull.beginDrag()
    let table = [(32.5, 0.5, 0), (65, 1, 0), (97.5, 1, 0.5), (-3, 0, 0), (130, 1, 1)]
    for (distance, progress, overpull) in table {
      pull.scroll(to: distance)
      #expect(pull.progress == progress && pull.overpull == overpull, "at \(distance)")
    }
    for distance in [Double.nan, .infinity, -.infinity] {
      pull.scroll(to: distance)
      #expect(pull.state == .armed && pull.progress == 1 && pull.overpull == 1)
    }
    pull.release()
    #expect(pull.state == .loading && pull.progress == 0 && pull.overpull == 0)
  }

  @Test func optionsCanChangeDuringPullsAndLoads() {
    let pull = PullToRefresh(Bench().loads, feed: "reviews", handler: .begin { _ in })
    pull.options.threshold = 0
    #expect(pull.state == .pulling, "no finger pulls")
    pull.options.threshold = 100
    pull.beginDrag()
    pull.scroll(to: 80)
    #expect(pull.state == .pulling && pull.progress == 0.8)
    pull.options.threshold = 40
    #expect(pull.state == .armed && pull.progress == 1 && pull.overpull == 1 && pull.arrow == .up)
    pull.options.threshold = 160
    #expect(pull.state == .pulling && pull.progress == 0.5 && pull.arrow == .down)
    pull.options.threshold = 40
    pull.release()
    #expect(pull.state == .loading && pull.inset == 60)
    pull.options.inset = 90
    #expect(pull.inset == 90 && pull.insetTime == .milliseconds(200))
    pull.finish()
    pull.appear()
    #expect(pull.state == .pulling && pull.inset == 0)
  }

  @Test func resultOfTheHandlerIsTheVerdict() async throws {
    struct Broken: Error {}
    let bench = Bench()
    let table: [(PullToRefresh.Handler, SessionState, String?)] = [
      (.load { .succeeded }, .succeeded, nil), (.load { .unchanged("304") }, .unchanged, "304"),
      (.load { throw Broken() }, .failed, "Broken()"),
      (.load { throw CancellationError() }, .cancelled, nil),
    ]
    let pull = PullToRefresh(bench.loads, feed: "reviews")
    for (handler, state, reason) in table {
      pull.handler = handler
      pull.beginDrag()
      pull.scroll(to: 70)
      pull.release()
      #expect(pull.state == .loading && pull.cue?.kind == .released)
      await bench.runTasks()
      #expect(pull.state == .pulling)
      let load = try #require(try await bench.allLoads().last)
      #expect(load.state == state && load.reason == reason && load.message == "Loading…")
      #expect(load.callSite == "LoadLogPresentationTests/PullTests.swift:\(#line - 6)")
    }
    #expect(try await bench.unbalanced() == [])
  }

  @Test func explicitFinishWinsOverTheResultOfTheHandler() async throws {
    let bench = Bench()
    let (stream, gate) = AsyncStream.makeStream(of: Void.self)
    let pull = PullToRefresh(
      bench.loads, feed: "reviews",
      handler: .load {
        for await _ in stream {}
        return .succeeded
      })
    pull.beginRefreshing()
    await bench.runTasks()
    await Task.detached { pull.finish(.failed("gave up")) }.value
    await bench.runTasks()
    #expect(pull.state == .pulling)
    gate.finish()
    await bench.runTasks()
    #expect(try await bench.allLoads().map(\.state) == [.failed])
    #expect(try await bench.unbalanced() == [])
  }

  @Test func callsFromAllThreadsTakeEffectInCallOrder() async throws {
    let bench = Bench()
    let pull = PullToRefresh(bench.loads, feed: "reviews")
    for _ in 0..<10 {
      pull.beginRefreshing()
      await Task.detached { pull.finish(.succeeded) }.value
      // There is no pause here: the task that handles the finish on the main actor has not run yet.
    }
    await bench.runTasks()
    #expect(pull.state == .pulling)
    #expect(try await bench.allLoads().map(\.state) == Array(repeating: .succeeded, count: 10))
    #expect(try await bench.unbalanced() == [])
  }

  @Test func appearingDuringALoadShowsItWithoutAnimationOrCue() {
    let pull = PullToRefresh(Bench().loads, feed: "reviews")
    pull.appear()
    #expect(pull.inset == 0 && pull.cue == nil)
    pull.beginRefreshing()
    #expect(pull.insetTime == .milliseconds(200))
    let cue = pull.cue
    pull.appear()
    #expect(pull.inset == 60 && pull.insetTime == .zero && pull.isAnimating && pull.cue == cue)
  }
}

import Foundation
import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Testing

/// Indicators whose loads cannot be recorded, or which are deallocated before their loads have ended.
@MainActor @Suite struct UnrecordedTests {
  private let bench = Bench()

  @Test func deallocatedIndicatorAbandonsItsLoads() async throws {
    var (veil, overlay, view) = (
      Optional(Veil(bench.loads)), Optional(ActivityOverlay(bench.loads, feed: "articles")),
      Optional(LoadingView(bench.loads))
    )
    veil?.veil(message: "Saving…")
    overlay?.show()
    view?.start(message: "x", tag: 1)
    let line = #line - 1
    await bench.advance(to: 1)
    (veil, overlay, view) = (nil, nil, nil)
    await bench.runTasks()
    let all = try await bench.allLoads()
    #expect(all.allSatisfy { $0.state == .abandoned && $0.reason == "dropped" })
    #expect(all.map(\.visibleTime) == [1_000_000_000, 1_000_000_000, 1_000_000_000])
    #expect(
      all.map(\.callSite) == (line - 2...line).map { "LoadLogPresentationTests/UnrecordedTests.swift:\($0)" })
    #expect(veil == nil && overlay == nil && view == nil)
    #expect(["veil", "articles", "loading"].allSatisfy { bench.loads.depth(of: $0) == 0 })
  }

  @Test func indicatorThatIsDeallocatedWhileItFadesOutKeepsItsVisibleTime() async throws {
    var veil: Veil? = Veil(bench.loads)
    veil?.veil(message: "Saving…")
    await bench.advance(to: 1)
    veil?.remove(.succeeded)
    await bench.advance(to: 1.1)
    veil = nil
    #expect(veil == nil)
    let load = try #require(try await bench.allLoads().first)
    #expect(load.state == .succeeded && load.duration == 1_000_000_000 && load.visibleTime == 1_100_000_000)
  }

  /// All four indicators over one feed.
  @MainActor private struct Four {
    let veil: Veil, overlay: ActivityOverlay, view: LoadingView, network: NetworkActivityIndicator

    init(_ loads: LoadingController, feed: Feed) {
      veil = Veil(loads, feed: feed, timing: .immediate)
      overlay = ActivityOverlay(loads, feed: feed)
      view = LoadingView(loads, feed: feed)
      network = NetworkActivityIndicator(loads, feed: feed)
    }

    var areVisible: [Bool] {
      [veil.isVisible && veil.blocksInteraction, overlay.isVisible && overlay.isAnimating]
        + [view.isVisible && view.blocksInteraction, network.isVisible && network.count > 0]
    }

    func show() {
      veil.veil(message: "Saving…")
      overlay.show()
      for _ in 0..<2 { view.start(message: "x", tag: 1) }
      network.push()
    }

    func hide() {
      veil.remove()
      overlay.hide()
      for _ in 0..<2 { #expect(view.stop(tag: 1)) }
      network.pop()
    }
  }

  private static let all = [true, true, true, true], none = [false, false, false, false]

  enum Trouble: CaseIterable {
    case closed, badName, noStore
  }

  @Test(arguments: Trouble.allCases)
  func indicatorsShowAndBlockWhateverBecomesOfTheRecord(trouble: Trouble) async throws {
    let place = try TemporaryStore()
    var options = Bench.options(ManualClock())
    options.onOpenFailure = .fail
    if trouble == .noStore {
      try FileManager.default.createDirectory(at: place.url, withIntermediateDirectories: true)
    }
    let loads = try LoadingController(storeAt: place.url, options: options)
    if trouble == .closed { try await loads.close() }
    let four = Four(loads, feed: trouble == .badName ? "bad\nname" : "f")
    for _ in 0..<2 {
      four.show()
      await bench.runTasks()
      #expect(four.areVisible == Self.all)
      try? await loads.flush()
      #expect(loads.failure != nil)
      await bench.runTasks()
      #expect(four.areVisible == Self.all, "still shown when the commit has failed")
      four.hide()
      await bench.runTasks()
      #expect(four.areVisible == Self.none && four.network.count == 0)
    }
    for _ in 0..<2 { four.network.push() }
    four.network.reset()
    await bench.runTasks()
    #expect(four.network.count == 0 && !four.network.isVisible)
    withExtendedLifetime(place) {}
  }

  @Test func closingTheControllerHidesNoIndicator() async throws {
    let loads = bench.loads
    let four = Four(loads, feed: "f")
    four.show()
    let token = try await loads.startLoading("f")
    await bench.runTasks()
    #expect(four.network.depth == 6)
    try await loads.close()
    await bench.runTasks()
    #expect(four.areVisible == Self.all)
    #expect(four.network.count == 1 && four.network.depth == 1, "the ends of other loads will not be known")
    loads.reopen()
    four.network.push()
    four.network.push()
    await bench.runTasks()
    #expect(four.network.count == 3 && loads.count(of: "f") == 2)
    for _ in 0..<2 { four.network.pop() }
    four.hide()
    await bench.runTasks()
    #expect(four.areVisible == Self.none && four.network.count == 0 && loads.depth(of: "f") == 0)
    #expect(loads.failure == nil)
    #expect(try await bench.unbalanced() == [], "the stops of loads that close() ended are not recorded")
    four.show()
    await bench.runTasks()
    #expect(four.areVisible == Self.all && loads.depth(of: "f") == 5)
    withExtendedLifetime(token) {}
  }

  /// As in an app that closes in the background while its spinner turns.
  @Test func aPushThatOutlivesAnOwnerAddsNothingToALoadBeforeIt() async throws {
    let place = try TemporaryStore()
    let loads = try LoadingController(storeAt: place.url, options: Bench.options(bench.clock))
    let network = NetworkActivityIndicator(loads)
    let token = try await loads.startLoading("network")
    await bench.advance(to: 2)
    try await loads.finishLoading(token)
    await bench.runTasks()
    network.push()
    await bench.runTasks()
    try await loads.close()
    await bench.advance(to: 3600)
    loads.reopen()
    network.pop()
    await bench.runTasks()
    #expect(!network.isVisible)
    try await loads.flush()
    let all = try await loads.history().loads
    #expect(all.map(\.state) == [.cancelled, .succeeded] && all.map(\.visibleTime) == [nil, 2_000_000_000])
    try await loads.close()
    withExtendedLifetime(place) {}
  }

  @Test func indicatorsSeeTheLoadsOfOtherCodeAfterTheControllerIsReopened() async throws {
    let loads = bench.loads
    let network = NetworkActivityIndicator(loads)
    let pull = PullToRefresh(loads, feed: "network")
    for round in 1...2 {
      try await loads.close()
      loads.reopen()
      loads.push("network")
      await bench.runTasks()
      #expect(network.isVisible && network.count == 1, "round \(round)")
      pull.appear()
      loads.pop("network")
      await bench.runTasks()
      #expect(!network.isVisible && network.count == 0 && pull.state == .pulling)
    }
  }
}

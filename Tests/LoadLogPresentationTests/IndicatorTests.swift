import Foundation
import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Observation
import Testing

/// The first four indicators, each by what it alone does.
@MainActor @Suite struct IndicatorTests {
  private let bench = Bench()

  // MARK: - NetworkActivityIndicator

  @Test("the network indicator is the same for one download and a hundred, and shows what others push")
  func network() async throws {
    let loads = bench.loads
    loads.push("network")
    let network = NetworkActivityIndicator(loads)
    #expect(network.isVisible && network.isAnimating && network.count == 1, "what is open already")
    for _ in 0..<100 { network.push() }
    let token = try await loads.startLoading("network")
    await bench.settle()
    #expect(network.count == 101 && network.depth == 102)
    for _ in 0..<101 { network.pop(.succeeded) }
    await bench.settle()
    #expect(network.count == 0 && network.depth == 1 && network.isVisible)
    try await loads.finishLoading(token)
    await bench.settle()
    #expect(network.depth == 0 && !network.isVisible)
    #expect(try await bench.unbalanced() == [])
    #expect(try await bench.allLoads().allSatisfy { $0.state == .succeeded })
  }

  @Test("a reset hides the network indicator; the late pops are no imbalance")
  func networkReset() async throws {
    let network = NetworkActivityIndicator(bench.loads)
    for _ in 0..<2 { network.push() }
    await bench.settle()
    await bench.reach(1)
    network.reset()
    await bench.settle()
    #expect(!network.isVisible && network.count == 0)
    for _ in 0..<2 { network.pop() }
    await bench.settle()
    let all = try await bench.allLoads()
    #expect(all.map(\.state) == [.abandoned, .abandoned] && all.map(\.visibleTime) == [nil, 1_000_000_000])
    #expect(try await bench.unbalanced() == ["abandoned", "abandoned"])
  }

  @Test("pushes keep the line that made them")
  func networkCallSites() async throws {
    let network = NetworkActivityIndicator(bench.loads)
    let line = #line
    network.push()
    network.pop()
    network.pop()
    func site(_ line: Int) -> String { "LoadLogPresentationTests/IndicatorTests.swift:\(line)" }
    #expect(try await bench.allLoads().map(\.callSite) == [site(line + 1)])
    #expect(try await bench.loads.unbalanced().map(\.callSite) == [site(line + 3)])
  }

  @Test("delays count from the calls, also if the main actor hears of them late")
  func lateNews() async throws {
    let timing = VisibilityTiming(graceTime: .milliseconds(100), minimumShowTime: .milliseconds(500))
    let network = NetworkActivityIndicator(bench.loads, timing: timing)
    let diary = Diary(of: network, bench)
    network.push()
    bench.turnClock(to: 0.3)
    #expect(!network.isVisible)
    await bench.settle()
    #expect(network.isVisible, "its grace is over")
    network.pop()
    for time in [0.6, 0.75, 0.8] { await bench.reach(time) }
    #expect(diary.entries == ["shown 0.3", "hidden 0.8"], "the minimum counts from when it could be seen")
    for _ in 0..<3 {
      network.push()
      bench.turnClock(to: bench.time + 0.05)
      network.pop()
    }
    await bench.reach(2)
    #expect(network.suppressedShows == 1, "within one turn of the main actor they count as one")
    #expect(diary.entries.count == 3)
  }

  // MARK: - ActivityOverlay

  @Test("an overlay has one load at most; hiding a hidden one records nothing")
  func overlay() async throws {
    let overlay = ActivityOverlay(bench.loads, feed: "articles")
    #expect(!overlay.isVisible && !overlay.isAnimating && overlay.label == "Loading" && overlay.size == nil)
    overlay.hide()
    overlay.show(in: CGSize(width: 320, height: 400))
    overlay.show(in: CGSize(width: 400, height: 320))
    #expect(overlay.isVisible && overlay.isAnimating && overlay.opacity == 1)
    #expect(overlay.size == CGSize(width: 320, height: 400))
    overlay.label = "Almost there"
    overlay.hide(.succeeded)
    overlay.hide()
    #expect(!overlay.isVisible && !overlay.isAnimating)
    overlay.show(in: CGSize(width: 400, height: 320))
    #expect(overlay.size == CGSize(width: 320, height: 400), "fixed at the first show")
    overlay.hide()
    let all = try await bench.allLoads()
    #expect(
      all.map(\.state) == [.succeeded, .ended] && all.map(\.message) == ["Almost there", "Almost there"])
    #expect(try await bench.unbalanced() == [])
  }

  @Test("an overlay disappears with its scope without ending the load, and is there again when it appears")
  func overlayScope() async throws {
    let overlay = ActivityOverlay(bench.loads, feed: "articles", timing: .init(fadeOutTime: .seconds(1)))
    overlay.show(in: CGSize(width: 320, height: 400))
    await bench.reach(1)
    overlay.disappear()
    #expect(!overlay.isVisible && !overlay.isAnimating && overlay.isLoading && !overlay.isAttached)
    #expect(try await bench.allLoads().map(\.state) == [.running])
    await bench.reach(2)
    overlay.appear()
    #expect(overlay.isVisible && overlay.isAnimating)
    overlay.stopAnimating()
    #expect(overlay.isVisible && !overlay.isAnimating, "apart from showing")
    overlay.startAnimating()
    #expect(overlay.isAnimating)
    overlay.stopAnimating()
    overlay.disappear()
    await bench.reach(3)
    overlay.hide()
    overlay.appear()
    #expect(!overlay.isVisible && !overlay.isAnimating)
    overlay.show(in: CGSize(width: 400, height: 320))
    #expect(overlay.isAnimating, "derived afresh")
    #expect(overlay.size == CGSize(width: 400, height: 320), "another view took it over")
    #expect(overlay.visibleTime == .seconds(1))
    await bench.reach(4)
    #expect(overlay.visibleTime == .seconds(2), "the time that it is visible now included")
    overlay.hide()
    let all = try await bench.allLoads()
    #expect(all.map(\.duration) == [3_000_000_000, 1_000_000_000])
    #expect(all.map(\.visibleTime) == [1_000_000_000, nil], "still fading out")
    await bench.reach(5)
    #expect(try await bench.allLoads().map(\.visibleTime) == [1_000_000_000, 2_000_000_000])
  }

  @Test("an overlay made for a scope that is not on screen waits for it")
  func overlayDetached() {
    let overlay = ActivityOverlay(bench.loads, feed: "articles", label: "Lädt", isAttached: false)
    overlay.show()
    #expect(overlay.isLoading && !overlay.isVisible && !overlay.isAnimating)
    overlay.appear()
    #expect(overlay.isVisible && overlay.isAnimating && overlay.label == "Lädt")
  }

  // MARK: - Veil

  @Test("veiling again replaces the message of the same load; without a message the spinner never turns")
  func veil() async throws {
    let veil = Veil(bench.loads)
    #expect(!veil.blocksInteraction && veil.opacity == 0 && veil.fadeTime == .zero)
    veil.veil(message: nil)
    #expect(veil.isVisible && veil.message == nil && !veil.isAnimating && veil.blocksInteraction)
    #expect(veil.opacity == 0.8 && veil.fadeTime == .milliseconds(250))
    veil.veil(message: "Signing in…")
    #expect(veil.message == "Signing in…" && veil.isAnimating)
    veil.veil(message: "Fetching mail…")
    await bench.reach(1)
    veil.remove(.failed("no network"))
    #expect(veil.isVisible && !veil.blocksInteraction && veil.opacity == 0 && !veil.isLoading)
    #expect(veil.fadeTime == .milliseconds(250))
    veil.remove(.succeeded)
    await bench.reach(1.25)
    #expect(!veil.isVisible && veil.message == nil && veil.fadeTime == .zero)
    veil.remove()
    let load = try #require(try await bench.allLoads().first)
    #expect(load.state == .failed && load.reason == "no network" && load.message == "Fetching mail…")
    #expect(try await bench.allLoads().count == 1)
    #expect(try await bench.unbalanced() == [])
  }

  @Test("a veil that is raised by who answers to being hidden stays up")
  func veilInCallback() async {
    let veil = Veil(bench.loads, timing: .immediate)
    var hidden = 0
    veil.onHidden = {
      hidden += 1
      if hidden == 1 { veil.veil(message: "again") }
    }
    veil.veil(message: "first")
    veil.remove()
    #expect(hidden == 1 && veil.isVisible && veil.message == "again")
    #expect(bench.loads.depth(of: "veil") == 1)
  }

  @Test("what somebody else finishes is not veiled any longer")
  func veilFinishedElsewhere() async throws {
    let veil = Veil(bench.loads, timing: .immediate)
    veil.veil(message: "Saving…")
    let id = try #require(try await bench.allLoads().first?.id)
    bench.loads.finish(id: id)
    await bench.settle()
    #expect(!veil.isVisible && !veil.isLoading && veil.message == nil)
    veil.remove()
    #expect(try await bench.allLoads().map(\.state) == [.succeeded])
    #expect(try await bench.unbalanced() == [])
  }

  @Test("a disabled veil keeps its message")
  func veilDisabled() {
    let veil = Veil(bench.loads)
    veil.isEnabled = false
    veil.veil(message: "Saving…")
    #expect(!veil.isVisible && !veil.blocksInteraction && veil.isLoading)
    veil.isEnabled = true
    #expect(veil.isVisible && veil.message == "Saving…")
    veil.isEnabled = false
    #expect(!veil.isVisible && veil.message == "Saving…")
    veil.remove()
    #expect(veil.message == nil)
  }

  // MARK: - LoadingView

  @Test("several tags at once, the newest in front; the same tag nests")
  func tags() async throws {
    let view = LoadingView(bench.loads)
    func covers() -> [String] { view.covers.map { "\($0.tag) \($0.message ?? "-")" } }
    view.start(message: "thumbnails", tag: 1)
    view.start(message: "comments", tag: -2)
    #expect(covers() == ["1 thumbnails", "-2 comments"] && view.message == "comments")
    #expect(view.isVisible && view.isAnimating && view.blocksInteraction && view.opacity == 0.75)
    view.start(message: "more thumbnails", tag: 1)
    #expect(covers() == ["-2 comments", "1 more thumbnails"])
    #expect(view.stop(tag: 1, .succeeded))
    #expect(covers() == ["1 thumbnails", "-2 comments"], "two stops needed")
    #expect(view.stop(tag: -2))
    #expect(covers() == ["1 thumbnails"] && view.isVisible)
    let line = #line
    #expect(!view.stop(tag: -2) && view.isVisible)
    #expect(view.stop(tag: 1, .failed("x")) && !view.isVisible && covers() == [])
    #expect(!view.stop(tag: 1))
    let all = try await bench.allLoads()
    #expect(all.map(\.tag) == ["1", "-2", "1"] && all.map(\.state) == [.failed, .ended, .succeeded])
    #expect(try await bench.unbalanced() == ["extra_pop", "extra_pop"])
    let sites = Set(try await bench.loads.unbalanced().map(\.callSite))
    #expect(sites == Set([1, 3].map { "LoadLogPresentationTests/IndicatorTests.swift:\(line + $0)" }))
  }

  @Test("an unknown tag's stop leaves the feed's pushes alone")
  func unknownTag() async throws {
    bench.loads.push("loading")
    let view = LoadingView(bench.loads)
    #expect(!view.stop(tag: 7))
    #expect(bench.loads.count(of: "loading") == 1)
    #expect(try await bench.allLoads().map(\.state) == [.running])
    #expect(try await bench.unbalanced() == ["extra_pop"])
  }

  @Test("tag 0 names no view: it is neither shown nor recorded, and the controller says so")
  func tagZero() async throws {
    let view = LoadingView(bench.loads)
    view.start(message: "x", tag: 0)
    #expect(!view.isVisible && bench.loads.failure?.code == .invalidInput)
    #expect(try await bench.allLoads().isEmpty)
  }

  @Test("the last cover stays while it fades out")
  func lastCover() async {
    let view = LoadingView(bench.loads, timing: .init(fadeOutTime: .milliseconds(250)))
    view.start(message: "first", tag: 1)
    view.start(message: "second", tag: 2)
    view.stop(tag: 2)
    view.stop(tag: 1)
    #expect(view.isVisible && !view.blocksInteraction && view.covers.map(\.message) == ["first"])
    view.start(message: "third", tag: 3)
    #expect(view.covers.map(\.tag) == [3] && view.opacity == 0.75)
    view.stop(tag: 3)
    await bench.reach(0.25)
    #expect(!view.isVisible && view.covers == [])
  }

  // MARK: - All

  @Test(
    "an indicator that goes away while it loads leaves its loads abandoned, with the lines that started them")
  func dropped() async throws {
    var (veil, overlay, view) = (
      Optional(Veil(bench.loads)), Optional(ActivityOverlay(bench.loads, feed: "articles")),
      Optional(LoadingView(bench.loads))
    )
    veil?.veil(message: "Saving…")
    overlay?.show()
    view?.start(message: "x", tag: 1)
    let line = #line - 1
    await bench.reach(1)
    (veil, overlay, view) = (nil, nil, nil)
    await bench.settle()
    let all = try await bench.allLoads()
    #expect(all.allSatisfy { $0.state == .abandoned && $0.reason == "dropped" })
    #expect(
      all.map(\.callSite) == (line - 2...line).map { "LoadLogPresentationTests/IndicatorTests.swift:\($0)" })
    #expect(veil == nil && overlay == nil && view == nil)
    #expect(["veil", "articles", "loading"].allSatisfy { bench.loads.depth(of: $0) == 0 })
  }

  @Test("closing the controller takes down what it shows; reopened, it shows again")
  func closed() async throws {
    let veil = Veil(bench.loads, timing: .immediate)
    let overlay = ActivityOverlay(bench.loads, feed: "articles")
    let view = LoadingView(bench.loads)
    let network = NetworkActivityIndicator(bench.loads)
    func raise() {
      veil.veil(message: "Saving…")
      overlay.show()
      view.start(message: "x", tag: 1)
      view.start(message: "y", tag: 1)
      network.push()
    }
    func visible() -> [Bool] { [veil.isVisible, overlay.isVisible, view.isVisible, network.isVisible] }
    let all = [true, true, true, true]
    raise()
    await bench.settle()
    #expect(visible() == all)
    try await bench.loads.close()
    await bench.settle()
    #expect(visible() == [false, false, false, false] && network.count == 0)
    veil.remove()
    overlay.hide()
    #expect(bench.loads.failure == nil)
    raise()
    await bench.settle()
    #expect(visible() == [false, false, false, false], "what is not recorded does not show")
    bench.loads.reopen()
    raise()
    await bench.settle()
    #expect(visible() == all && network.count == 1)
    #expect(bench.loads.depth(of: "loading") == 2)
  }

  @Test("every start and stop is told to whoever watches, by AsyncSequence")
  func observed() async throws {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let veil = Veil(bench.loads, timing: .immediate)
    let states = Observations { [veil.isVisible ? veil.message : nil, "\(veil.blocksInteraction)"] }
    var seen: [[String?]] = []
    for await state in states {
      seen.append(state)
      switch seen.count {
      case 1: veil.veil(message: "Saving…")
      case 2: veil.veil(message: "Still saving…")
      case 3: veil.remove()
      default: break
      }
      if seen.count == 4 { break }
    }
    #expect(seen == [[nil, "false"], ["Saving…", "true"], ["Still saving…", "true"], [nil, "false"]])
  }

  @Test("times and counts that are asked of the machine alone")
  func machine() throws {
    var machine = VisibilityStateMachine(
      timing: .init(graceTime: .seconds(1), fadeInTime: .seconds(2), fadeOutTime: .seconds(3)))
    let second: Int64 = 1_000_000_000
    #expect(machine.stop(at: 0) == [] && machine.count == 0, "nothing to stop")
    #expect(machine.start(at: 0) == [] && machine.phase == .grace && machine.count == 1)
    #expect(machine.start(at: 0) == [] && machine.stop(at: 0) == [])
    let grace = try #require(machine.timer)
    #expect(machine.fire(grace, at: second) == [.show] && machine.phase == .showing)
    #expect(machine.visibleTime(at: 2 * second) == second)
    #expect(machine.fire(grace, at: 2 * second) == [])
    #expect(machine.stop(at: 2 * second) == [] && machine.phase == .hiding && machine.isVisible)
    #expect(machine.start(at: 4 * second) == [] && machine.phase == .shown)
    #expect(machine.stop(at: 5 * second) == [])
    let fade = try #require(machine.timer)
    #expect(fade.due == 8 * second)
    #expect(machine.fire(fade, at: fade.due) == [.hidden, .over(.init(visible: 7 * second))])
    #expect(machine.timer == nil && machine.visibleTime(at: 100 * second) == 7 * second)
    // Fading in goes on where a stop came in between.
    var quick = VisibilityStateMachine(timing: .init(completionDelay: .seconds(1), fadeInTime: .seconds(2)))
    _ = quick.start(at: 0)
    #expect(quick.stop(at: second) == [] && quick.phase == .lingering)
    #expect(quick.start(at: second + 1) == [] && quick.phase == .showing && quick.timer?.due == 2 * second)
    #expect(quick.start(at: .max) == [] && quick.phase == .shown)
  }
}

import Foundation
import LoadLog
@testable import LoadLogPresentation
import LoadLogTestSupport
import Observation
import Testing

/// The behaviour that is specific to each of the four indicators with an ``IndicatorVisibility``.
@MainActor @Suite struct IndicatorTests {
  private let bench = Bench()

  // MARK: - NetworkActivityIndicator

  @Test func networkIndicatorShowsPushesAndSessionsOfOtherCode() async throws {
    let loads = bench.loads
    loads.push("network")
    let network = NetworkActivityIndicator(loads)
    #expect(network.isVisible && network.isAnimating && network.count == 1, "the push before its creation")
    for _ in 0..<100 { network.push() }
    let token = try await loads.startLoading("network")
    await bench.runTasks()
    #expect(network.count == 101 && network.depth == 102)
    for _ in 0..<101 { network.pop(.succeeded) }
    await bench.runTasks()
    #expect(network.count == 0 && network.depth == 1 && network.isVisible)
    try await loads.finishLoading(token)
    await bench.runTasks()
    #expect(network.depth == 0 && !network.isVisible)
    #expect(try await bench.unbalanced() == [])
    #expect(try await bench.allLoads().allSatisfy { $0.state == .succeeded })
  }

  @Test func resetHidesTheNetworkIndicatorAndLatePopsAreBalanced() async throws {
    let network = NetworkActivityIndicator(bench.loads)
    for _ in 0..<2 { network.push() }
    await bench.runTasks()
    await bench.advance(to: 1)
    network.reset()
    await bench.runTasks()
    #expect(!network.isVisible && network.count == 0)
    for _ in 0..<2 { network.pop() }
    await bench.runTasks()
    let all = try await bench.allLoads()
    #expect(all.map(\.state) == [.abandoned, .abandoned] && all.map(\.visibleTime) == [nil, 1_000_000_000])
    #expect(try await bench.unbalanced() == ["abandoned", "abandoned"])
  }

  @Test func pushesAndPopsRecordTheirCallSites() async throws {
    let network = NetworkActivityIndicator(bench.loads)
    let line = #line
    network.push()
    network.pop()
    network.pop()
    func site(_ line: Int) -> String { "LoadLogPresentationTests/IndicatorTests.swift:\(line)" }
    #expect(try await bench.allLoads().map(\.callSite) == [site(line + 1)])
    #expect(try await bench.loads.unbalanced().map(\.callSite) == [site(line + 3)])
  }

  @Test func graceTimeCountsFromThePushEvenIfTheMainActorIsLate() async throws {
    let timing = VisibilityTiming(graceTime: .milliseconds(100), minimumShowTime: .milliseconds(500))
    let network = NetworkActivityIndicator(bench.loads, timing: timing)
    let diary = Diary(of: network, bench)
    network.push()
    bench.advanceClock(to: 0.3)
    #expect(!network.isVisible)
    await bench.runTasks()
    #expect(network.isVisible, "the grace time has ended")
    network.pop()
    for time in [0.6, 0.75, 0.8] { await bench.advance(to: time) }
    #expect(
      diary.entries == ["shown 0.3", "hidden 0.8"], "the minimum show time counts from when it became visible"
    )
    for _ in 0..<3 {
      network.push()
      bench.advanceClock(to: bench.time + 0.05)
      network.pop()
    }
    await bench.advance(to: 2)
    #expect(network.suppressedShows == 1, "several within one turn of the main actor count once")
    #expect(diary.entries.count == 3)
  }

  // MARK: - ActivityOverlay

  @Test func overlayHasAtMostOneLoad() async throws {
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

  @Test func overlayFollowsItsScopeWithoutEndingTheLoad() async throws {
    let overlay = ActivityOverlay(bench.loads, feed: "articles", timing: .init(fadeOutTime: .seconds(1)))
    overlay.show(in: CGSize(width: 320, height: 400))
    await bench.advance(to: 1)
    overlay.disappear()
    #expect(!overlay.isVisible && !overlay.isAnimating && overlay.isLoading && !overlay.isAttached)
    #expect(overlay.size == nil, "the next view sets its own size")
    #expect(try await bench.allLoads().map(\.state) == [.running])
    await bench.advance(to: 2)
    overlay.appear()
    overlay.show(in: CGSize(width: 400, height: 320))
    #expect(overlay.isVisible && overlay.isAnimating)
    #expect(overlay.size == CGSize(width: 400, height: 320), "also during a load")
    overlay.stopAnimating()
    #expect(overlay.isVisible && !overlay.isAnimating, "stopping the spinner does not hide the overlay")
    overlay.startAnimating()
    #expect(overlay.isAnimating)
    overlay.stopAnimating()
    overlay.disappear()
    await bench.advance(to: 3)
    overlay.hide()
    overlay.appear()
    #expect(!overlay.isVisible && !overlay.isAnimating)
    overlay.show()
    #expect(overlay.isAnimating, "appearing resets the stopped spinner")
    #expect(overlay.size == nil, "no size was passed since")
    #expect(overlay.visibleTime == .seconds(1))
    await bench.advance(to: 4)
    #expect(overlay.visibleTime == .seconds(2), "includes the current show")
    overlay.hide()
    let all = try await bench.allLoads()
    #expect(all.map(\.duration) == [3_000_000_000, 1_000_000_000])
    #expect(all.map(\.visibleTime) == [1_000_000_000, nil], "the second show is still fading out")
    await bench.advance(to: 5)
    #expect(try await bench.allLoads().map(\.visibleTime) == [1_000_000_000, 2_000_000_000])
  }

  @Test func overlayOfADetachedScopeAppearsWithTheScope() {
    let overlay = ActivityOverlay(bench.loads, feed: "articles", label: "Lädt", isAttached: false)
    overlay.show()
    #expect(overlay.isLoading && !overlay.isVisible && !overlay.isAnimating)
    overlay.appear()
    #expect(overlay.isVisible && overlay.isAnimating && overlay.label == "Lädt")
  }

  // MARK: - Veil

  @Test func veilingAgainReplacesTheMessageOfTheSameLoad() async throws {
    let veil = Veil(bench.loads)
    #expect(!veil.blocksInteraction && veil.opacity == 0 && veil.fadeTime == .zero)
    veil.veil(message: nil)
    #expect(veil.isVisible && veil.message == nil && !veil.isAnimating && veil.blocksInteraction)
    #expect(veil.opacity == 0.8 && veil.fadeTime == .milliseconds(250))
    veil.veil(message: "Signing in…")
    #expect(veil.message == "Signing in…" && veil.isAnimating)
    veil.veil(message: nil)
    #expect(veil.message == nil && veil.isAnimating, "the label is hidden, and the spinner keeps turning")
    veil.veil(message: "Fetching mail…")
    await bench.advance(to: 1)
    veil.remove(.failed("no network"))
    #expect(veil.isVisible && veil.blocksInteraction && veil.opacity == 0 && !veil.isLoading)
    veil.blocksDuringFadeOut = false
    #expect(!veil.blocksInteraction)
    #expect(veil.fadeTime == .milliseconds(250))
    veil.remove(.succeeded)
    await bench.advance(to: 1.25)
    #expect(!veil.isVisible && veil.message == nil && veil.fadeTime == .zero)
    #expect(!veil.blocksInteraction && !veil.isAnimating)
    veil.remove()
    let load = try #require(try await bench.allLoads().first)
    #expect(load.state == .failed && load.reason == "no network" && load.message == "Fetching mail…")
    #expect(try await bench.allLoads().count == 1)
    veil.veil(message: nil)
    #expect(veil.isVisible && !veil.isAnimating, "a message of an earlier show does not start the spinner")
    veil.remove()
    #expect(try await bench.unbalanced() == [])
  }

  @Test func veilRaisedInOnHiddenStaysUp() async throws {
    let veil = Veil(bench.loads, timing: .immediate)
    var hidden = 0
    veil.onHidden = {
      hidden += 1
      if hidden == 1 { veil.veil(message: "again") }
    }
    veil.veil(message: "first")
    await bench.advance(to: 1)
    veil.remove()
    #expect(hidden == 1 && veil.isVisible && veil.message == "again")
    #expect(bench.loads.depth(of: "veil") == 1)
    await bench.advance(to: 3)
    veil.remove()
    #expect(try await bench.allLoads().map(\.visibleTime) == [1_000_000_000, 2_000_000_000])
  }

  @Test func veilIsRemovedWhenOtherCodeFinishesItsLoad() async throws {
    let veil = Veil(bench.loads, timing: .immediate)
    veil.veil(message: "Saving…")
    let id = try #require(try await bench.allLoads().first?.id)
    bench.loads.finish(id: id)
    await bench.runTasks()
    #expect(!veil.isVisible && !veil.isLoading && veil.message == nil)
    veil.remove()
    #expect(try await bench.allLoads().map(\.state) == [.succeeded])
    #expect(try await bench.unbalanced() == [])
  }

  /// The calls come before the main actor has heard of the ends.
  @Test func aLoadThatOtherCodeHasJustFinishedIsNotTakenForAnOpenOne() async throws {
    let veil = Veil(bench.loads, timing: .immediate)
    let overlay = ActivityOverlay(bench.loads, feed: "articles", timing: .immediate)
    let view = LoadingView(bench.loads, timing: .immediate)
    veil.veil(message: "one")
    overlay.show()
    view.start(message: nil, tag: 1)
    let first = try await bench.allLoads()
    for load in first { bench.loads.finish(id: load.id) }
    veil.veil(message: "two")
    overlay.show()
    #expect(!view.stop(tag: 1))
    await bench.runTasks()
    #expect(veil.isVisible && veil.message == "two" && overlay.isLoading && !view.isVisible)
    let later = try await bench.allLoads().filter { load in !first.contains { $0.id == load.id } }
    for load in later { bench.loads.finish(id: load.id) }
    veil.remove()
    overlay.hide()
    #expect(!veil.isLoading && !overlay.isLoading)
    #expect(try await bench.allLoads().map(\.state) == Array(repeating: .succeeded, count: 5))
    #expect(try await bench.unbalanced() == ["extra_pop"])
  }

  /// The main actor has not noted the end before the next load starts.
  @Test func aLoadThatOtherCodeFinishesGetsNoTimeOfTheNextOne() async throws {
    let veil = Veil(bench.loads, timing: .immediate)
    let overlay = ActivityOverlay(bench.loads, feed: "articles", timing: .immediate)
    let view = LoadingView(bench.loads, timing: .immediate)
    for time in [1.0, 4] {
      veil.veil(message: "Saving…")
      overlay.show()
      view.start(message: "x", tag: 1)
      let open = try await bench.allLoads().suffix(3)
      bench.advanceClock(to: time)
      for load in open { bench.loads.finish(id: load.id) }
    }
    await bench.runTasks()
    let seconds = try await bench.allLoads().map { ($0.visibleTime ?? 0) / 1_000_000_000 }
    #expect(seconds == [1, 1, 1, 3, 3, 3])
  }

  @Test func disabledVeilKeepsItsMessage() {
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

  @Test func progressIsRecordedWithTheLoad() async throws {
    let veil = Veil(bench.loads, timing: .immediate)
    let overlay = ActivityOverlay(bench.loads, feed: "articles")
    (veil.progress, overlay.progress) = (0.5, 0.5)
    #expect(veil.progress == nil && overlay.progress == nil, "nothing is loading")
    veil.veil(message: "Syncing…")
    overlay.show()
    #expect(veil.progress == nil && overlay.progress == nil)
    func messages() async throws -> [String?] { try await bench.allLoads().map(\.message) }
    #expect(try await messages() == ["Syncing…", "Loading"])
    (veil.progress, overlay.progress) = (0.404, 0)
    #expect(veil.progress == 0.404 && veil.message == "Syncing…" && overlay.label == "Loading")
    #expect(try await messages() == ["Syncing… 40 %", "Loading 0 %"])
    for (progress, text) in [(0.29, "29"), (0.999, "99"), (1, "100"), (7, "100"), (-1, "0")] {
      veil.progress = progress
      overlay.progress = progress
      #expect(try await messages() == ["Syncing… \(text) %", "Loading \(text) %"])
    }
    veil.progress = .nan
    #expect(veil.progress == 0)
    (veil.progress, overlay.progress) = (0.7, 0.7)
    veil.veil(message: nil)
    overlay.label = "Almost there"
    #expect(try await messages() == ["70 %", "Almost there 70 %"])
    let frames = TerminalFrames(width: 80)
    let drawn = [
      frames.lines(VeilFrame(veil, title: "", content: []), tick: 0),
      frames.lines(
        ActivityOverlayFrame(
          overlay, covered: .init(title: "", content: []), usable: .init(title: "", content: [])), tick: 0),
    ]
    #expect(drawn.allSatisfy { $0.joined().contains("70 %") })
    overlay.progress = nil
    #expect(try await messages() == ["70 %", "Almost there"])
    veil.remove(.failed("no network"))
    veil.veil(message: "Again")
    #expect(veil.progress == nil)
    #expect(try await bench.allLoads().first { $0.feed == "veil" && $0.state == .failed }?.message == "70 %")
    #expect(try await bench.allLoads().last?.message == "Again")
  }

  @Test func aLabelAfterTheLoadHasNoProgress() async throws {
    let overlay = ActivityOverlay(bench.loads, feed: "articles")
    overlay.show()
    overlay.progress = 1
    overlay.hide(after: .seconds(1))
    #expect(overlay.isVisible && overlay.progress == 1, "a bar stays full")
    overlay.label = "Saved"
    #expect(overlay.isVisible && overlay.progress == nil)
    let frame = ActivityOverlayFrame(
      overlay, covered: .init(title: "", content: []), usable: .init(title: "", content: []))
    #expect(frame.label == "Saved")
    #expect(try await bench.allLoads().map(\.message) == ["Loading 100 %"])
  }

  // MARK: - LoadingView

  @Test func newestTagIsInFrontAndStartsOfOneTagNest() async throws {
    let view = LoadingView(bench.loads)
    func covers() -> [String] { view.covers.map { "\($0.tag) \($0.message ?? "-")" } }
    view.start(message: "thumbnails", tag: 1)
    view.start(message: "comments", tag: -2)
    #expect(covers() == ["1 thumbnails", "-2 comments"] && view.message == "comments")
    #expect(view.isVisible && view.isAnimating && view.blocksInteraction && view.opacity == 0.75)
    view.start(message: "more thumbnails", tag: 1)
    #expect(covers() == ["-2 comments", "1 more thumbnails"])
    #expect(view.stop(tag: 1, .succeeded))
    #expect(covers() == ["1 thumbnails", "-2 comments"], "two starts need two stops")
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

  @Test func stoppingAnUnknownTagLeavesThePushesOfTheFeedOpen() async throws {
    bench.loads.push("loading")
    let view = LoadingView(bench.loads)
    #expect(!view.stop(tag: 7))
    #expect(bench.loads.count(of: "loading") == 1)
    #expect(try await bench.allLoads().map(\.state) == [.running])
    #expect(try await bench.unbalanced() == ["extra_pop"])
  }

  @Test func tagZeroAndTheEmptyTagAreRejected() async throws {
    let view = LoadingView(bench.loads)
    view.start(message: "x", tag: 0)
    #expect(!view.isVisible && bench.loads.failure?.code == .invalidInput)
    view.start(message: "x", tag: "")
    #expect(!view.isVisible && !view.stop(tag: 0) && !view.stop(tag: ""))
    #expect(try await bench.allLoads().isEmpty)
  }

  @Test func tagMayBeAText() async throws {
    let view = LoadingView(bench.loads)
    let (long, number) = (String(repeating: "t", count: 300), 7)
    view.start(message: "one", tag: "thumbnails")
    view.start(message: "two", tag: long)
    view.start(message: "three", tag: number)
    #expect(view.covers.map(\.tag) == ["thumbnails", long, "7"])
    #expect(view.stop(tag: "7") && view.stop(tag: long) && !view.stop(tag: "thumbnail"))
    #expect(view.covers.map(\.message) == ["one"] && view.stop(tag: "thumbnails") && !view.isVisible)
    #expect(try await bench.allLoads().map { $0.tag?.count } == [10, 200, 1])
  }

  @Test func lastCoverStaysDuringFadeOut() async {
    let view = LoadingView(bench.loads, timing: .init(fadeOutTime: .milliseconds(250)))
    view.start(message: "first", tag: 1)
    view.start(message: "second", tag: 2)
    view.stop(tag: 2)
    view.stop(tag: 1)
    #expect(view.isVisible && !view.blocksInteraction && view.covers.map(\.message) == ["first"])
    view.start(message: "third", tag: 3)
    #expect(view.covers.map(\.tag) == ["3"] && view.opacity == 0.75)
    view.stop(tag: 3)
    await bench.advance(to: 0.25)
    #expect(!view.isVisible && view.covers == [])
  }

  // MARK: - All indicators

  /// The main actor has not run the alarms that hide them.
  @Test func eachLoadGetsItsOwnVisibleTimeWhileTheMainActorIsBusy() async throws {
    let timing = VisibilityTiming(fadeOutTime: .milliseconds(250))
    let veil = Veil(bench.loads, timing: timing)
    let overlay = ActivityOverlay(bench.loads, feed: "articles", timing: timing)
    let view = LoadingView(bench.loads, timing: timing)
    for time in [1.0, 4] {
      veil.veil(message: "Saving…")
      overlay.show()
      view.start(message: "x", tag: 1)
      #expect(veil.message == "Saving…" && view.covers.count == 1)
      await bench.advance(to: time)
      veil.remove()
      overlay.hide()
      view.stop(tag: 1)
      bench.advanceClock(to: time + 1)
    }
    await bench.runTasks()
    #expect(!veil.isVisible && !overlay.isVisible && !view.isVisible)
    let seconds = try await bench.allLoads().map { ($0.visibleTime ?? 0) / 1_000_000_000 }
    #expect(seconds == [2, 2, 2, 3, 3, 3])
  }

  @Test func everyStartAndStopIsObservable() async throws {
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

  @Test func visibilityStateMachineFollowsItsTimers() throws {
    var machine = VisibilityStateMachine(
      timing: .init(graceTime: .seconds(1), fadeInTime: .seconds(2), fadeOutTime: .seconds(3)))
    let second: Int64 = 1_000_000_000
    #expect(machine.stop(at: 0) == [] && machine.count == 0, "no load is open")
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
    #expect(machine.fire(fade, at: fade.due) == [.hidden, .idle(.init(visible: 7 * second))])
    #expect(machine.timer == nil && machine.visibleTime(at: 100 * second) == 7 * second)
    // A stop during the fade-in does not end the fade-in.
    var quick = VisibilityStateMachine(timing: .init(completionDelay: .seconds(1), fadeInTime: .seconds(2)))
    _ = quick.start(at: 0)
    #expect(quick.stop(at: second) == [] && quick.phase == .lingering)
    #expect(quick.start(at: second + 1) == [] && quick.phase == .showing && quick.timer?.due == 2 * second)
    #expect(quick.start(at: .max) == [] && quick.phase == .shown)
  }
}

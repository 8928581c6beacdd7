import LoadLog
@testable import LoadLogPresentation
import LoadLogTestSupport
import Testing

/// When indicators are visible.
@MainActor @Suite struct BehaviourTests {
  private func timing(
    grace: Int = 0, minimum: Int = 0, completion: Int = 0, fadeIn: Int = 0, fadeOut: Int = 0
  ) -> VisibilityTiming {
    VisibilityTiming(
      graceTime: .milliseconds(grace), minimumShowTime: .milliseconds(minimum),
      completionDelay: .milliseconds(completion), fadeInTime: .milliseconds(fadeIn),
      fadeOutTime: .milliseconds(fadeOut))
  }

  @Test func loadThatEndsWithinItsGraceTimeIsNeverShown() async throws {
    let bench = Bench()
    let network = NetworkActivityIndicator(bench.loads, timing: timing(grace: 125))
    let diary = Diary(of: network, bench)
    network.push()
    await bench.runTasks()
    #expect(!network.isVisible)
    await bench.advance(to: 0.05)
    network.pop()
    for time in [0.05, 0.125, 0.2, 0.25] {
      await bench.advance(to: time)
      #expect(!network.isVisible)
    }
    #expect(diary.entries == ["hidden 0.05"])
    #expect(network.suppressedShows == 1 && network.visibleTime == .zero)
    let load = try #require(try await bench.allLoads().first)
    #expect(load.state == .ended && load.suppressedShows == 1 && load.visibleTime == 0)
  }

  @Test func completionDelayJoinsConsecutiveLoadsIntoOneShow() async throws {
    let bench = Bench()
    let network = NetworkActivityIndicator(bench.loads, timing: timing(completion: 200))
    let diary = Diary(of: network, bench)
    for (start, end) in [(0.0, 0.1), (0.2, 0.3)] {
      await bench.advance(to: start)
      network.push()
      await bench.runTasks()
      #expect(network.isVisible)
      await bench.advance(to: end)
      network.pop()
      await bench.runTasks()
      #expect(network.isVisible)
    }
    for time in [0.35, 0.45, 0.5, 1] { await bench.advance(to: time) }
    #expect(diary.entries == ["shown 0.0", "hidden 0.5"])
    // The visible time is recorded with the load that finished last.
    #expect(try await bench.allLoads().map(\.visibleTime) == [nil, 500_000_000])
  }

  @Test func extraPopsAreRecordedAndChangeNothing() async throws {
    let bench = Bench()
    let network = NetworkActivityIndicator(bench.loads)
    let diary = Diary(of: network, bench)
    network.push()
    await bench.runTasks()
    #expect(network.isVisible && network.count == 1)
    for time in [0.1, 0.15, 0.2] {
      await bench.advance(to: time)
      network.pop()
      await bench.runTasks()
      #expect(!network.isVisible && network.count == 0 && network.depth == 0)
    }
    #expect(diary.entries == ["shown 0.0", "hidden 0.1"])
    #expect(try await bench.allLoads().map(\.state) == [.ended])
    #expect(try await bench.unbalanced() == ["extra_pop", "extra_pop"])
    network.push()
    await bench.runTasks()
    #expect(network.isVisible && network.count == 1, "an earlier extra pop does not cancel a later push")
  }

  @Test func overlappingLoadsAreShownOnceWithBothDelays() async throws {
    let bench = Bench()
    let view = LoadingView(bench.loads, timing: timing(grace: 1000, completion: 1000))
    let diary = Diary(of: view, bench)
    view.start(message: "four", tag: 1)
    view.start(message: "two", tag: 2)
    await bench.advance(to: 0.5)
    #expect(!view.isVisible)
    await bench.advance(to: 1)
    await bench.advance(to: 2)
    #expect(view.stop(tag: 2) && view.isVisible)
    await bench.advance(to: 3)
    await bench.advance(to: 4)
    #expect(view.stop(tag: 1) && view.isVisible)
    for time in [4.5, 5, 6] { await bench.advance(to: time) }
    #expect(diary.entries == ["shown 1.0", "hidden 5.0"])
    #expect(try await bench.allLoads().map(\.duration) == [4_000_000_000, 2_000_000_000])
  }

  @Test func indicatorStaysVisibleForItsMinimumShowTime() async throws {
    let bench = Bench()
    let veil = Veil(bench.loads, timing: timing(minimum: 2000, fadeIn: 250, fadeOut: 250))
    let diary = Diary(of: veil, bench)
    veil.veil(message: "Saving…")
    veil.remove()
    for time in [0.5, 1, 1.999] {
      await bench.advance(to: time)
      #expect(veil.isVisible && veil.visibility.phase == .lingering && veil.opacity == 0.8)
    }
    await bench.advance(to: 2)
    #expect(veil.isVisible && veil.visibility.phase == .hiding && veil.opacity == 0)
    await bench.advance(to: 2.25)
    #expect(!veil.isVisible && diary.entries == ["shown 0.0", "hidden 2.25"])
    #expect(
      try await bench.allLoads().map(\.duration) == [0], "the minimum show time does not extend the load")
    #expect(try await bench.allLoads().map(\.visibleTime) == [2_250_000_000])
  }

  @Test func indicatorStaysForTheDelayWithWhichItIsHidden() async throws {
    let bench = Bench()
    let overlay = ActivityOverlay(bench.loads, feed: "articles", timing: timing(completion: 200))
    let veil = Veil(bench.loads)
    let diaries = [Diary(of: overlay, bench), Diary(of: veil, bench)]
    overlay.show()
    veil.veil(message: "Saving…")
    await bench.advance(to: 1)
    overlay.hide(.succeeded, after: .seconds(2))
    overlay.label = "Saved"
    veil.remove(.succeeded, after: .seconds(2))
    #expect(!overlay.isLoading && !overlay.isAnimating && !veil.isLoading)
    for time in [1.2, 2, 2.999] {
      await bench.advance(to: time)
      #expect(overlay.isVisible && overlay.label == "Saved" && veil.opacity == 0.8 && veil.blocksInteraction)
    }
    await bench.advance(to: 3)
    #expect(!overlay.isVisible && veil.visibility.phase == .hiding)
    await bench.advance(to: 3.25)
    #expect(diaries.map(\.entries) == [["shown 0.0", "hidden 3.0"], ["shown 0.0", "hidden 3.25"]])
    let all = try await bench.allLoads()
    #expect(all.map(\.duration) == [1_000_000_000, 1_000_000_000], "the loads ended at once")
    #expect(all.map(\.visibleTime) == [3_000_000_000, 3_250_000_000])
    #expect(all.map(\.message) == ["Loading", "Saving…"])
    // Shown again during the delay, it stays; a shorter delay than the completion delay changes nothing.
    overlay.show()
    overlay.hide(after: .seconds(5))
    overlay.show()
    await bench.advance(to: 10)
    #expect(overlay.isVisible)
    overlay.hide(after: .milliseconds(100))
    await bench.advance(to: 10.1)
    #expect(overlay.isVisible)
    await bench.advance(to: 10.2)
    #expect(!overlay.isVisible)
  }

  @Test func alarmsFireInOrderAtTheirOwnTimesInOneAdvance() async throws {
    let bench = Bench()
    let timing = timing(grace: 100, minimum: 500, completion: 200, fadeIn: 250, fadeOut: 250)
    let veil = Veil(bench.loads, timing: timing)
    let network = NetworkActivityIndicator(bench.loads, timing: timing)
    let diaries = [Diary(of: veil, bench), Diary(of: network, bench)]
    veil.onShown = { [onShown = veil.onShown] in
      onShown?()
      veil.remove()
    }
    veil.veil(message: "Saving…")
    network.push()
    await bench.advance(to: 3600)
    #expect(diaries.map(\.entries) == [["shown 0.1", "hidden 0.85"], ["shown 0.1"]])
    network.pop()
    await bench.advance(to: 7200)
    #expect(diaries[1].entries == ["shown 0.1", "hidden 3600.45"])
    #expect(bench.time == 7200)
    let visible = try await bench.allLoads().compactMap(\.visibleTime)
    #expect(visible == [750_000_000, 3_600_350_000_000])
  }

  @Test func suppressedShowCallsOnHiddenOnce() async throws {
    let bench = Bench()
    let overlay = ActivityOverlay(bench.loads, feed: "articles", timing: timing(grace: 2000))
    let diary = Diary(of: overlay, bench)
    overlay.show()
    await bench.advance(to: 1)
    overlay.hide()
    for time in [1.5, 2, 3] {
      await bench.advance(to: time)
      #expect(!overlay.isVisible)
    }
    #expect(diary.entries == ["hidden 1.0"])
    #expect(overlay.suppressedShows == 1)
    #expect(try await bench.allLoads().map(\.suppressedShows) == [1])
  }

  @Test func veilStaysWhenRaisedAgainDuringFadeOut() async throws {
    let bench = Bench()
    let veil = Veil(bench.loads)
    let diary = Diary(of: veil, bench)
    veil.veil(message: "first")
    veil.remove()
    veil.veil(message: "second")
    await bench.advance(to: 1)
    #expect(veil.isVisible && veil.opacity == 0.8 && veil.message == "second")
    veil.remove()
    await bench.advance(to: 1.1)
    #expect(veil.visibility.phase == .hiding && veil.message == "second")
    veil.veil(message: "third")
    #expect(veil.isVisible && veil.visibility.phase == .shown && veil.message == "third")
    for time in [1.2, 1.25, 1.35, 2] {
      await bench.advance(to: time)
      #expect(veil.isVisible && veil.opacity == 0.8)
    }
    veil.remove(.succeeded)
    await bench.advance(to: 2.25)
    #expect(!veil.isVisible && veil.message == nil)
    #expect(diary.entries == ["shown 0.0", "hidden 2.25"])
    let all = try await bench.allLoads()
    #expect(all.map(\.message) == ["first", "second", "third"])
    #expect(all.map(\.state) == [.ended, .ended, .succeeded])
    #expect(all.map(\.visibleTime) == [nil, nil, 2_250_000_000])
  }

  @Test func replacedHideTimerDoesNothing() async throws {
    let bench = Bench()
    let delayed = Veil(
      bench.loads, timing: timing(completion: 300, fadeIn: 250, fadeOut: 250))
    let prompt = Veil(bench.loads, feed: "prompt")
    let diaries = [Diary(of: delayed, bench), Diary(of: prompt, bench)]
    delayed.veil(message: "1")
    delayed.remove()
    prompt.veil(message: "1")
    await bench.advance(to: 0.3)
    prompt.remove()
    for veil in [delayed, prompt] { veil.veil(message: "2") }
    delayed.remove()
    for time in [0.4, 0.55, 0.6] {
      await bench.advance(to: time)
      #expect(delayed.isVisible && prompt.isVisible)
    }
    prompt.remove()
    for time in [0.8, 0.85, 1.3] { await bench.advance(to: time) }
    #expect(!delayed.isVisible && !prompt.isVisible)
    for diary in diaries { #expect(diary.entries == ["shown 0.0", "hidden 0.85"]) }
    // The timer has started to fire when a start replaces it.
    var machine = VisibilityStateMachine(timing: timing(completion: 300))
    _ = machine.start(at: 0)
    _ = machine.stop(at: 0)
    let stale = try #require(machine.timer)
    #expect(machine.start(at: 299_000_000) == [])
    #expect(machine.fire(stale, at: 300_000_000) == [] && machine.phase == .shown)
    _ = machine.stop(at: 300_000_000)
    #expect(machine.fire(stale, at: 300_000_000) == [] && machine.phase == .lingering)
  }

  @Test func graceTimerFiresBeforeAStopOfTheSameInstant() async throws {
    let bench = Bench()
    let network = NetworkActivityIndicator(bench.loads, timing: timing(grace: 100, minimum: 100))
    let overlay = ActivityOverlay(
      bench.loads, feed: "articles", timing: timing(grace: 100, minimum: 100))
    network.push()
    overlay.show()
    await bench.advance(to: 0.05)
    #expect(!network.isVisible && !overlay.isVisible)
    // The stop occurs at the time at which the timer is due, before the timer's task has run on the main actor.
    bench.advanceClock(to: 0.1)
    network.pop()
    overlay.hide()
    await bench.runTasks()
    #expect(network.isVisible && overlay.isVisible)
    await bench.advance(to: 0.15)
    #expect(network.isVisible && overlay.isVisible)
    await bench.advance(to: 0.2)
    #expect(!network.isVisible && !overlay.isVisible)
    #expect(network.suppressedShows == 0 && overlay.visibleTime == .milliseconds(100))
  }

  @Test func startAfterACancelledGraceTimeBeginsANewOne() async throws {
    let bench = Bench()
    let overlay = ActivityOverlay(bench.loads, feed: "articles", timing: timing(grace: 100))
    let diary = Diary(of: overlay, bench)
    overlay.show()
    await bench.advance(to: 0.05)
    overlay.hide()
    await bench.advance(to: 0.06)
    overlay.show()
    for time in [0.1, 0.15, 0.16, 0.2] { await bench.advance(to: time) }
    #expect(diary.entries == ["hidden 0.05", "shown 0.16"])
    // The first timer has started to fire when the stop cancels it.
    var machine = VisibilityStateMachine(timing: timing(grace: 100))
    _ = machine.start(at: 0)
    let stale = try #require(machine.timer)
    #expect(machine.stop(at: 50_000_000) == [.hidden, .idle(.init(suppressed: 1))])
    _ = machine.start(at: 60_000_000)
    #expect(machine.fire(stale, at: 100_000_000) == [])
    #expect(machine.start(at: 110_000_000) == [], "a second start does not restart the grace time")
    let timer = try #require(machine.timer)
    #expect(timer.due == 160_000_000 && machine.fire(timer, at: 160_000_000) == [.show])
  }

  @Test func disablingHidesImmediatelyAndEnablingShowsAgain() async throws {
    let bench = Bench()
    let network = NetworkActivityIndicator(
      bench.loads, timing: timing(grace: 100, minimum: 5000, fadeOut: 250))
    let diary = Diary(of: network, bench)
    network.push()
    await bench.runTasks()
    await bench.advance(to: 0.1)
    #expect(network.isVisible)
    await bench.advance(to: 0.5)
    network.isEnabled = false
    #expect(!network.isVisible)
    network.push()
    await bench.advance(to: 1)
    network.pop()
    await bench.advance(to: 1.5)
    #expect(!network.isVisible && network.count == 1 && network.isEnabled == false)
    network.isEnabled = true
    #expect(network.isVisible, "without a second grace time")
    await bench.advance(to: 2)
    network.isEnabled = false
    network.pop()
    await bench.runTasks()
    network.isEnabled = true
    #expect(!network.isVisible, "nothing is loading")
    #expect(diary.entries == ["shown 0.1", "hidden 0.5", "shown 1.5", "hidden 2.0"])
    #expect(network.visibleTime == .milliseconds(900))
    let all = try await bench.allLoads()
    #expect(all.map(\.state) == [.ended, .ended])
    #expect(all.compactMap(\.visibleTime) == [900_000_000], "recorded with the load that finished last")
  }
}

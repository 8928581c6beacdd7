import LoadLog
import LoadLogPresentation
import Testing

/// The default delays, fades and distances, and how to change them.
@MainActor @Suite struct ConstantsTests {
  @Test func onlyTheVeilsFadesAreNotZeroByDefault() {
    let timing = VisibilityTiming()
    #expect(timing == .immediate)
    #expect(timing.graceTime == .zero && timing.minimumShowTime == .zero && timing.completionDelay == .zero)
    #expect(timing.fadeInTime == .zero && timing.fadeOutTime == .zero)
    #expect(VisibilityTiming.smoothed.graceTime == .seconds(1))
    #expect(VisibilityTiming.smoothed.completionDelay == .milliseconds(170))
    let loads = Bench().loads
    let veil = Veil(loads).visibility
    #expect(veil.timing.fadeInTime == .milliseconds(250) && veil.timing.fadeOutTime == .milliseconds(250))
    #expect(veil.timing.graceTime == .zero && veil.fullOpacity == 0.8 && Veil(loads).blocksDuringFadeOut)
    #expect(LoadingView(loads).visibility.timing == .immediate)
    #expect(LoadingView(loads).visibility.fullOpacity == 0.75)
    #expect(NetworkActivityIndicator(loads).visibility.timing == .immediate)
    #expect(ActivityOverlay(loads, feed: "articles").visibility.timing == .immediate)
  }

  @Test func constantsCanBeChanged() {
    let loads = Bench().loads
    let veil = Veil(loads, feed: "cover", timing: .smoothed, opacity: 0.5)
    veil.isEnabled = false
    veil.veil(message: nil)
    veil.isEnabled = true
    #expect(veil.opacity == 0.5 && loads.depth(of: "cover") == 1)
    let pull = PullToRefresh(
      loads, feed: "reviews",
      options: .init(
        threshold: 10, isThresholdInclusive: false, inset: 20, flipTime: .seconds(1),
        insetInTime: .seconds(2),
        insetOutTime: .seconds(3)),
      handler: .begin { _ in })
    pull.beginDrag()
    pull.scroll(to: 10)
    #expect(pull.state == .pulling)
    pull.scroll(to: 11)
    #expect(pull.arrowTime == .seconds(1))
    pull.release()
    #expect(pull.inset == 20 && pull.insetTime == .seconds(2))
  }
}

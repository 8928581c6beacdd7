import LoadLog
import LoadLogPresentation

/// The script of `loadlog demo`: five indicators, each driven by loads that are recorded.
///
/// All indicators live until the end of the demo: an indicator that is released while it loads abandons its load.
@MainActor
final class Demo {
  let loads: LoadingController
  let stage: DemoStage
  /// Factor by which the demo runs faster than its normal pace.
  let speed: Double
  /// The loads of this demo, in the order of their starts.
  private(set) var drawn: [DrawnLoad] = []
  /// The ids of these loads and of the loads that an earlier demo left in the store.
  private var known: Set<SessionID> = []

  let network: NetworkActivityIndicator
  let overlay: ActivityOverlay
  let veil: Veil
  let views: LoadingView
  let pull: PullToRefresh

  init(_ loads: LoadingController, stage: DemoStage, speed: Double = 1) {
    self.loads = loads
    self.stage = stage
    self.speed = speed
    network = NetworkActivityIndicator(loads, feed: "demo/network")
    overlay = ActivityOverlay(loads, feed: "demo/articles")
    let fade = VisibilityTiming.veil.fadeInTime / speed
    veil = Veil(loads, feed: "demo/sync", timing: VisibilityTiming(fadeInTime: fade, fadeOutTime: fade))
    views = LoadingView(loads, feed: "demo/pictures")
    pull = PullToRefresh(loads, feed: "demo/reviews")
  }

  /// Runs through all five indicators.
  ///
  /// - Throws: `CancellationError` when its task is cancelled; the error that keeps loads from being recorded or shown.
  func walk() async throws {
    known = Set(try await history("demo/*").map(\.id))
    try await showNetworkActivity()
    try await showOverlay()
    try await showVeil()
    try await showLoadingViews()
    try await showPullToRefresh()
  }

  /// Waits, in seconds at the normal pace.
  func pause(_ seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds / speed)) }

  /// Runs an action that starts a load of a feed, and notes that load.
  func start(_ feed: Feed, _ act: () -> Void) async throws {
    let before = loads.now
    act()
    let span = DrawnLoad.Span(from: before, to: loads.now)
    for load in try await history(FeedPattern(exactly: feed)) where known.insert(load.id).inserted {
      drawn.append(DrawnLoad(id: load.id, feed: feed, started: span))
    }
    try stage.draw()
  }

  /// Runs an action that finishes a load of a feed, and shows that load.
  ///
  /// - Parameter state: the load's state afterwards.
  func finish(_ feed: Feed, _ state: SessionState, _ act: () async throws -> Void) async throws {
    let before = loads.now
    try await act()
    let span = DrawnLoad.Span(from: before, to: loads.now)
    for load in try await history(FeedPattern(exactly: feed)) where load.state != .running {
      guard let index = drawn.firstIndex(where: { $0.id == load.id && $0.end == nil }) else { continue }
      drawn[index].end = DrawnLoad.End(state: state, span: span)
      try stage.show(load, as: state)
    }
  }

  private func history(_ feeds: FeedPattern) async throws -> [LoadingSession] {
    try await loads.history(LoadFilter(feeds: [feeds])).loads
  }
}

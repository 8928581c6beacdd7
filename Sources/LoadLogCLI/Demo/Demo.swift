import LoadLog
import LoadLogPresentation

/// The script of `loadlog demo`: five indicators, each driven by loads that are recorded.
@MainActor
final class Demo {
  let indicators: DemoIndicators
  let stage: DemoStage
  /// Factor by which the demo runs faster than its normal pace.
  let speed: Double
  /// The ids of the loads of this demo, and of those that an earlier demo left in the store.
  private var known: Set<SessionID> = []
  /// The loads of this demo that were not shown as finished yet.
  private var open: Set<SessionID> = []

  var loads: LoadingController { indicators.loads }
  var network: NetworkActivityIndicator { indicators.network }
  var overlay: ActivityOverlay { indicators.overlay }
  var veil: Veil { indicators.veil }
  var views: LoadingView { indicators.views }
  var pull: PullToRefresh { indicators.pull }

  init(_ loads: LoadingController, stage: DemoStage, speed: Double = 1) {
    self.stage = stage
    self.speed = speed
    indicators = DemoIndicators(loads, speed: speed)
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
    act()
    for load in try await history(FeedPattern(exactly: feed)) where known.insert(load.id).inserted {
      open.insert(load.id)
    }
    try stage.draw()
  }

  /// Runs an action that finishes a load of a feed, and shows that load.
  ///
  /// - Parameter state: the load's state afterwards.
  func finish(_ feed: Feed, _ state: SessionState, _ act: () async throws -> Void) async throws {
    try await act()
    for load in try await history(FeedPattern(exactly: feed)) where load.state != .running {
      if open.remove(load.id) != nil { try stage.show(load, as: state) }
    }
  }

  private func history(_ feeds: FeedPattern) async throws -> [LoadingSession] {
    try await loads.history(LoadFilter(feeds: [feeds])).loads
  }
}

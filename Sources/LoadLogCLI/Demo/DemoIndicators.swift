package import LoadLog
package import LoadLogPresentation

/// The five indicators of the demo, each over a feed of its own.
///
/// They live until the end of the demo: an indicator that is released while it loads abandons its load.
@MainActor
package struct DemoIndicators {
  /// What records the loads.
  package let loads: LoadingController
  package let network: NetworkActivityIndicator
  package let overlay: ActivityOverlay
  package let veil: Veil
  package let views: LoadingView
  package let pull: PullToRefresh

  /// Creates the indicators with a store for their loads.
  ///
  /// - Throws: the errors of creating the store.
  package init(storeAt path: String) async throws {
    let loads = try StoreOptions.controller(at: path, for: .thisProcess)
    try await loads.ask { _ in }
    self.init(loads)
  }

  /// Creates the indicators.
  ///
  /// - Parameters:
  ///   - loads: records the loads.
  ///   - speed: factor by which the veil fades faster than usual.
  package init(_ loads: LoadingController, speed: Double = 1) {
    self.loads = loads
    network = NetworkActivityIndicator(loads, feed: "demo/network")
    overlay = ActivityOverlay(loads, feed: "demo/articles")
    let fade = VisibilityTiming.veil.fadeInTime / speed
    veil = Veil(loads, feed: "demo/sync", timing: VisibilityTiming(fadeInTime: fade, fadeOutTime: fade))
    views = LoadingView(loads, feed: "demo/pictures")
    pull = PullToRefresh(loads, feed: "demo/reviews")
  }
}

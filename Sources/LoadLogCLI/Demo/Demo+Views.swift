import LoadLog
import LoadLogPresentation

extension Demo {
  /// Shows two covers at once, each with its own tag; one of the loads fails.
  func showLoadingViews() async throws {
    try stage.open(4, "loading views", "covers by tag, the newest in front") { [views] frames, tick in
      frames.lines(LoadingViewFrame(views, title: "The last lamplighter", content: Self.articles), tick: tick)
    }
    try await pause(0.3)
    try stage.say("start with tag 1")
    try await start("demo/pictures") { views.start(message: "Loading article…", tag: 1) }
    try await pause(0.6)
    try stage.say("start with tag 2: in front")
    try await start("demo/pictures") { views.start(message: "Loading pictures…", tag: 2) }
    try await pause(0.7)
    try stage.say("stop tag 2: that load failed")
    try await finish("demo/pictures", .failed) { views.stop(tag: 2, .failed("timed out")) }
    try await pause(0.5)
    try stage.say("stop tag 1")
    try await finish("demo/pictures", .succeeded) { views.stop(tag: 1, .succeeded) }
    try await pause(0.3)
  }
}

import LoadLog
import LoadLogPresentation

extension Demo {
  /// Covers one panel while it loads; the other stays usable. Meanwhile the user leaves the tab and comes back.
  func showOverlay() async throws {
    let topics = ["Harbours", "Lighthouses", "Tides", "Ferries"]
    try stage.open(2, "activity overlay", "over one panel; the others stay usable") {
      [overlay] frames, tick in
      let usable = topics.enumerated().map {
        ($0.offset == tick / 5 % topics.count ? "> " : "  ") + $0.element
      }
      return frames.lines(
        ActivityOverlayFrame(
          overlay,
          covered: overlay.isAttached
            ? ActivityOverlayFrame.Panel(title: "Articles", content: Self.articles)
            : ActivityOverlayFrame.Panel(title: "Search", content: ["Another tab is on screen."]),
          usable: ActivityOverlayFrame.Panel(title: "Topics", content: usable)), tick: tick)
    }
    try await pause(0.3)
    try stage.say("shown twice: still one load")
    try await start("demo/articles") {
      overlay.show()
      overlay.show()
    }
    try await pause(0.7)
    try stage.say("the label may change")
    overlay.label = "Almost there"
    try await pause(0.5)
    try stage.say("the user leaves the tab: the overlay disappears, the load continues")
    overlay.disappear()
    try await pause(0.6)
    try stage.say("back again")
    overlay.appear()
    try await pause(0.4)
    try await finish("demo/articles", .succeeded) { overlay.hide(.succeeded) }
    try stage.say("hidden")
    try await pause(0.2)
  }

  static let articles = [
    "Sailing to the Faroes", "A bridge of glass", "What moss remembers", "The last lamplighter",
    "Bees above the station", "Maps of quiet streets",
  ]
}

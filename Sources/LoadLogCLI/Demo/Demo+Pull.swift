import LoadLog
import LoadLogPresentation

extension Demo {
  /// Pulls a list down twice: the first refresh succeeds, the second fails and leaves the date unchanged.
  func showPullToRefresh() async throws {
    var rows = Array(Self.articles.dropFirst(2))
    var pulled = 0.0
    try stage.open(5, "pull to refresh", "with the date of the last update, from the record") {
      [pull] frames, tick in
      frames.lines(PullToRefreshFrame(pull, title: "Reviews", rows: rows, pulledBy: pulled), tick: tick)
    }
    func drag(to distances: Double...) async throws {
      for distance in distances {
        pulled = distance
        pull.scroll(to: distance)
        try stage.draw()
        try await pause(0.1)
      }
    }
    func refresh(_ outcome: Verdict) async throws {
      try stage.say("released: it loads")
      try await start(pull.feed) {
        pull.release()
        pulled = 0
      }
      try await pause(1.0)
      try await finish(pull.feed, outcome.state) {
        pull.finish(outcome)
        while pull.state == .loading { try await pause(0.02) }
      }
    }

    pull.handler = .begin { _ in }
    try await pause(0.3)
    try stage.say("pulled")
    pull.beginDrag()
    try await drag(to: 15, 30, 45, 60, 70)
    try stage.say("far enough: a release would load")
    try await pause(0.4)
    try await drag(to: 60, 45)
    try stage.say("not far enough any more")
    try await pause(0.3)
    try await drag(to: 60, 75)
    try await refresh(.succeeded)
    rows.insert("A lantern in the fog", at: 0)
    try stage.say("updated; the next pull shows the date")
    try await pause(0.6)

    pull.beginDrag()
    try await drag(to: 30, 60, 75)
    try await refresh(.failed("no connection"))
    try stage.say("failed: the date stays")
    pull.beginDrag()
    try await drag(to: 30, 50)
    try await pause(0.6)
    pull.release()
  }
}

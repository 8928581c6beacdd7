import LoadLog
import LoadLogPresentation

extension Demo {
  /// Covers the whole screen, changes the message, and raises the cover again while it fades out.
  func showVeil() async throws {
    try stage.open(3, "veil", "over everything, with a message") { [veil] frames, tick in
      frames.lines(VeilFrame(veil, title: "Articles", content: Self.articles), tick: tick)
    }
    try await pause(0.3)
    try stage.say("raised")
    try await start("demo/sync") { veil.veil(message: "Syncing what you have read…") }
    try await pause(0.8)
    try stage.say("veiled again: another message, the same load")
    veil.veil(message: "Syncing what you have read with all of your devices. Almost there…")
    try await pause(0.8)
    try stage.say("removed: it fades out")
    try await finish("demo/sync", .succeeded) { veil.remove(.succeeded) }
    try await pause(0.1)
    try stage.say("raised again while it fades out: it stays")
    try await start("demo/sync") { veil.veil(message: "Tidying up…") }
    try await pause(0.6)
    try await finish("demo/sync", .unchanged) { veil.remove(.unchanged) }
    try stage.say("removed")
    try await pause(0.4)
  }
}

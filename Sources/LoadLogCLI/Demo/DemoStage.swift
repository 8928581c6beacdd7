import LoadLog
import LoadLogPresentation
import LoadLogReports

/// Where the demo is seen: a picture that moves on a terminal, else plain lines.
@MainActor
final class DemoStage {
  typealias Picture = (_ frames: TerminalFrames, _ tick: Int) -> [String]

  private var screen: DemoScreen?
  private let glyphs: Glyphs
  private let write: (String) throws -> Void
  private var title = ""
  private var remark = ""
  private var picture: Picture = { _, _ in [] }
  private var tick = 0

  /// Sets up a stage.
  ///
  /// - Parameters:
  ///   - screen: the terminal to draw on; nil for plain lines.
  ///   - glyphs: the signs.
  ///   - write: writes text for good.
  init(screen: DemoScreen?, glyphs: Glyphs = .unicode, write: @escaping (String) throws -> Void) {
    self.screen = screen
    self.glyphs = glyphs
    self.write = write
  }

  /// Begins with another indicator.
  func open(_ number: Int, _ name: String, _ what: String, _ picture: @escaping Picture) throws {
    title = "\(number) of 5\(glyphs.separator)\(name): \(what)"
    remark = ""
    self.picture = picture
    if screen == nil { try write("\n\(title)\n") }
    try draw()
  }

  /// Says what happens now.
  func say(_ text: String) throws {
    remark = text
    if screen == nil { try write("  \(text)\n") }
    try draw()
  }

  /// Shows a load that has finished: on a terminal for people, else with its whole id and in UTC.
  func show(_ load: LoadingSession, as state: SessionState) throws {
    let feed = VisibleText.line(load.feed.name)
    guard screen != nil else {
      let took = JSONValue.number(Double(load.duration ?? 0) / 1e9).flat
      return try write(
        "  \(load.id)  \(feed)  \(state.rawValue)  \(UTCTime.text(load.started.wall))  \(took) s\n")
    }
    let mark = state.isSuccess ? glyphs.good : state == .failed ? glyphs.bad : glyphs.same
    let took = DurationText.measured(load.duration ?? 0)
    let why = load.reason.map { " (\(VisibleText.line($0)))" } ?? ""
    let id = load.id.description.suffix(7)
    screen?.wipe()
    try write("\(mark) \(feed) \(state.rawValue) in \(took)\(why)\(glyphs.separator)\(id)\n")
    try draw()
  }

  /// Draws what is to be seen now.
  func draw() throws {
    try screen?.draw(glyphs) { frames in
      [title] + picture(frames, tick) + [remark]
    }
  }

  /// Lets spinners turn.
  func turn() throws {
    tick += 1
    try draw()
  }

  /// Leaves only what was written for good.
  func close() { screen?.close() }
}

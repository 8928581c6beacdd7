import LoadLog
import LoadLogPresentation
import LoadLogReports

/// The demo's output: an animated picture on a terminal, otherwise plain lines.
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
  ///   - glyphs: the characters to draw with.
  ///   - write: writes permanent output.
  init(screen: DemoScreen?, glyphs: Glyphs = .unicode, write: @escaping (String) throws -> Void) {
    self.screen = screen
    self.glyphs = glyphs
    self.write = write
  }

  /// Switches to the next indicator.
  func open(_ number: Int, _ name: String, _ what: String, _ picture: @escaping Picture) throws {
    title = "\(number) of 5\(glyphs.separator)\(name): \(what)"
    remark = ""
    self.picture = picture
    if screen == nil { try write("\n\(title)\n") }
    try draw()
  }

  /// Writes what happens now.
  func say(_ text: String) throws {
    remark = text
    if screen == nil { try write("  \(text)\n") }
    try draw()
  }

  /// Shows a finished load: in short form on a terminal, otherwise with its whole id and times in UTC.
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

  /// Draws the current picture.
  func draw() throws {
    try screen?.draw(glyphs) { frames in
      [title] + picture(frames, tick) + [remark]
    }
  }

  /// Advances the spinners by one frame and draws.
  func turn() throws {
    tick += 1
    try draw()
  }

  /// Erases the picture; the permanent output stays.
  func close() { screen?.close() }
}

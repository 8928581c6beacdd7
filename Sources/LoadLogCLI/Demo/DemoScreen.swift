import Foundation
import LoadLog
import LoadLogPresentation
import LoadLogText

/// Some lines at the end of a terminal that are drawn again and again, beneath what was written for good.
struct DemoScreen {
  let terminal: Terminal
  private var drawnLines = 0
  private var isCursorHidden = false

  /// Nil where nothing can be drawn: no terminal, one that knows no escapes, or one that is too small.
  init?(_ terminal: Terminal) {
    guard terminal.isTerminal, terminal.variable("TERM") != "dumb", terminal.width >= 30,
      terminal.height >= 12
    else { return nil }
    self.terminal = terminal
  }

  /// Draws lines in place of the last ones. A process in the background draws nothing.
  mutating func draw(_ glyphs: Glyphs, _ picture: (TerminalFrames) -> [String]) throws {
    guard terminal.isOurs else { return }
    // A line as wide as the terminal would leave the cursor between two lines.
    let width = min(terminal.width - 1, 100)
    let frames = TerminalFrames(width: width, height: min(terminal.height - 4, 13), glyphs: glyphs)
    let lines = picture(frames).map { glyphs.fitted(VisibleText.line($0), to: width) }
    let text = start + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
    try send((isCursorHidden ? "" : "\u{1B}[?25l") + text)
    drawnLines = lines.count
    isCursorHidden = true
  }

  /// Takes away what was drawn last.
  mutating func wipe() {
    guard drawnLines > 0, terminal.isOurs else { return }
    try? send(start + "\u{1B}[J")
    drawnLines = 0
  }

  /// Takes away what was drawn, and shows the cursor again.
  mutating func close() {
    wipe()
    if isCursorHidden { try? send("\u{1B}[?25h") }
    isCursorHidden = false
  }

  /// To the start of the first line that was drawn.
  private var start: String { drawnLines > 0 ? "\r\u{1B}[\(drawnLines)A" : "\r" }

  private func send(_ text: String) throws { try Output.write(Array(text.utf8), to: terminal.file) }
}

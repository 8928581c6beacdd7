import Foundation
import LoadLog
import LoadLogPresentation
import LoadLogText

/// Lines at the bottom of a terminal that are redrawn in place, below the permanent output.
struct DemoScreen {
  let terminal: Terminal
  private var drawnLines = 0
  private var isCursorHidden = false

  /// Nil if nothing can be drawn: there is no terminal, it has no escape sequences, or it is too small.
  init?(_ terminal: Terminal) {
    guard terminal.canDraw, terminal.width >= 30,
      terminal.height >= 12
    else { return nil }
    self.terminal = terminal
  }

  /// Draws lines over the previous ones. A process in the background draws nothing.
  mutating func draw(_ glyphs: Glyphs, _ picture: (TerminalFrames) -> [String]) throws {
    guard terminal.isOurs else { return }
    // After a line as wide as the terminal, the cursor may be on that line or on the next one.
    let width = min(terminal.width - 1, 100)
    let frames = TerminalFrames(width: width, height: min(terminal.height - 4, 13), glyphs: glyphs)
    let lines = picture(frames).map { glyphs.fitted(VisibleText.line($0), to: width) }
    let text = start + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
    try send((isCursorHidden ? "" : "\u{1B}[?25l") + text)
    drawnLines = lines.count
    isCursorHidden = true
  }

  /// Erases the drawn lines.
  mutating func wipe() {
    guard drawnLines > 0, terminal.isOurs else { return }
    try? send(start + "\u{1B}[J")
    drawnLines = 0
  }

  /// Erases the drawn lines and shows the cursor again.
  mutating func close() {
    wipe()
    if isCursorHidden { try? send("\u{1B}[?25h") }
    isCursorHidden = false
  }

  /// The escape sequence that moves the cursor to the start of the first drawn line.
  private var start: String { drawnLines > 0 ? "\r\u{1B}[\(drawnLines)A" : "\r" }

  private func send(_ text: String) throws { try Output.write(Array(text.utf8), to: terminal.file) }
}

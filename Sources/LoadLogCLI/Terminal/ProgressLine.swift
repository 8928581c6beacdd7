import Foundation
import LoadLog
import LoadLogReports

/// One line on a terminal that says how far something is; wiped away at the end.
struct ProgressLine {
  private let screen: Terminal
  private let isShown: Bool
  private var isDrawn = false
  private var next: Int64 = 0
  /// Nanoseconds between two drawings.
  private static let pause: Int64 = 100_000_000

  /// Draws on standard error, if that is a terminal.
  init(isQuiet: Bool) {
    screen = Terminal(file: STDERR_FILENO)
    isShown = screen.isTerminal && !isQuiet
    // What is done at once draws nothing.
    next = BootClock().now().boot + Self.pause
  }

  /// Draws the line anew, if it is time.
  mutating func show(_ text: () -> String) {
    guard isShown, BootClock().now().boot >= next, screen.isOurs else { return }
    next = BootClock().now().boot + Self.pause
    isDrawn = true
    Output.error(
      "\r\u{1B}[K" + screen.glyphs.fitted(VisibleText.line(text()), to: max(8, screen.width - 1)),
      terminator: "")
  }

  /// Wipes it away.
  mutating func wipe() {
    if isDrawn, screen.isOurs { Output.error("\r\u{1B}[K", terminator: "") }
    isDrawn = false
  }
}

import Foundation
import LoadLog
import LoadLogReports

/// A line on a terminal that shows progress and is erased at the end.
struct ProgressLine {
  private let screen: Terminal
  private let isShown: Bool
  private var isDrawn = false
  private var next: Int64 = 0
  /// Minimum time between two drawings, in nanoseconds.
  private static let pause: Int64 = 100_000_000

  /// Draws on standard error, if that is a terminal that programs can draw on.
  init(isQuiet: Bool) {
    screen = Terminal(file: STDERR_FILENO)
    isShown = screen.canDraw && !isQuiet
    // Work that ends before the first pause is over draws nothing.
    next = BootClock().now().boot + Self.pause
  }

  /// Redraws the line if the pause since the last drawing is over.
  mutating func show(_ text: () -> String) {
    guard isShown, BootClock().now().boot >= next, screen.isOurs else { return }
    next = BootClock().now().boot + Self.pause
    isDrawn = true
    Output.error(
      "\r\u{1B}[K" + screen.glyphs.fitted(VisibleText.line(text()), to: max(8, screen.width - 1)),
      terminator: "")
  }

  /// Erases the line.
  mutating func wipe() {
    if isDrawn, screen.isOurs { Output.error("\r\u{1B}[K", terminator: "") }
    isDrawn = false
  }
}

import LoadLogText

/// A ``NetworkActivityIndicator`` as drawn in a terminal: a status bar with a spinner and the count.
package struct NetworkActivityFrame: Sendable, Hashable {
  /// The title on the left of the status bar.
  package var title: String
  /// The lines below the status bar.
  package var content: [String]
  /// Whether the spinner is visible.
  package var isVisible: Bool
  /// Number of open pushes.
  package var count: Int
}

extension NetworkActivityFrame {
  /// Creates a frame from the current state of an indicator.
  @MainActor
  package init(_ indicator: NetworkActivityIndicator, title: String, content: [String] = []) {
    self.init(title: title, content: content, isVisible: indicator.isVisible, count: indicator.count)
  }
}

extension TerminalFrames {
  /// Draws a window whose title bar shows the count and, while the indicator is visible, the spinner.
  package func lines(_ frame: NetworkActivityFrame, tick: Int) -> [String] {
    var grid = window(title: frame.title, frame.content)
    let state = "\(frame.count) loading \(frame.isVisible ? signs.spinner(tick) : " ")"
    grid.write("  " + state, row: 1, column: width - 4 - DisplayWidth.of(state))
    return grid.lines
  }
}

import LoadLogText

/// A ``Veil`` as drawn in a terminal: a box over a window with shaded content.
package struct VeilFrame: Sendable, Hashable {
  /// The title of the veiled window.
  package var title: String
  /// The lines of the veiled window.
  package var content: [String]
  /// The message in the box; nil for none.
  package var message: String?
  /// Whether the veil is visible.
  package var isVisible: Bool
  /// Whether the spinner is visible and turns.
  package var isAnimating: Bool
}

extension VeilFrame {
  /// Creates a frame from the current state of a veil.
  @MainActor
  package init(_ veil: Veil, title: String, content: [String]) {
    self.init(
      title: title, content: content, message: veil.recordedMessage, isVisible: veil.isVisible,
      isAnimating: veil.isAnimating)
  }
}

extension TerminalFrames {
  /// Draws a window and, while the veil is visible, shades its content and draws a centred box with the wrapped
  /// message and the spinner below it.
  package func lines(_ frame: VeilFrame, tick: Int) -> [String] {
    var grid = window(title: frame.title, frame.content, isShaded: frame.isVisible)
    guard frame.isVisible else { return grid.lines }
    // 30 cells are about as wide as the 240 points at which OverlayLayout wraps a message.
    let widest = min(30, width - 8)
    let rows = message(frame.message, wrappedAt: widest)
    let inner = max(rows.map(DisplayWidth.of).max() ?? 0, 7)
    let box = grid.centred(width: inner + 6, height: rows.count + 3, in: grid.bounds)
    grid.cover(box, in: grid.bounds, corners: signs.roundCorners, signs: signs)
    for (offset, row) in rows.enumerated() { grid.write(row, row: box.row + 1 + offset, centredIn: box) }
    if frame.isAnimating { grid.write(signs.spinner(tick), row: box.lastRow - 1, centredIn: box) }
    return grid.lines
  }

  /// Wraps a message and cuts it to the rows that fit above the spinner.
  private func message(_ message: String?, wrappedAt widest: Int) -> [String] {
    guard let message else { return [] }
    let rows = message.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      WordWrap.lines(fitted(String($0), to: .max), width: widest)
    }
    let room = height - 5
    guard rows.count > room else { return rows }
    return rows.prefix(room - 1) + [glyphs.fitted(rows[room - 1] + glyphs.ellipsis, to: widest)]
  }
}

import LoadLogText

/// An ``ActivityOverlay`` as drawn in a terminal: two panels, one of which is covered.
package struct ActivityOverlayFrame: Sendable, Hashable {
  /// A panel with a title.
  package struct Panel: Sendable, Hashable {
    /// The title.
    package var title: String
    /// The lines of text.
    package var content: [String]

    /// Creates a panel.
    package init(title: String, content: [String]) {
      self.title = title
      self.content = content
    }
  }

  /// The panel below the overlay.
  package var covered: Panel
  /// The panel that stays usable.
  package var usable: Panel
  /// The overlay's label, for example "Loading".
  package var label: String
  /// Whether the overlay is visible.
  package var isVisible: Bool
  /// Whether the spinner turns.
  package var isAnimating: Bool
}

extension ActivityOverlayFrame {
  /// Creates a frame from the current state of an overlay.
  @MainActor
  package init(_ overlay: ActivityOverlay, covered: Panel, usable: Panel) {
    self.init(
      covered: covered, usable: usable, label: overlay.recordedMessage ?? "", isVisible: overlay.isVisible,
      isAnimating: overlay.isAnimating)
  }
}

extension TerminalFrames {
  /// Draws two panels side by side and, while the overlay is visible, its label and spinner over the left one.
  package func lines(_ frame: ActivityOverlayFrame, tick: Int) -> [String] {
    var grid = CellGrid(width: width, height: height)
    let half = (width - 1) / 2
    let left = CellGrid.Area(row: 0, column: 0, width: half, height: height)
    let right = CellGrid.Area(row: 0, column: width - half, width: half, height: height)
    panel(in: left, of: &grid, title: frame.covered.title, frame.covered.content, isShaded: frame.isVisible)
    panel(in: right, of: &grid, title: frame.usable.title, frame.usable.content)
    if frame.isVisible {
      let label = fitted(frame.label, to: half - 10)
      let below = CellGrid.Area(row: 2, column: 0, width: half, height: height - 2)
      let box = grid.centred(width: DisplayWidth.of(label) + 6, height: 3, in: below)
      grid.cover(box, in: left, corners: signs.roundCorners, signs: signs)
      grid.write(label, row: box.row + 1, column: box.column + 2)
      grid.write(
        signs.spinner(frame.isAnimating ? tick : 0), row: box.row + 1, column: box.lastColumn - 2)
    }
    return grid.lines
  }
}

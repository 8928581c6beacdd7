import LoadLogText

/// A ``LoadingView`` as drawn in a terminal: one cover for each tag, with the newest in front.
package struct LoadingViewFrame: Sendable, Hashable {
  /// The title of the covered window.
  package var title: String
  /// The lines of the covered window.
  package var content: [String]
  /// The covers from back to front.
  package var covers: [LoadingView.Cover]
}

extension LoadingViewFrame {
  /// Creates a frame from the current state of a view.
  @MainActor
  package init(_ view: LoadingView, title: String, content: [String]) {
    self.init(title: title, content: content, covers: view.isVisible ? view.covers : [])
  }
}

extension TerminalFrames {
  /// Draws a window with shaded content and a box for each cover, below and to the right of the covers behind it.
  package func lines(_ frame: LoadingViewFrame, tick: Int) -> [String] {
    var grid = window(title: frame.title, frame.content, isShaded: !frame.covers.isEmpty)
    let below = CellGrid.Area(row: 3, column: 0, width: width, height: height - 4)
    let shown = frame.covers.suffix((height - 5) / 2)
    let texts = shown.map { fitted($0.message ?? "", to: width - 12 - 2 * shown.count) }
    let widest = texts.map(DisplayWidth.of).max() ?? 0
    let middle = grid.centred(width: widest + 8, height: 3, in: below)
    for (offset, (cover, text)) in zip(shown, texts).enumerated() {
      let step = 2 * offset - (shown.count - 1)
      let box = CellGrid.Area(
        row: middle.row + step, column: middle.column + step, width: DisplayWidth.of(text) + 8, height: 3)
      grid.cover(box, in: grid.bounds, corners: signs.roundCorners, signs: signs)
      grid.write(" \(fitted(cover.tag, to: box.width - 6)) ", row: box.row, column: box.column + 2)
      grid.write("\(signs.spinner(tick))  \(text)", row: box.row + 1, column: box.column + 3)
    }
    return grid.lines
  }
}

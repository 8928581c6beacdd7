import LoadLogText

/// A ``PullToRefresh`` as drawn in a terminal: a list with a header that a pull reveals.
package struct PullToRefreshFrame: Sendable, Hashable {
  /// The list's title.
  package var title: String
  /// The list's rows.
  package var rows: [String]
  /// Distance of the list from its normal position, in points: the distance of the pull, or the inset during a load.
  package var offset: Double
  /// The arrow beside the status text.
  package var arrow: PullToRefresh.Arrow
  /// Whether the spinner replaces the arrow.
  package var isAnimating: Bool
  /// The status text.
  package var status: String
  /// The last-updated line.
  package var lastUpdated: String
}

extension PullToRefreshFrame {
  /// Creates a frame from the current state of a model.
  ///
  /// - Parameters:
  ///   - pull: The list's model.
  ///   - title: The list's title.
  ///   - rows: The list's rows.
  ///   - distance: Distance of the current pull, in points.
  @MainActor
  package init(_ pull: PullToRefresh, title: String, rows: [String], pulledBy distance: Double) {
    self.init(
      title: title, rows: rows, offset: max(distance, pull.inset), arrow: pull.arrow,
      isAnimating: pull.isAnimating, status: pull.statusText, lastUpdated: pull.lastUpdatedText ?? "")
  }
}

extension TerminalFrames {
  /// Draws a list below the part of the header that the pull reveals: first the last update, then the status.
  ///
  /// A row is 20 points high, so that the inset during a load reveals three rows.
  package func lines(_ frame: PullToRefreshFrame, tick: Int) -> [String] {
    let room = height - 6
    let rows = (frame.offset / 20).rounded()
    let revealed = rows > 0 ? Int(min(rows, Double(room))) : 0
    var grid = window(title: frame.title, Array(repeating: "", count: revealed) + frame.rows)
    let mark = frame.isAnimating ? signs.spinner(tick) : signs.arrow(frame.arrow)
    let status = fitted(frame.status, to: width - 8)
    let date = fitted(frame.lastUpdated, to: width - 8)
    // Only the date is centred, and the status is aligned with it, so that nothing moves when the status changes.
    let column = min(
      max(2, (width - DisplayWidth.of(date) - 3) / 2), max(2, width - DisplayWidth.of(status) - 5))
    let header = [(1, "\(mark)  \(status)"), (0, "   \(date)")]
    for (above, text) in header where above < revealed - 1 {
      grid.write(text, row: 2 + revealed - 1 - above, column: column)
    }
    if revealed > 0 {
      let rule = String(repeating: signs.horizontal, count: max(0, width - 4))
      grid.write(rule, row: 2 + revealed, column: 2)
    }
    return grid.lines
  }
}

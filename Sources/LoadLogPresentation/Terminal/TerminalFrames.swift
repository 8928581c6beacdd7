import LoadLogCore
package import LoadLogText

/// Draws the five indicators as lines of text.
///
///     let frames = TerminalFrames(width: 80, height: 12, glyphs: .unicode)
///     let lines = frames.lines(VeilFrame(veil, title: "Reader", content: articles), tick: 7)
///
/// Each drawing is a pure function of a frame and of a tick, which determines the position of the spinner. It has
/// ``height`` lines of ``width`` cells and contains no escape sequences: control characters in texts are replaced by
/// visible ones, so texts do not have to be trusted.
///
/// ## Topics
///
/// - ``line(_:message:elapsed:median:tick:)``
/// - ``NetworkActivityFrame``
/// - ``ActivityOverlayFrame``
/// - ``VeilFrame``
/// - ``LoadingViewFrame``
/// - ``PullToRefreshFrame``
package struct TerminalFrames: Sendable, Hashable {
  /// Width of a drawing, in cells.
  package let width: Int
  /// Height of a drawing, in lines.
  package let height: Int
  /// The set of characters to draw with.
  package let glyphs: Glyphs

  /// Creates a renderer for one size.
  ///
  /// - Parameters:
  ///   - width: Width in cells, clamped to 8…1,000. Windows are designed for at least 40.
  ///   - height: Height in lines, clamped to 8…1,000.
  ///   - glyphs: The set of characters to draw with.
  package init(width: Int, height: Int = 12, glyphs: Glyphs = .unicode) {
    self.width = min(max(width, 8), 1000)
    self.height = min(max(height, 8), 1000)
    self.glyphs = glyphs
  }

  var signs: FrameSigns { glyphs == .unicode ? .unicode : .ascii }

  /// Makes a text safe for a terminal and cuts it to `width` cells.
  func fitted(_ text: String, to width: Int) -> String {
    glyphs.fitted(transliterated(VisibleText.line(text)), to: max(0, width))
  }

  /// Replaces the characters outside ASCII that labels and dates contain, such as an ellipsis or the narrow space
  /// before AM, if only ASCII can be shown.
  private func transliterated(_ text: String) -> String {
    guard glyphs != .unicode else { return text }
    return text.reduce(into: "") { result, character in
      switch character {
      case "…": result += glyphs.ellipsis
      case _ where character.isWhitespace: result += " "
      default: result.append(character)
      }
    }
  }

  /// Draws a window with a title and content, over which an indicator can be drawn.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - content: The lines of text.
  ///   - isShaded: Whether to replace the text with shading, because an indicator covers it.
  func window(title: String, _ content: [String], isShaded: Bool = false) -> CellGrid {
    var grid = CellGrid(width: width, height: height)
    panel(in: grid.bounds, of: &grid, title: title, content, isShaded: isShaded)
    return grid
  }

  /// Draws a box with a title and content.
  func panel(
    in area: CellGrid.Area, of grid: inout CellGrid, title: String, _ content: [String],
    isShaded: Bool = false
  ) {
    grid.box(area, corners: signs.corners, signs: signs)
    grid.rule(row: area.row + 2, in: area, signs: signs)
    let rows = area.row + 3..<max(area.row + 3, area.lastRow)
    for (row, text) in zip([area.row + 1] + rows, [title] + content) {
      let shown = fitted(text, to: area.width - 4)
      grid.write(isShaded ? shaded(shown) : shown, row: row, column: area.column + 2)
    }
  }

  private func shaded(_ text: String) -> String {
    text.reduce(into: "") { shaded, character in
      shaded +=
        character == " " ? " " : String(repeating: signs.shade, count: DisplayWidth.of(character))
    }
  }
}

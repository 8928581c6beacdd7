import LoadLogCore
@_exported public import LoadLogText

/// Draws the five indicators as lines of text.
///
///     let frames = TerminalFrames(width: 80, height: 12, glyphs: .unicode)
///     let lines = frames.lines(VeilFrame(title: "Reader", content: articles, message: "Saving…"), tick: 7)
///
/// Each frame is a plain value and each drawing a pure function of it and of a tick, which turns the spinner:
/// nothing is written anywhere, and no line holds an escape sequence. There are ``height`` lines, each ``width``
/// cells wide. Text may come from anywhere: what would act on a terminal is made visible.
///
/// ## Topics
///
/// - ``line(_:tick:)``
/// - ``ActivityFrame``
/// - ``NetworkActivityFrame``
/// - ``ActivityOverlayFrame``
/// - ``VeilFrame``
/// - ``LoadingViewFrame``
/// - ``PullToRefreshFrame``
public struct TerminalFrames: Sendable, Hashable {
  /// Cells of a line.
  public let width: Int
  /// Lines of a frame.
  public let height: Int
  /// The signs: ASCII where a terminal shows no others.
  public let glyphs: Glyphs

  /// Describes where to draw.
  ///
  /// - Parameters:
  ///   - width: the cells of a line, from 8 to 1,000; windows are made for 40 and more.
  ///   - height: the lines of a frame, from 8 to 1,000.
  ///   - glyphs: the signs.
  public init(width: Int, height: Int = 12, glyphs: Glyphs = .unicode) {
    self.width = min(max(width, 8), 1000)
    self.height = min(max(height, 8), 1000)
    self.glyphs = glyphs
  }

  var signs: FrameSigns { glyphs == .unicode ? .unicode : .ascii }

  /// A text as it is shown: nothing in it acts on the terminal, and it takes at most so many cells.
  func fitted(_ text: String, to width: Int) -> String {
    glyphs.fitted(spelled(VisibleText.line(text)), to: max(0, width))
  }

  /// What labels and dates have beyond ASCII – an ellipsis, the narrow space before AM – as ASCII where no more
  /// can be shown.
  private func spelled(_ text: String) -> String {
    guard glyphs != .unicode else { return text }
    return text.reduce(into: "") { spelled, character in
      switch character {
      case "…": spelled += glyphs.ellipsis
      case _ where character.isWhitespace: spelled += " "
      default: spelled.append(character)
      }
    }
  }

  /// A window with a title and content, for an indicator to be drawn over.
  ///
  /// - Parameter isShaded: something covers the content: it shows that something is there, not what.
  func window(_ title: String, _ content: [String], isShaded: Bool = false) -> CellGrid {
    var grid = CellGrid(width: width, height: height)
    panel(in: grid.bounds, of: &grid, title, content, isShaded: isShaded)
    return grid
  }

  /// Draws a box with a title and content.
  func panel(
    in area: CellGrid.Area, of grid: inout CellGrid, _ title: String, _ content: [String],
    isShaded: Bool = false
  ) {
    grid.box(area, signs.corners, signs)
    grid.rule(row: area.row + 2, in: area, signs)
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

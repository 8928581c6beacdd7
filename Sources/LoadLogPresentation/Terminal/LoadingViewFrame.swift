import LoadLogText

/// What a terminal shows of ``LoadingView``: one cover a tag, the newest in front.
public struct LoadingViewFrame: Sendable, Hashable {
  /// The title of what is covered.
  public var title: String
  /// The lines of what is covered.
  public var content: [String]
  /// The covers, oldest first.
  public var covers: [LoadingView.Cover]

  /// Describes a window with covers.
  public init(title: String, content: [String], covers: [LoadingView.Cover]) {
    self.title = title
    self.content = content
    self.covers = covers
  }

  /// What is to be seen of the covers now.
  @MainActor
  public init(_ view: LoadingView, title: String, content: [String]) {
    self.init(title: title, content: content, covers: view.isVisible ? view.covers : [])
  }
}

extension TerminalFrames {
  /// A window; over its shaded content a box a cover, each in front of the older ones and a little below them.
  public func lines(_ frame: LoadingViewFrame, tick: Int) -> [String] {
    var grid = window(frame.title, frame.content, isShaded: !frame.covers.isEmpty)
    let below = CellGrid.Area(row: 3, column: 0, width: width, height: height - 4)
    let shown = frame.covers.suffix((height - 5) / 2)
    let texts = shown.map { fitted($0.message ?? "", to: width - 12 - 2 * shown.count) }
    let widest = texts.map(DisplayWidth.of).max() ?? 0
    let middle = grid.centred(width: widest + 8, height: 3, in: below)
    for (offset, (cover, text)) in zip(shown, texts).enumerated() {
      let step = 2 * offset - (shown.count - 1)
      let box = CellGrid.Area(
        row: middle.row + step, column: middle.column + step, width: DisplayWidth.of(text) + 8, height: 3)
      grid.cover(box, in: grid.bounds, signs.roundCorners, signs)
      grid.write(" \(cover.tag) ", row: box.row, column: box.column + 2)
      grid.write("\(signs.spinner(tick))  \(text)", row: box.row + 1, column: box.column + 3)
    }
    return grid.lines
  }
}

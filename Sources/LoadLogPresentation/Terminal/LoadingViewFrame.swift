import LoadLogText

/// What a terminal shows of ``LoadingView``: one cover a tag, the newest in front.
public struct LoadingViewFrame: Sendable, Hashable {
  /// The cover of one tag.
  public struct Cover: Sendable, Hashable {
    /// What it is started and stopped by.
    public var tag: Int
    /// What it says.
    public var message: String
    /// How many stops it needs.
    public var depth: Int

    /// Describes a cover.
    public init(tag: Int, message: String, depth: Int = 1) {
      self.tag = tag
      self.message = message
      self.depth = depth
    }
  }

  /// The title of what is covered.
  public var title: String
  /// The lines of what is covered.
  public var content: [String]
  /// The covers, oldest first.
  public var covers: [Cover]

  /// Describes a window with covers.
  public init(title: String, content: [String], covers: [Cover]) {
    self.title = title
    self.content = content
    self.covers = covers
  }
}

extension TerminalFrames {
  /// A window; over its shaded content a box a cover, each in front of the older ones and a little below them.
  public func lines(_ frame: LoadingViewFrame, tick: Int) -> [String] {
    var grid = window(frame.title, frame.content, isShaded: !frame.covers.isEmpty)
    let below = CellGrid.Area(row: 3, column: 0, width: width, height: height - 4)
    let shown = frame.covers.suffix((height - 5) / 2)
    for (offset, cover) in shown.enumerated() {
      let step = 2 * offset - (shown.count - 1)
      let times = cover.depth > 1 ? "  \(glyphs.times)\(cover.depth)" : ""
      let room = width - 12 - DisplayWidth.of(times) - 2 * shown.count
      let text = fitted(cover.message, to: room) + times
      var box = grid.centred(width: DisplayWidth.of(text) + 8, height: 3, in: below)
      box.row += step
      box.column += step
      grid.cover(box, in: grid.bounds, signs.roundCorners, signs)
      grid.write(" \(cover.tag) ", row: box.row, column: box.column + 2)
      grid.write("\(signs.spinner(tick))  \(text)", row: box.row + 1, column: box.column + 3)
    }
    return grid.lines
  }
}

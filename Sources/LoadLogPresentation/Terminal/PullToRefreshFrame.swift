import LoadLogText

/// What a terminal shows of a ``PullToRefresh``: a list, and above it what a pull brings into sight.
public struct PullToRefreshFrame: Sendable, Hashable {
  /// Which way the arrow points.
  public enum Arrow: Sendable, Hashable {
    case down, up
  }

  /// The list's title.
  public var title: String
  /// The list's rows.
  public var rows: [String]
  /// How far the list stands below its place, in points: pulled there, or held there by the inset while loading.
  public var offset: Double
  /// The arrow; nil while it is hidden.
  public var arrow: Arrow?
  /// Whether the spinner turns in the arrow's place.
  public var isAnimating: Bool
  /// What to do, or what happens.
  public var status: String
  /// When the list was last updated.
  public var lastUpdated: String

  /// Describes a list that can be pulled.
  public init(
    title: String, rows: [String], offset: Double, arrow: Arrow?, isAnimating: Bool, status: String,
    lastUpdated: String
  ) {
    self.title = title
    self.rows = rows
    self.offset = offset
    self.arrow = arrow
    self.isAnimating = isAnimating
    self.status = status
    self.lastUpdated = lastUpdated
  }
}

extension TerminalFrames {
  /// A window with a list; as far as it is pulled down, status and last update come into sight above it, the
  /// last of them first. A row stands for 20 points, so that the inset while loading shows three of them.
  public func lines(_ frame: PullToRefreshFrame, tick: Int) -> [String] {
    let room = height - 6
    let rows = (frame.offset / 20).rounded()
    let revealed = rows > 0 ? Int(min(rows, Double(room))) : 0
    var grid = window(frame.title, Array(repeating: "", count: revealed) + frame.rows)
    let mark = frame.isAnimating ? signs.spinner(tick) : frame.arrow.map { $0 == .up ? signs.up : signs.down }
    let status = fitted(frame.status, to: width - 8)
    let date = fitted(frame.lastUpdated, to: width - 8)
    // Both start where the wider one does, so that the label does not jump about.
    let column = (width - max(DisplayWidth.of(status), DisplayWidth.of(date)) - 3) / 2
    let header = [(1, "\(mark ?? " ")  \(status)"), (0, "   \(date)")]
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

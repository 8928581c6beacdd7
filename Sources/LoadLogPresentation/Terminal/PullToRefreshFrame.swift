import LoadLogText

/// What a terminal shows of a ``PullToRefresh``: a list, and above it what a pull brings into sight.
public struct PullToRefreshFrame: Sendable, Hashable {
  /// The list's title.
  public var title: String
  /// The list's rows.
  public var rows: [String]
  /// How far the list stands below its place, in points: pulled there, or held there by the inset while loading.
  public var offset: Double
  /// The arrow.
  public var arrow: PullToRefreshStateMachine.Arrow
  /// Whether the spinner turns in the arrow's place.
  public var isAnimating: Bool
  /// What to do, or what happens.
  public var status: String
  /// When the list was last updated.
  public var lastUpdated: String

  /// Describes a list that can be pulled.
  public init(
    title: String, rows: [String], offset: Double, arrow: PullToRefreshStateMachine.Arrow, isAnimating: Bool,
    status: String,
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

  /// What is to be seen of a list now.
  ///
  /// - Parameters:
  ///   - pull: the list's model.
  ///   - title: the list's title.
  ///   - rows: the list's rows.
  ///   - distance: so many points a finger holds the list below its place.
  @MainActor
  public init(_ pull: PullToRefresh, title: String, rows: [String], pulledBy distance: Double) {
    self.init(
      title: title, rows: rows, offset: max(distance, pull.inset), arrow: pull.arrow,
      isAnimating: pull.isAnimating, status: pull.statusText, lastUpdated: pull.lastUpdatedText ?? "")
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
    let mark = frame.isAnimating ? signs.spinner(tick) : signs.arrow(frame.arrow)
    let status = fitted(frame.status, to: width - 8)
    let date = fitted(frame.lastUpdated, to: width - 8)
    // Both start where the date in the middle does: it stays the same while the label changes.
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

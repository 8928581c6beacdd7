import LoadLogText

/// What a terminal shows of an ``ActivityOverlay``: two panels, one of them covered.
public struct ActivityOverlayFrame: Sendable, Hashable {
  /// A part of the screen with a title.
  public struct Panel: Sendable, Hashable {
    /// Its title.
    public var title: String
    /// Its lines.
    public var content: [String]

    /// Describes a panel.
    public init(title: String, content: [String]) {
      self.title = title
      self.content = content
    }
  }

  /// The panel that the overlay belongs to.
  public var covered: Panel
  /// A panel that stays usable.
  public var usable: Panel
  /// The overlay's label, such as "Loading".
  public var label: String
  /// Whether the overlay is seen.
  public var isVisible: Bool
  /// Whether its spinner turns.
  public var isAnimating: Bool

  /// Describes two panels.
  public init(covered: Panel, usable: Panel, label: String, isVisible: Bool, isAnimating: Bool) {
    self.covered = covered
    self.usable = usable
    self.label = label
    self.isVisible = isVisible
    self.isAnimating = isAnimating
  }

  /// What is to be seen of an overlay now.
  @MainActor
  public init(_ overlay: ActivityOverlay, covered: Panel, usable: Panel) {
    self.init(
      covered: covered, usable: usable, label: overlay.label, isVisible: overlay.isVisible,
      isAnimating: overlay.isAnimating)
  }
}

extension TerminalFrames {
  /// Two panels side by side; over the left one label and spinner, in this order, while visible.
  public func lines(_ frame: ActivityOverlayFrame, tick: Int) -> [String] {
    var grid = CellGrid(width: width, height: height)
    let half = (width - 1) / 2
    let left = CellGrid.Area(row: 0, column: 0, width: half, height: height)
    let right = CellGrid.Area(row: 0, column: width - half, width: half, height: height)
    panel(in: left, of: &grid, frame.covered.title, frame.covered.content, isShaded: frame.isVisible)
    panel(in: right, of: &grid, frame.usable.title, frame.usable.content)
    if frame.isVisible {
      let label = fitted(frame.label, to: half - 10)
      let below = CellGrid.Area(row: 2, column: 0, width: half, height: height - 2)
      let box = grid.centred(width: DisplayWidth.of(label) + 6, height: 3, in: below)
      grid.cover(box, in: left, signs.roundCorners, signs)
      grid.write(label, row: box.row + 1, column: box.column + 2)
      grid.write(
        signs.spinner(frame.isAnimating ? tick : 0), row: box.row + 1, column: box.lastColumn - 2)
    }
    return grid.lines
  }
}

import LoadLogText

/// What a terminal shows of a ``Veil``: a box over everything, and that something is beneath it.
public struct VeilFrame: Sendable, Hashable {
  /// The title of what is veiled.
  public var title: String
  /// The lines of what is veiled.
  public var content: [String]
  /// What the box says; nil for nothing.
  public var message: String?
  /// Whether the veil is seen.
  public var isVisible: Bool
  /// Whether its spinner turns; one that does not is not seen.
  public var isAnimating: Bool

  /// Describes a window that may be veiled.
  public init(
    title: String, content: [String], message: String?, isVisible: Bool = true, isAnimating: Bool = true
  ) {
    self.title = title
    self.content = content
    self.message = message
    self.isVisible = isVisible
    self.isAnimating = isAnimating
  }

  /// What is to be seen of a veil now.
  @MainActor
  public init(_ veil: Veil, title: String, content: [String]) {
    self.init(
      title: title, content: content, message: veil.message, isVisible: veil.isVisible,
      isAnimating: veil.isAnimating)
  }
}

extension TerminalFrames {
  /// A window; while the veil is visible its content is shaded, and a box with the wrapped message and the
  /// spinner beneath it stands in the middle.
  public func lines(_ frame: VeilFrame, tick: Int) -> [String] {
    var grid = window(frame.title, frame.content, isShaded: frame.isVisible)
    guard frame.isVisible else { return grid.lines }
    // 30 cells are about as wide as the 240 points of OverlayLayout.
    let widest = min(30, width - 8)
    let rows = message(frame.message, wrappedAt: widest)
    let inner = max(rows.map(DisplayWidth.of).max() ?? 0, 7)
    let box = grid.centred(width: inner + 6, height: rows.count + 3, in: grid.bounds)
    grid.cover(box, in: grid.bounds, signs.roundCorners, signs)
    for (offset, row) in rows.enumerated() { grid.write(row, row: box.row + 1 + offset, centredIn: box) }
    if frame.isAnimating { grid.write(signs.spinner(tick), row: box.lastRow - 1, centredIn: box) }
    return grid.lines
  }

  /// The rows of a message, no more of them than fit above the spinner.
  private func message(_ message: String?, wrappedAt widest: Int) -> [String] {
    guard let message else { return [] }
    let rows = message.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      WordWrap.lines(fitted(String($0), to: .max), width: widest)
    }
    let room = height - 5
    guard rows.count > room else { return rows }
    return rows.prefix(room - 1) + [glyphs.fitted(rows[room - 1] + glyphs.ellipsis, to: widest)]
  }
}

import LoadLogText

/// What a terminal shows of a ``NetworkActivityIndicator``: a status bar with a spinner and the count.
public struct NetworkActivityFrame: Sendable, Hashable {
  /// Stands on the left of the status bar.
  public var title: String
  /// What is below it.
  public var content: [String]
  /// Whether the spinner is seen.
  public var isVisible: Bool
  /// Open pushes.
  public var count: Int

  /// Describes a status bar.
  public init(title: String, content: [String] = [], isVisible: Bool, count: Int) {
    self.title = title
    self.content = content
    self.isVisible = isVisible
    self.count = count
  }

  /// What is to be seen of an indicator now.
  @MainActor
  public init(_ indicator: NetworkActivityIndicator, title: String, content: [String] = []) {
    self.init(title: title, content: content, isVisible: indicator.isVisible, count: indicator.count)
  }
}

extension TerminalFrames {
  /// A window whose title bar has a spinner while it is visible, and the count.
  public func lines(_ frame: NetworkActivityFrame, tick: Int) -> [String] {
    var grid = window(frame.title, frame.content)
    let state = "\(frame.count) loading \(frame.isVisible ? signs.spinner(tick) : " ")"
    grid.write("  " + state, row: 1, column: width - 4 - DisplayWidth.of(state))
    return grid.lines
  }
}

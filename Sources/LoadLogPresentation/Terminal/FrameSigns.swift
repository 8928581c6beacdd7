import LoadLogText

/// The signs that frames are drawn with.
struct FrameSigns: Sendable {
  /// The turns of the spinner; the first is also the spinner at rest.
  let turns: [String]
  /// Done and to do of a progress bar.
  let full: String, empty: String
  /// Lines of boxes, and the rule that hangs between two of their sides.
  let horizontal: String, vertical: String, left: String, right: String
  /// Top left, top right, bottom left, bottom right: of a window, and of a box with round corners.
  let corners: [String], roundCorners: [String]
  /// Content behind a cover.
  let shade: String
  /// Pull, and let go.
  let down: String, up: String

  func spinner(_ tick: Int) -> String { turns[Int(tick.magnitude % UInt(turns.count))] }

  func arrow(_ arrow: PullToRefreshStateMachine.Arrow) -> String {
    switch arrow {
    case .down: down
    case .up: up
    case .hidden: " "
    }
  }

  static let unicode = FrameSigns(
    turns: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"], full: "█", empty: "░",
    horizontal: "─", vertical: "│", left: "├", right: "┤", corners: ["┌", "┐", "└", "┘"],
    roundCorners: ["╭", "╮", "╰", "╯"], shade: "·", down: "↓", up: "↑")

  static let ascii = FrameSigns(
    turns: ["|", "/", "-", "\\"], full: "#", empty: "-",
    horizontal: "-", vertical: "|", left: "+", right: "+", corners: ["+", "+", "+", "+"],
    roundCorners: [".", ".", "'", "'"], shade: ":", down: "v", up: "^")
}

import LoadLogText

/// The characters that frames are drawn with.
struct FrameSigns: Sendable {
  /// The animation of the spinner; a spinner that does not turn shows the first one.
  let spinnerPhases: [String]
  /// The completed and the remaining part of a progress bar.
  let full: String, empty: String
  /// The lines of a box, and the ends of a horizontal line across it.
  let horizontal: String, vertical: String, left: String, right: String
  /// Top left, top right, bottom left and bottom right corner: of a window, and of a box with round corners.
  let corners: [String], roundCorners: [String]
  /// Replaces each cell of text below a cover.
  let shade: String
  /// The arrows before and after a pull reaches the threshold.
  let down: String, up: String

  func spinner(_ tick: Int) -> String { spinnerPhases[Int(tick.magnitude % UInt(spinnerPhases.count))] }

  func arrow(_ arrow: PullToRefresh.Arrow) -> String {
    switch arrow {
    case .down: down
    case .up: up
    case .hidden: " "
    }
  }

  static let unicode = FrameSigns(
    spinnerPhases: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"], full: "█", empty: "░",
    horizontal: "─", vertical: "│", left: "├", right: "┤", corners: ["┌", "┐", "└", "┘"],
    roundCorners: ["╭", "╮", "╰", "╯"], shade: "·", down: "↓", up: "↑")

  static let ascii = FrameSigns(
    spinnerPhases: ["|", "/", "-", "\\"], full: "#", empty: "-",
    horizontal: "-", vertical: "|", left: "+", right: "+", corners: ["+", "+", "+", "+"],
    roundCorners: [".", ".", "'", "'"], shade: ":", down: "v", up: "^")
}

public import Foundation

extension OverlayLayout {
  /// The frames of the parts of an ``ActivityOverlay``.
  public struct ActivityOverlayFrames: Sendable, Equatable {
    /// The container of the label and the spinner, centred in the panel.
    public let container: CGRect
    /// The label, in the coordinates of the container.
    public let label: CGRect
    /// The spinner to the right of the label, in the coordinates of the container.
    public let spinner: CGRect
  }

  /// Lays out a label and a spinner side by side, centred in the bounds. The sizes do not depend on the text, so
  /// nothing moves when it changes.
  public func activityOverlay() -> ActivityOverlayFrames {
    ActivityOverlayFrames(
      container: centred(CGSize(width: 110, height: 30)),
      label: CGRect(x: 0, y: 3, width: 70, height: 25),
      spinner: CGRect(x: 80, y: 0, width: 30, height: 30))
  }
}

public import Foundation

extension OverlayLayout {
  /// Where the parts of an ``ActivityOverlay`` stand.
  public struct ActivityOverlayFrames: Sendable, Equatable {
    /// Holds both, in the middle of the panel.
    public let container: CGRect
    /// The label, in the container.
    public let label: CGRect
    /// The spinner, in the container, right of the label.
    public let spinner: CGRect
  }

  /// A label and a spinner side by side in the middle of a panel. Their sizes do not depend on the text, so
  /// that nothing moves when it changes.
  public func activityOverlay() -> ActivityOverlayFrames {
    ActivityOverlayFrames(
      container: centred(CGSize(width: 110, height: 30)),
      label: CGRect(x: 0, y: 3, width: 70, height: 25),
      spinner: CGRect(x: 80, y: 0, width: 30, height: 30))
  }
}

public import Foundation

#if canImport(CoreGraphics)
  import CoreGraphics
#endif

extension OverlayLayout {
  /// The form of an ``ActivityOverlay``.
  public enum ActivityOverlayForm: Sendable, Hashable {
    /// The spinner to the right of the label: 110 × 30 points.
    case row
    /// The spinner above the label: a box of 110 × 75 points with round corners.
    case column
  }

  /// The frames of the parts of an ``ActivityOverlay``.
  public struct ActivityOverlayFrames: Sendable, Equatable {
    /// The container of the label and the spinner, centred in the panel.
    public let container: CGRect
    /// The label, in the coordinates of the container.
    public let label: CGRect
    /// The spinner, in the coordinates of the container.
    public let spinner: CGRect
    /// The radius of the container's corners, in points.
    public let cornerRadius: CGFloat
  }

  /// Lays out a label and a spinner, centred in the bounds. The sizes do not depend on the text, so nothing moves when
  /// it changes.
  public func activityOverlay(_ form: ActivityOverlayForm = .row) -> ActivityOverlayFrames {
    switch form {
    case .row:
      return ActivityOverlayFrames(
        container: centred(CGSize(width: 110, height: 30)),
        label: CGRect(x: 0, y: 3, width: 70, height: 25),
        spinner: CGRect(x: 80, y: 0, width: 30, height: 30), cornerRadius: 0)
    case .column:
      let (frame, origin) = box(for: CGSize(width: 110, height: 75))
      return ActivityOverlayFrames(
        container: frame,
        label: CGRect(x: origin.x + 8, y: origin.y + 42, width: 94, height: 25),
        spinner: CGRect(x: origin.x + 40, y: origin.y + 8, width: 30, height: 30), cornerRadius: 8)
    }
  }
}

public import Foundation

#if canImport(CoreGraphics)
  import CoreGraphics
#endif

extension OverlayLayout {
  /// The frames of the parts of a ``LoadingView``.
  public struct LoadingViewFrames: Sendable, Equatable {
    /// The spinner, in the coordinates of the covered view.
    public let spinner: CGRect
    /// The message to the right of the spinner, in the coordinates of the covered view.
    public let label: CGRect
  }

  /// Lays out a spinner and a message on one line, centred in the bounds as a group.
  ///
  /// If the message is wider than the bounds, its frame is narrower than the text, and the label must truncate it.
  ///
  /// - Parameters:
  ///   - spinner: The size of the spinner.
  ///   - text: Measures the message on one line; called with an infinite width limit.
  public func loadingView(spinner: CGSize, text: TextSize) -> LoadingViewFrames {
    let gap: CGFloat = 15
    let wanted = text(.infinity)
    let label = CGSize(
      width: max(0, min(wanted.width, bounds.width - spinner.width - gap)), height: wanted.height)
    let group = centred(
      CGSize(width: spinner.width + gap + label.width, height: max(spinner.height, label.height)))
    return LoadingViewFrames(
      spinner: CGRect(origin: CGPoint(x: group.minX, y: group.midY - spinner.height / 2), size: spinner),
      label: CGRect(
        origin: CGPoint(x: group.minX + spinner.width + gap, y: group.midY - label.height / 2), size: label))
  }
}

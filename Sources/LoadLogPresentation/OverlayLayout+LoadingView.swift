public import Foundation

extension OverlayLayout {
  /// Where the parts of a ``LoadingView`` stand.
  public struct LoadingViewFrames: Sendable, Equatable {
    /// The spinner, in what is covered.
    public let spinner: CGRect
    /// The message, in what is covered, right of the spinner.
    public let label: CGRect
  }

  /// A spinner and a message on one line, as a group in the middle.
  ///
  /// A message that is too long for the bounds is left to the label to cut.
  ///
  /// - Parameters:
  ///   - spinner: its size.
  ///   - text: measures the message on one line; its limit is infinite.
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

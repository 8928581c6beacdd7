public import Foundation

#if canImport(CoreGraphics)
  import CoreGraphics
#endif

extension OverlayLayout {
  /// The frames of the parts of a ``Veil``.
  public struct VeilFrames: Sendable, Equatable {
    /// The box, centred, in the coordinates of the covered view.
    public let box: CGRect
    /// The message, in the coordinates of the box.
    public let text: CGRect
    /// The spinner, centred below the message, in the coordinates of the box.
    public let spinner: CGRect

    /// The radius of the box's corners, in points.
    public static let cornerRadius: CGFloat = 10
  }

  /// Lays out a centred box with a wrapped message and a spinner below it.
  ///
  /// The message wraps at 240 points, or earlier if the bounds are narrower. If the message is too tall for the
  /// bounds, its frame is shorter than the text, so that the spinner stays visible, and the label must truncate it.
  ///
  /// - Parameters:
  ///   - spinner: The size of the spinner.
  ///   - text: Measures the message; returns zero if there is no message.
  public func veil(spinner: CGSize, text: TextSize) -> VeilFrames {
    let margin: CGFloat = 10
    let widest = max(0, min(240, bounds.width - 2 * margin))
    let highest = max(0, bounds.height - spinner.height - 3 * margin)
    let wanted = text(widest)
    let message = CGSize(width: min(wanted.width, widest), height: min(wanted.height, highest))
    let inner = max(message.width, spinner.width)
    let (frame, origin) = box(
      for: CGSize(width: inner + 2 * margin, height: message.height + spinner.height + 3 * margin))
    return VeilFrames(
      box: frame,
      text: CGRect(
        x: (frame.width - message.width) / 2, y: origin.y + margin, width: message.width,
        height: message.height),
      spinner: CGRect(
        x: (frame.width - spinner.width) / 2, y: origin.y + message.height + 2 * margin, width: spinner.width,
        height: spinner.height))
  }
}

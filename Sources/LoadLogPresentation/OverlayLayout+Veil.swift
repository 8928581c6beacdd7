public import Foundation

extension OverlayLayout {
  /// Where the parts of a ``Veil`` stand.
  public struct VeilFrames: Sendable, Equatable {
    /// The box, in the middle of what is covered.
    public let box: CGRect
    /// The message, in the box.
    public let text: CGRect
    /// The spinner, in the box, centred beneath the message.
    public let spinner: CGRect

    /// The radius of the box's corners, in points.
    public static let cornerRadius: CGFloat = 10
  }

  /// A box in the middle with a wrapped message and a spinner beneath it.
  ///
  /// The message is wrapped at 240 points, or earlier if the bounds are too narrow for that; what is too high
  /// for the bounds is left to the label to cut, so that the spinner stays in sight.
  ///
  /// - Parameters:
  ///   - spinner: its size.
  ///   - text: measures the message; of an absent message the size is zero.
  public func veil(spinner: CGSize, text: TextSize) -> VeilFrames {
    let margin: CGFloat = 10
    let widest = max(0, min(240, bounds.width - 2 * margin))
    let highest = max(0, bounds.height - spinner.height - 3 * margin)
    let wanted = text(widest)
    let message = CGSize(width: min(wanted.width, widest), height: min(wanted.height, highest))
    let inner = max(message.width, spinner.width)
    let box = CGSize(width: inner + 2 * margin, height: message.height + spinner.height + 3 * margin)
    return VeilFrames(
      box: centred(box),
      text: CGRect(
        x: margin + (inner - message.width) / 2, y: margin, width: message.width, height: message.height),
      spinner: CGRect(
        x: (box.width - spinner.width) / 2, y: message.height + 2 * margin, width: spinner.width,
        height: spinner.height))
  }
}

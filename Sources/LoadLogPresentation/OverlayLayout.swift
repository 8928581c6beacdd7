public import Foundation

/// Computes the frames of an indicator's parts from their sizes, in any orientation.
///
///     let layout = OverlayLayout(bounds: view.bounds.size)
///     let frames = layout.veil(spinner: spinner.intrinsicContentSize) { width in
///       label.sizeThatFits(CGSize(width: width, height: .infinity))
///     }
///
/// Lengths are points. Origins are not rounded to whole points; the view rounds them to its pixels. Each frame is in
/// the coordinates of the view that contains the part.
///
/// ## Topics
///
/// - ``activityOverlay()``
/// - ``veil(spinner:text:)``
/// - ``loadingView(spinner:text:)``
public struct OverlayLayout: Sendable, Equatable {
  /// Measures a text that is at most `widthLimit` points wide.
  public typealias TextSize = (_ widthLimit: CGFloat) -> CGSize

  /// The size of the covered view.
  public let bounds: CGSize

  /// Creates a layout for a covered view of the given size.
  public init(bounds: CGSize) { self.bounds = bounds }

  /// A rectangle of the given size, centred in the bounds.
  func centred(_ size: CGSize) -> CGRect {
    CGRect(
      x: (bounds.width - size.width) / 2, y: (bounds.height - size.height) / 2, width: size.width,
      height: size.height)
  }
}

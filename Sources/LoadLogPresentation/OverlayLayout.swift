public import Foundation

/// Where the parts of an indicator stand: sizes in, frames out, for any orientation.
///
///     let layout = OverlayLayout(bounds: view.bounds.size)
///     let frames = layout.veil(spinner: spinner.intrinsicContentSize) { width in
///       label.sizeThatFits(CGSize(width: width, height: .infinity))
///     }
///
/// Lengths are points. Origins may lie between whole points; the view rounds them to its pixels. A rectangle is
/// told in the coordinates of what encloses it.
///
/// ## Topics
///
/// - ``activityOverlay()``
/// - ``veil(spinner:text:)``
/// - ``loadingView(spinner:text:)``
public struct OverlayLayout: Sendable, Equatable {
  /// Tells how large a text is if it may be so wide.
  public typealias TextSize = (_ widthLimit: CGFloat) -> CGSize

  /// The size of what is covered.
  public let bounds: CGSize

  /// Lays out over something of a size.
  public init(bounds: CGSize) { self.bounds = bounds }

  /// A rectangle of a size in the middle of the bounds.
  func centred(_ size: CGSize) -> CGRect {
    CGRect(
      x: (bounds.width - size.width) / 2, y: (bounds.height - size.height) / 2, width: size.width,
      height: size.height)
  }
}

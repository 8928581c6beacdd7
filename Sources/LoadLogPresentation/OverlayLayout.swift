public import Foundation

#if canImport(CoreGraphics)
  import CoreGraphics
#endif

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
/// - ``activityOverlay(_:)``
/// - ``veil(spinner:text:)``
/// - ``loadingView(spinner:text:)``
/// - ``pullHeader()``
public struct OverlayLayout: Sendable, Equatable {
  /// Measures a text that is at most `widthLimit` points wide.
  public typealias TextSize = (_ widthLimit: CGFloat) -> CGSize

  /// The size of the covered view.
  public let bounds: CGSize

  /// Whether the boxes of veils and of columns are square, if they fit into the bounds as squares.
  public let hasSquareBoxes: Bool

  /// Creates a layout for a covered view of the given size.
  public init(bounds: CGSize, hasSquareBoxes: Bool = false) {
    self.bounds = bounds
    self.hasSquareBoxes = hasSquareBoxes
  }

  /// A centred box for content of the given size, and the origin of the content in the box.
  func box(for content: CGSize) -> (frame: CGRect, origin: CGPoint) {
    let side = max(content.width, content.height)
    let isSquare = hasSquareBoxes && side <= min(bounds.width, bounds.height)
    let size = isSquare ? CGSize(width: side, height: side) : content
    let origin = CGPoint(x: (size.width - content.width) / 2, y: (size.height - content.height) / 2)
    return (centred(size), origin)
  }

  /// A rectangle of the given size, centred in the bounds.
  func centred(_ size: CGSize) -> CGRect {
    CGRect(
      x: (bounds.width - size.width) / 2, y: (bounds.height - size.height) / 2, width: size.width,
      height: size.height)
  }
}

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
  private func box(for content: CGSize) -> (frame: CGRect, origin: CGPoint) {
    let side = max(content.width, content.height)
    let isSquare = hasSquareBoxes && side <= min(bounds.width, bounds.height)
    let size = isSquare ? CGSize(width: side, height: side) : content
    let origin = CGPoint(x: (size.width - content.width) / 2, y: (size.height - content.height) / 2)
    return (centred(size), origin)
  }

  /// A rectangle of the given size, centred in the bounds.
  private func centred(_ size: CGSize) -> CGRect {
    CGRect(
      x: (bounds.width - size.width) / 2, y: (bounds.height - size.height) / 2, width: size.width,
      height: size.height)
  }
}

// MARK: - Activity overlay

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

// MARK: - Veil

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

// MARK: - Loading view

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

// MARK: - Pull header

extension OverlayLayout {
  /// The frames of the parts of a ``PullToRefresh``'s header, in the coordinates of the list. The header is directly
  /// above the list, so its origins are negative.
  public struct PullHeaderFrames: Sendable, Equatable {
    /// The arrow.
    public let arrow: CGRect
    /// The spinner, which replaces the arrow during loads.
    public let spinner: CGRect
    /// The status text, to be centred in its frame.
    public let status: CGRect
    /// The last-updated line below the status text, to be centred in its frame.
    public let lastUpdated: CGRect
  }

  /// Lays out the header of a list that is as wide as the bounds.
  public func pullHeader() -> PullHeaderFrames {
    PullHeaderFrames(
      arrow: CGRect(x: 25, y: -65, width: 30, height: 55),
      spinner: CGRect(x: 25, y: -38, width: 20, height: 20),
      status: CGRect(x: 0, y: -48, width: bounds.width, height: 20),
      lastUpdated: CGRect(x: 0, y: -30, width: bounds.width, height: 20))
  }
}

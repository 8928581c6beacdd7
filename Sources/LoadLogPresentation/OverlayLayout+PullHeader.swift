public import Foundation

#if canImport(CoreGraphics)
  import CoreGraphics
#endif

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

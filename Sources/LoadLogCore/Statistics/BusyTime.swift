/// Busy time and peak depth over a window.
public struct BusyTime: Sendable, Hashable {
  /// How long at least one load was open, in nanoseconds.
  public var busy: Int64
  /// The most loads open at one instant.
  public var peakDepth: Int
  /// Rows of the window were pruned: the numbers of whole UTC days stand in for them.
  public var isApproximate: Bool

  /// Creates a busy time; by default never busy.
  public init(busy: Int64 = 0, peakDepth: Int = 0, isApproximate: Bool = false) {
    self.busy = busy
    self.peakDepth = peakDepth
    self.isApproximate = isApproximate
  }

  /// Adds the part of a span that lies within a window. All times are wall times in nanoseconds.
  public mutating func add(_ span: DepthSweep.Span, within window: Range<Int64>) {
    let (start, end) = (max(span.start, window.lowerBound), min(span.end, window.upperBound))
    guard start < end else { return }
    // Only a damaged record holds intervals of centuries.
    busy = busy.addingClamping(end.subtractingClamping(start))
    peakDepth = max(peakDepth, span.open.count)
  }

  /// Adds the busy time of another window that shares no instant with this one.
  public mutating func merge(_ other: BusyTime) {
    busy = busy.addingClamping(other.busy)
    peakDepth = max(peakDepth, other.peakDepth)
    isApproximate = isApproximate || other.isApproximate
  }
}

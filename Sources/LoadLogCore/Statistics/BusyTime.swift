/// Busy time and peak depth over a window.
public struct BusyTime: Sendable, Hashable {
  /// The time during which at least one load was open, in nanoseconds.
  public var busy: Int64
  /// The maximum number of loads open at the same time.
  public var peakDepth: Int
  /// Whether loads of the window were pruned, so that the numbers of whole UTC days replace them.
  public var isApproximate: Bool

  /// Creates a busy time; by default 0.
  public init(busy: Int64 = 0, peakDepth: Int = 0, isApproximate: Bool = false) {
    self.busy = busy
    self.peakDepth = peakDepth
    self.isApproximate = isApproximate
  }

  /// Adds the part of a span that is within a window. All times are wall times in nanoseconds.
  package mutating func add(_ span: DepthSweep.Span, within window: Range<Int64>) {
    let (start, end) = (max(span.start, window.lowerBound), min(span.end, window.upperBound))
    guard start < end else { return }
    // A damaged record can contain intervals that overflow.
    busy = busy.addingClamping(end.subtractingClamping(start))
    peakDepth = max(peakDepth, span.depth)
  }

  /// Adds the busy time of another window that does not overlap this one.
  public mutating func merge(_ other: BusyTime) {
    busy = busy.addingClamping(other.busy)
    peakDepth = max(peakDepth, other.peakDepth)
    isApproximate = isApproximate || other.isApproximate
  }
}

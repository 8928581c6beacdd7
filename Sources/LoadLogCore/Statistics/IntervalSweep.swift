/// Takes half-open intervals in the order of their starts and tells how long at least one was open, and
/// how many were open at once at most.
///
/// At one instant ends come before starts; an interval without length is never open.
public struct IntervalSweep: Sendable {
  private let window: Range<Int64>
  /// Ends of the intervals that are still open at the last start, greatest first.
  private var openEnds: [Int64] = []
  private var coveredUntil = Int64.min

  /// The length of the union of all intervals, clipped to the window; same unit as the intervals.
  public private(set) var busy: Int64 = 0
  /// The most intervals open at one instant of the window.
  public private(set) var peakDepth = 0

  /// Makes a sweep that clips to a window.
  public init(window: Range<Int64> = .min ..< .max) { self.window = window }

  /// Adds an interval; its start must not be before the last one's.
  public mutating func add(from start: Int64, to end: Int64) {
    let start = max(start, window.lowerBound)
    let end = min(end, window.upperBound)
    guard start < end else { return }
    while let first = openEnds.last, first <= start { openEnds.removeLast() }
    openEnds.insert(end, at: insertionPoint(of: end))
    peakDepth = max(peakDepth, openEnds.count)
    let uncovered = max(start, coveredUntil)
    if uncovered < end {
      // Only a damaged record holds intervals of centuries.
      let (added, overflow) = end.subtractingReportingOverflow(uncovered)
      let (sum, sumOverflow) = busy.addingReportingOverflow(overflow ? .max : added)
      busy = sumOverflow ? .max : sum
    }
    coveredUntil = max(coveredUntil, end)
  }

  private func insertionPoint(of end: Int64) -> Int {
    var (low, high) = (0, openEnds.count)
    while low < high {
      let middle = (low + high) / 2
      if openEnds[middle] > end { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Sweeps over intervals, ordered by start, and reports each span during which the same intervals are open.
///
/// At the same instant, ends come before starts; an empty interval is never open.
package struct DepthSweep {
  /// The time during which something is open.
  package struct Interval {
    /// The start of the interval.
    package var start: Int64
    /// The end of the interval, which is not included; `Int64.max` if it has none.
    package var end: Int64

    package init(start: Int64, end: Int64) {
      self.start = start
      self.end = end
    }
  }

  /// A span of time during which the same intervals, at least one, are open.
  package struct Span {
    /// The start of the span.
    package let start: Int64
    /// The end of the span, which is not included.
    package let end: Int64
    /// The number of open intervals.
    package let depth: Int
  }

  /// The time up to which spans were reported.
  private var position = Int64.min
  /// The ends of the intervals that are open at the position, latest first.
  private var ends: [Int64] = []

  package init() {}

  /// Adds an interval, which must not start before the position.
  package mutating func add(_ interval: Interval, report: (Span) -> Void) {
    advance(to: interval.start, report: report)
    guard interval.start < interval.end else { return }
    // Insert after equal ends: then adding many intervals without an end moves no others.
    ends.insert(interval.end, at: ends.partitioningIndex { $0 < interval.end })
  }

  /// Reports the spans up to a time; does nothing if the position is later.
  package mutating func advance(to time: Int64, report: (Span) -> Void) {
    while position < time, let next = ends.last {
      let end = min(next, time)
      if position < end { report(Span(start: position, end: end, depth: ends.count)) }
      position = max(position, end)
      while let last = ends.last, last <= position { ends.removeLast() }
    }
    position = max(position, time)
  }
}

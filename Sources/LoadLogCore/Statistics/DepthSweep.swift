/// Sweeps over intervals, ordered by start, and reports each span during which the same intervals are open.
///
/// At the same instant, ends come before starts; an empty interval is never open. A sweep can be paused and
/// resumed, because its state consists of its position and the intervals that are open there.
package struct DepthSweep: Sendable, Hashable {
  /// An open interval.
  package struct Open: Sendable, Hashable {
    /// A number by which the caller recognizes the interval.
    package var key: Int64
    /// The start of the interval.
    package var start: Int64
    /// The end of the interval, which is not included; `Int64.max` if it has none.
    package var end: Int64

    /// Creates an open interval.
    package init(key: Int64, start: Int64, end: Int64) {
      self.key = key
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
    /// The open intervals, ordered by end, latest first.
    package let open: [Open]
  }

  /// The time up to which spans were reported.
  package private(set) var position: Int64
  /// The intervals that are open at the position, ordered by end, latest first.
  package private(set) var open: [Open]

  /// Creates a sweep at a position.
  package init(position: Int64 = .min, open: [Open] = []) {
    self.position = position
    self.open = open.filter { $0.end > position }.sorted { $0.end > $1.end }
  }

  /// Adds an interval, which must not start before the position.
  package mutating func add(_ interval: Open, report: (Span) -> Void) {
    advance(to: interval.start, report: report)
    guard interval.start < interval.end else { return }
    // Insert after intervals with the same end: then adding many intervals without an end moves no others.
    open.insert(interval, at: open.partitioningIndex { $0.end < interval.end })
  }

  /// Reports the spans up to a time; does nothing if the position is later.
  package mutating func advance(to time: Int64, report: (Span) -> Void) {
    while position < time, let next = open.last {
      let end = min(next.end, time)
      if position < end { report(Span(start: position, end: end, open: open)) }
      position = max(position, end)
      while let last = open.last, last.end <= position { open.removeLast() }
    }
    position = max(position, time)
  }
}

/// Takes intervals in the order of their starts and tells, span by span, how many are open.
///
/// At one instant ends come before starts; an interval without length is never open. A sweep may be kept and
/// go on later: what it needs to know of the past is where it stands and what is open there.
public struct DepthSweep: Sendable, Hashable {
  /// An interval that has begun.
  public struct Open: Sendable, Hashable {
    /// Which one, in its maker's numbers.
    public var key: Int64
    /// Its start.
    public var start: Int64
    /// Its end; `Int64.max` while it has none.
    public var end: Int64

    /// Makes an open interval.
    public init(key: Int64, start: Int64, end: Int64) {
      self.key = key
      self.start = start
      self.end = end
    }
  }

  /// A stretch of time over which the same intervals, at least one, are open.
  public struct Span {
    /// Where it begins.
    public let start: Int64
    /// Where it ends, itself not included.
    public let end: Int64
    /// What is open, those that end last first.
    public let open: [Open]
  }

  /// All before this is told.
  public private(set) var position: Int64
  /// What is open at the position, those that end last first.
  public private(set) var open: [Open]

  /// Begins a sweep.
  public init(position: Int64 = .min, open: [Open] = []) {
    self.position = position
    self.open = open.filter { $0.end > position }.sorted { $0.end > $1.end }
  }

  /// Adds an interval. Its start must not be before the position.
  public mutating func add(_ interval: Open, tell: (Span) -> Void) {
    advance(to: interval.start, tell: tell)
    guard interval.start < interval.end else { return }
    var (low, high) = (0, open.count)
    while low < high {
      let middle = (low + high) / 2
      // Behind its equals: of many that have no end the next needs not be moved to make room.
      if open[middle].end >= interval.end { low = middle + 1 } else { high = middle }
    }
    open.insert(interval, at: low)
  }

  /// Goes on to a time; does nothing if it is past that.
  public mutating func advance(to time: Int64, tell: (Span) -> Void) {
    while position < time, let next = open.last {
      let end = min(next.end, time)
      if position < end { tell(Span(start: position, end: end, open: open)) }
      position = max(position, end)
      while let last = open.last, last.end <= position { open.removeLast() }
    }
    position = max(position, time)
  }
}

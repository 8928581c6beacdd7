import LoadLogCore

/// An order of the feeds in `status`. Feeds that are equal in it are in the order of their names.
public enum StatusOrder: String, Sendable, Hashable, CaseIterable {
  /// Most recently updated first, feeds that were never updated last.
  case updated
  /// Most loads first.
  case loads
  /// Most failed loads first.
  case failed
  /// Largest 95th percentile first, as the table shows it; feeds without one last.
  case p95
  /// By name.
  case name

  /// Whether a feed comes before another one.
  func precedes(_ feed: FeedStatus, _ other: FeedStatus) -> Bool {
    let (value, otherValue) = (value(of: feed), value(of: other))
    return value == otherValue ? feed.feed < other.feed : value > otherValue
  }

  private func value(of feed: FeedStatus) -> Double {
    switch self {
    case .updated: feed.dates.lastUpdated.map(Double.init) ?? -.infinity
    case .loads: Double(feed.numbers.loads)
    case .failed: Double(feed.numbers.failed)
    case .p95: feed.numbers.typicalDuration?.p95 ?? -.infinity
    case .name: 0
    }
  }
}

import Metrics
import Synchronization

/// The metrics of loads: one set for all feeds or, with the feed's name as a dimension, one set per feed.
final class LoadMeters: Sendable {
  struct Meters {
    let loads: Counter
    let failures: Counter
    let unbalanced: Counter
    let duration: Metrics.Timer
    let depth: Gauge

    init(feed name: String?) {
      let dimensions = name.map { [("feed", $0)] } ?? []
      loads = Counter(label: "loadlog_loads", dimensions: dimensions)
      failures = Counter(label: "loadlog_failures", dimensions: dimensions)
      unbalanced = Counter(label: "loadlog_unbalanced", dimensions: dimensions)
      duration = Metrics.Timer(label: "loadlog_duration", dimensions: dimensions)
      depth = Gauge(label: "loadlog_depth", dimensions: dimensions)
    }
  }

  /// Maximum number of feeds whose metrics are kept.
  private static let mostFeeds = 4096

  /// The metrics of all feeds, or of what concerns no single one.
  private let all: Meters
  private let byFeed: Bool
  private let feeds = Mutex<[Feed: Meters]>([:])

  init(byFeed: Bool) {
    self.byFeed = byFeed
    // Prometheus requires the same dimensions of all metrics with the same name; swift-prometheus traps otherwise.
    all = Meters(feed: byFeed ? "" : nil)
  }

  /// The metrics that a feed's loads count for.
  subscript(feed: Feed?) -> Meters {
    guard byFeed, let feed else { return all }
    return feeds.withLock { feeds in
      if let known = feeds[feed] { return known }
      if feeds.count >= Self.mostFeeds { feeds = [:] }
      let meters = Meters(feed: feed.name)
      feeds[feed] = meters
      return meters
    }
  }

  /// Records the depth of each changed feed, or of all feeds together, once.
  ///
  /// - Parameter changed: the feeds; nil for an event that may have changed several, such as a close.
  func noteDepths(of changed: some Sequence<Feed?>, _ depth: (Feed?) -> Int) {
    guard byFeed else { return all.depth.record(depth(nil)) }
    var changed = Set(changed)
    if changed.remove(nil) != nil { changed.formUnion(feeds.withLock { $0.keys.map(Optional.some) }) }
    for feed in changed { self[feed].depth.record(depth(feed)) }
  }
}

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

    init(_ feed: Feed?) {
      let dimensions = feed.map { [("feed", $0.name)] } ?? []
      loads = Counter(label: "loadlog_loads", dimensions: dimensions)
      failures = Counter(label: "loadlog_failures", dimensions: dimensions)
      unbalanced = Counter(label: "loadlog_unbalanced", dimensions: dimensions)
      duration = Metrics.Timer(label: "loadlog_duration", dimensions: dimensions)
      depth = Gauge(label: "loadlog_depth", dimensions: dimensions)
    }
  }

  /// Maximum number of feeds whose metrics are kept.
  private static let mostFeeds = 4096

  private let all = Meters(nil)
  private let byFeed: Bool
  private let feeds = Mutex<[Feed: Meters]>([:])

  init(byFeed: Bool) { self.byFeed = byFeed }

  /// The metrics that a feed's loads count for.
  subscript(feed: Feed?) -> Meters {
    guard byFeed, let feed else { return all }
    return feeds.withLock { feeds in
      if let known = feeds[feed] { return known }
      if feeds.count >= Self.mostFeeds { feeds = [:] }
      let meters = Meters(feed)
      feeds[feed] = meters
      return meters
    }
  }

  /// Records the depth of each changed feed, or of all feeds together, once.
  func noteDepths(of changed: some Sequence<Feed?>, _ depth: (Feed?) -> Int) {
    guard byFeed else { return all.depth.record(depth(nil)) }
    for feed in Set(changed) { self[feed].depth.record(depth(feed)) }
  }
}

/// The answer to `unbalanced`: imbalances, and the loads that are overrunning.
public struct ImbalanceSummary: Sendable, Hashable {
  /// A load that has been running for longer than its feed's limit. Its process is alive, so it has no
  /// verdict.
  public struct OverrunningLoad: Sendable, Hashable {
    /// The load.
    public var load: LoadingSession
    /// A load of the feed that runs for longer than this is overrunning, in nanoseconds.
    public var limit: Int64
    /// The 99th percentile of the feed's durations, in nanoseconds; nil if the limit is that of an expectation.
    public var usualMaximum: Int64?

    /// Creates an overrunning load from its parts.
    public init(load: LoadingSession, limit: Int64, usualMaximum: Int64?) {
      self.load = load
      self.limit = limit
      self.usualMaximum = usualMaximum
    }
  }

  /// When the imbalances were read, in microseconds since 1970.
  public var generated: Int64
  /// A limit of the window, in microseconds since 1970; `since` is included, `until` is not.
  public var since: Int64?, until: Int64?
  /// The imbalances, newest first.
  public var imbalances: [Imbalance]
  /// The overrunning loads, newest first. They are not imbalances.
  public var overrunning: [OverrunningLoad]
  /// The number of imbalances, and of overrunning loads, that a limit leaves out.
  public var missing = 0, missingOverrunning = 0
  /// The number of imbalances of all time of which a fleet has no row; 0 in a store.
  public var onlyCounted = 0

  /// Creates a summary from its parts, of which nothing is left out.
  public init(
    generated: Int64, since: Int64?, until: Int64?, imbalances: [Imbalance], overrunning: [OverrunningLoad]
  ) {
    self.generated = generated
    self.since = since
    self.until = until
    self.imbalances = imbalances
    self.overrunning = overrunning
  }

  /// Leaves out all but the newest imbalances and overrunning loads.
  ///
  /// - Parameter limit: how many of each remain.
  mutating func limit(to limit: Int) {
    missing = max(0, imbalances.count - limit)
    missingOverrunning = max(0, overrunning.count - limit)
    imbalances.removeLast(missing)
    overrunning.removeLast(missingOverrunning)
  }
}

/// A record that counts imbalances of which it may have no row.
package protocol CountedReading: LoadReading {
  /// The number of imbalances of feeds, over all time, that are only counted.
  ///
  /// - Parameter feeds: the feeds; empty for all.
  func imbalancesWithoutRows(_ feeds: [FeedPattern]) throws(LoadLogError) -> Int
}

extension LoadReading {
  /// Returns the imbalances that overlap the filter's window, and the loads that are overrunning now; of each as many as
  /// the filter's limit says.
  public func imbalanceSummary(_ filter: LoadFilter) throws(LoadLogError) -> ImbalanceSummary {
    let status = try status(LoadFilter(feeds: filter.feeds), runningLimit: nil)
    let late = status.feeds.filter { ($0.numbers.overrunning ?? 0) > 0 }
    // One question for all feeds: each reads everything that runs.
    let running = late.isEmpty ? [] : try history(LoadFilter(feeds: filter.feeds, states: [.running])).loads
    let feeds = Dictionary(late.map { ($0.feed, $0) }) { first, _ in first }
    let overrunning = running.compactMap { load -> ImbalanceSummary.OverrunningLoad? in
      guard let feed = feeds[load.feed], let limit = feed.runningLimit, load.openAtLeast > limit else {
        return nil
      }
      return .init(load: load, limit: limit, usualMaximum: feed.usualMaximum)
    }
    var summary = ImbalanceSummary(
      generated: status.generated, since: filter.since, until: filter.until,
      imbalances: try unbalanced(LoadFilter(feeds: filter.feeds, since: filter.since, until: filter.until)),
      overrunning: overrunning)
    if let counted = self as? any CountedReading {
      summary.onlyCounted = try counted.imbalancesWithoutRows(filter.feeds)
    }
    if let limit = filter.limit { summary.limit(to: limit) }
    return summary
  }
}

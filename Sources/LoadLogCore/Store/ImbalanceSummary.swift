/// The answer to `unbalanced`: what is out of balance, and what may soon be.
public struct ImbalanceSummary: Sendable, Hashable {
  /// A load that runs far beyond usual. Its process lives, so there is no verdict.
  public struct OverdueLoad: Sendable, Hashable {
    /// The load.
    public var load: LoadingSession
    /// Longer than this is overdue, in nanoseconds.
    public var limit: Int64
    /// 99 % of the feed's loads take less, in nanoseconds.
    public var usualMaximum: Int64?

    /// Makes an overdue load of its parts.
    public init(load: LoadingSession, limit: Int64, usualMaximum: Int64?) {
      self.load = load
      self.limit = limit
      self.usualMaximum = usualMaximum
    }
  }

  /// When it was asked, wall time in microseconds.
  public var generated: Int64
  /// The window, wall times in microseconds.
  public var since: Int64?, until: Int64?
  /// Every imbalance, newest first.
  public var imbalances: [Imbalance]
  /// The overdue loads, newest first; not counted among the imbalances.
  public var overdue: [OverdueLoad]

  /// Makes a summary of its parts.
  public init(
    generated: Int64, since: Int64?, until: Int64?, imbalances: [Imbalance], overdue: [OverdueLoad]
  ) {
    self.generated = generated
    self.since = since
    self.until = until
    self.imbalances = imbalances
    self.overdue = overdue
  }
}

extension LoadReading {
  /// Everything unbalanced that overlaps the filter's window, and the loads that are overdue now.
  public func imbalanceSummary(_ filter: LoadFilter) throws(LoadLogError) -> ImbalanceSummary {
    let status = try status(LoadFilter(feeds: filter.feeds), overdueLimit: nil)
    let late = status.feeds.filter { ($0.numbers.overdue ?? 0) > 0 }
    var overdue: [ImbalanceSummary.OverdueLoad] = []
    for feed in late {
      guard let limit = feed.overdueLimit else { continue }
      let running = try history(LoadFilter(feeds: [FeedPattern(exactly: feed.feed)], states: [.running]))
      overdue += running.loads.filter { $0.openAtLeast > limit }
        .map { ImbalanceSummary.OverdueLoad(load: $0, limit: limit, usualMaximum: feed.usualMaximum) }
    }
    return ImbalanceSummary(
      generated: status.generated, since: filter.since, until: filter.until,
      imbalances: try unbalanced(filter), overdue: overdue)
  }
}

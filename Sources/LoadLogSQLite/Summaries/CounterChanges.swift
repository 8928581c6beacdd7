import GRDB
import LoadLogCore

/// What changes of the record mean for the counters, added up.
///
/// The one function that counts: recording applies the journal through it, a question adds what waits in the journal,
/// an import counts its own changes, and `doctor` counts the whole record again.
struct CounterChanges {
  /// By feed and day. The store and all time follow from these.
  private var changes: [SummaryKey: Summary] = [:]
  private(set) var sites = ImbalanceSiteCounts()

  init() {}

  mutating func add(_ change: RecordChange) {
    switch change {
    case .session(let was, let now, let isAcknowledged): add(now, isAcknowledged: isAcknowledged, was: was)
    case .unmatched(let count, let site, let isAcknowledged): add(count, site, isAcknowledged: isAcknowledged)
    }
  }

  /// Counts a session as it is now, and no longer as it was.
  ///
  /// A finish is final, and feed, day and call site of a session never change: so durations are only ever added, and
  /// the order in which changes are counted does not matter.
  ///
  /// - Parameter was: the condition that is counted already; nil if the session is not counted yet.
  mutating func add(_ session: StoredSession, isAcknowledged: Bool, was: SessionCondition?) {
    let wall = session.started.wall
    change(session.feedRow, at: wall) { summary in
      if was == nil { summary.addStart(wall) }
      if let was, was.state.isUnfinishedStart {
        summary[was.state] -= 1
        if was.isAcknowledged { summary.acknowledged -= 1 }
      }
      if session.state != .running, was?.state.isFinished != true {
        summary.addVerdict(session.state, duration: session.duration)
      }
      if session.state.isUnfinishedStart, isAcknowledged { summary.acknowledged += 1 }
    }
    if let was, was.state.isUnfinishedStart, !was.isAcknowledged {
      sites.add(-1, ImbalanceSite(session, was.state), at: wall)
    }
    if session.state.isUnfinishedStart, !isAcknowledged {
      sites.add(1, ImbalanceSite(session, session.state), at: wall)
    }
  }

  /// Counts an unmatched finish, or with -1 takes one away.
  mutating func add(_ count: Int, _ site: UnmatchedSite, isAcknowledged: Bool) {
    change(site.feed ?? SummaryKey.store, at: site.at) { summary in
      summary[site.kind] += count
      if isAcknowledged { summary.acknowledged += count }
    }
    if site.kind.isUnbalanced, !isAcknowledged { sites.add(count, ImbalanceSite(site), at: site.at) }
  }

  private mutating func change(_ feed: Int64, at wall: Int64, _ apply: (inout Summary) -> Void) {
    apply(&changes[SummaryKey(feed: feed, day: SummaryKey.day(of: wall)), default: Summary()])
  }

  /// The changes of each feed and of the store, by day and over all time. What belongs to no feed counts for the store
  /// alone.
  var summaries: [SummaryKey: Summary] {
    var all: [SummaryKey: Summary] = [:]
    for (key, change) in changes {
      for total in key.totals { all[total, default: Summary()].merge(change) }
    }
    return all
  }

  /// Adds the changes to the counters. The caller is in a transaction.
  func write(to database: Database) throws {
    for (key, change) in summaries {
      try (Summary.fetch(key, in: database)?.merging(change) ?? change).write(key, to: database)
    }
    try sites.write(to: database)
  }
}

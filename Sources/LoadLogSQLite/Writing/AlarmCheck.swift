package import LoadLogCore

/// Checks all feeds of a record once, and writes the flips that it notices.
package struct AlarmCheck {
  private let reader: any LoadReading
  private let filter: LoadFilter
  private let book: FlipBook
  private let hosts: Set<String>
  private let describe: (StatusSummary, CheckGap?, EarlierCheck?) -> [FoundState]

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - reader: the store, or the fleet.
  ///   - filter: the feeds; the rest is ignored.
  ///   - book: writes to the same store; for a fleet, to one of its own.
  ///   - hosts: all names that a fleet's hosts may have had, also of those that are retired.
  ///   - describe: says in what state the feeds of a summary are, and why. It may add feeds of its own, which need not
  ///     match the filter. It also gets the last time in which nothing was checked, and the check before this one, with the
  ///     starts of the outages that have hidden lateness; either is nil if there is none or it is unknown.
  package init(
    _ reader: any LoadReading, _ filter: LoadFilter, _ book: FlipBook, hosts: Set<String> = [],
    describe: @escaping (StatusSummary, CheckGap?, EarlierCheck?) -> [FoundState]
  ) {
    self.reader = reader
    self.filter = LoadFilter(feeds: filter.feeds)
    self.book = book
    self.hosts = hosts
    self.describe = describe
  }

  /// What one check of the record has found.
  package struct Look {
    /// The status of the feeds.
    package let summary: StatusSummary
    /// The states of the feeds, without those whose lateness waits.
    package let found: [FoundState]
    /// When the feeds became late whose lateness waits.
    fileprivate let waiting: [Feed: Int64]
    /// The feeds that were described.
    fileprivate let known: Set<Feed>

    /// Whether lateness waits.
    package var isDeferred: Bool { !waiting.isEmpty }

    /// This check, which was at a time, as the next one in this process knows it.
    package func earlier(at: Int64) -> EarlierCheck {
      var updated: [Feed: Int64] = [:]
      for status in summary.feeds { updated[status.feed] = status.dates.lastUpdated }
      return EarlierCheck(at: at, waiting: waiting, updated: updated)
    }

    /// Adds the reasons that were found to flips without one: an alarm in an app knows only the reasons of loads.
    package func explain(_ flips: [FeedFlip]) -> [FeedFlip] {
      let states = Dictionary(found.map { ($0.status.feed, $0) }) { first, _ in first }
      return flips.map { flip in
        guard flip.reason == nil, let state = states[flip.feed], state.state == flip.to else { return flip }
        var flip = flip
        flip.reason = state.reason
        return flip
      }
    }
  }

  /// Checks the record once, and writes nothing.
  ///
  /// - Parameters:
  ///   - gap: the last time in which nothing was checked. Lateness that arose in it waits a little.
  ///   - lastCheck: the check of the feeds before this one; nil if it is unknown.
  package func look(after gap: CheckGap?, _ lastCheck: EarlierCheck?) throws(LoadLogError) -> Look {
    let summary = try reader.status(filter, runningLimit: nil)
    let newest = try book.newest()
    let hidden = summary.feeds.filter { status in
      guard FeedState(status) == .late, let last = newest[status.feed]?.to else { return false }
      return last.isOutage && last != .late
    }
    let outages = try book.outages(of: hidden.map(\.feed))
    let described = describe(summary, gap, lastCheck?.with(outages: outages))
    let known = Set(described.map(\.status.feed))
    let all = described + forgotten(newest.keys, known, summary)
    // What is known to be late has not become so in a gap.
    var waiting: [Feed: Int64] = [:]
    for found in all where found.state == .late && newest[found.status.feed]?.to != .late {
      if gap?.defers(found.since, at: summary.generated) == true { waiting[found.status.feed] = found.since }
    }
    let found = all.filter { waiting[$0.status.feed] == nil }
    return Look(summary: summary, found: found, waiting: waiting, known: known)
  }

  /// Writes the flips that a check has noticed.
  ///
  /// - Returns: the newest flip of each feed that has one.
  package func note(_ look: Look) throws(LoadLogError) -> [FeedFlip] {
    try book.note(look.found, at: look.summary.generated)
    return try book.newest().values.filter { look.known.contains($0.feed) || isChosen($0.feed) }
      .sorted { $0.feed < $1.feed }
  }

  /// The feeds with a problem that nothing is known of any more, such as one without loads whose expectation was removed,
  /// or one of a host that has left the fleet.
  private func forgotten(
    _ feeds: some Sequence<Feed>, _ known: Set<Feed>, _ summary: StatusSummary
  ) -> [FoundState] {
    feeds.filter { isChosen($0) && !known.contains($0) }.sorted().map {
      FoundState(FeedStatus(feed: $0), in: summary, reason: Self.forgotten)
    }
  }

  /// Why a feed has no problem any more of which nothing is known.
  private static let forgotten = "no longer checked"

  /// Whether the filter chooses a feed of the book. A host is always chosen, and a feed of a host by its own name, too.
  private func isChosen(_ feed: Feed) -> Bool {
    let name = feed.name
    return filter.admits(feed) || hosts.contains(name)
      || name.indices.contains { slash in
        name[slash] == "/" && hosts.contains(String(name[..<slash]))
          && filter.admits(Feed(String(name[name.index(after: slash)...])))
      }
  }
}

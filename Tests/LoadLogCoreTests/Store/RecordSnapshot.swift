import LoadLogCore

/// A record in memory that answers every question by reading each of its loads: the reader of a ``MemoryStore``.
struct RecordSnapshot: LoadReading {
  /// When the snapshot was taken, in microseconds since 1970.
  var taken: Int64
  /// The loads, in the order in which their starts were committed. The state and the minimum time of a load that is
  /// running are those of the snapshot's time.
  var loads: [LoadingSession]
  /// The finishes that matched no load, in the order in which they were committed, and the pops after a reset.
  var unmatched: [Imbalance]
  /// The dates of every feed that the record knows.
  var dates: [Feed: FeedDates]
  /// What is expected of feeds. A feed that is expected by its name is known even without loads.
  var expected: [FeedExpectation]

  init(
    taken: Int64, loads: [LoadingSession], unmatched: [Imbalance], dates: [Feed: FeedDates],
    expected: [FeedExpectation] = []
  ) {
    self.taken = taken
    self.loads = loads
    self.unmatched = unmatched
    self.dates = dates
    self.expected = expected
    for feed in ExpectationBook(expected).feeds where dates[feed] == nil { self.dates[feed] = FeedDates() }
  }
}

extension RecordSnapshot {
  /// The feeds, ordered by name.
  func feeds() -> [Feed] { dates.keys.sorted() }

  /// The dates of a feed; nil if the record does not contain the feed.
  func dates(of feed: Feed) -> FeedDates? { dates[feed] }

  /// All expectations, ordered by pattern.
  func expectations() -> [FeedExpectation] { expected.sorted { $0.pattern.text < $1.pattern.text } }

  /// The loads that match a filter and overlap its window.
  func history(_ filter: LoadFilter) -> LoadPage {
    let found = newestFirst { load in
      filter.admits(load.feed) && (filter.states.isEmpty || filter.states.contains(load.shownState))
        && filter.admitsTextsAndDuration(of: load)
        && filter.overlaps(from: load.started.wall, to: load.started.wall + load.openAtLeast / 1000)
    }
    let ordered = filter.oldestFirst ? found.reversed() : found
    return LoadPage(loads: Array(ordered.prefix(filter.limit ?? found.count)), total: found.count)
  }

  /// The imbalances that overlap a filter's window, newest first.
  func unbalanced(_ filter: LoadFilter) -> [Imbalance] {
    let starts = loads.filter {
      filter.overlaps(from: $0.started.wall, to: $0.started.wall + $0.openAtLeast / 1000)
    }
    let found = imbalances(filter, starts, unmatched.filter { filter.contains($0.at) })
      .sorted { ($0.at, $0.id) > ($1.at, $1.id) }
    return Array(found.prefix(filter.limit ?? found.count))
  }

  /// The finish times of the last successes of feeds, each newest first, in microseconds since 1970.
  func successes(of feeds: [Feed], limit: Int) -> [Feed: [Int64]] {
    var times: [Feed: [Int64]] = [:]
    for feed in feeds {
      let loads = newestFirst { $0.feed == feed && $0.state.isSuccess }
      times[feed] = loads.prefix(limit).compactMap(\.finished).sorted(by: >)
    }
    return times
  }

  /// Of two loads that started at the same time the one committed later is newer.
  func newestFirst(where isWanted: (LoadingSession) -> Bool) -> [LoadingSession] {
    loads.enumerated().filter { isWanted($0.element) }
      .sorted { ($0.element.started.wall, $0.offset) > ($1.element.started.wall, $1.offset) }
      .map(\.element)
  }

  /// The imbalances among some loads and finishes. A finish without a feed belongs to the whole record only.
  func imbalances(
    _ filter: LoadFilter, _ loads: [LoadingSession], _ unmatched: [Imbalance]
  ) -> [Imbalance] {
    let starts = loads.filter { $0.state.isUnfinishedStart && filter.admits($0.feed) }.map { load in
      Imbalance(
        id: load.id, kind: .unfinishedStart(load.state), feed: load.feed, session: load.id,
        at: load.started.wall, evidence: load.evidence ?? "", callSite: load.callSite,
        isLikely: load.isAnonymous, acknowledgement: load.acknowledgement)
    }
    return starts
      + unmatched.filter { $0.kind.isUnbalanced && ($0.feed.map(filter.admits) ?? filter.feeds.isEmpty) }
  }
}

extension LoadFilter {
  /// Whether a load has the tag, the text and the minimum duration of the filter.
  fileprivate func admitsTextsAndDuration(of load: LoadingSession) -> Bool {
    if let tag, load.tag != tag { return false }
    if let minimumDuration {
      let length = load.state.isFinished ? load.duration : load.openAtLeast
      guard let length, length >= minimumDuration else { return false }
    }
    guard let text = text?.lowercased() else { return true }
    return [load.message, load.reason].contains { $0?.lowercased().contains(text) ?? false }
  }
}

extension Imbalance.Kind {
  fileprivate var isUnbalanced: Bool {
    switch self {
    case .unfinishedStart: true
    case .unmatchedFinish(let kind): kind.isUnbalanced
    }
  }
}

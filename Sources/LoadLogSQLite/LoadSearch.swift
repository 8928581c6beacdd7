import GRDB
import LoadLogCore

/// Finds the loads that a filter lets through, in the order of their starts, without reading all the others: each
/// feed's loads come from the index of starts, and only as many as are wanted.
struct LoadSearch {
  private let query: RecordQuery
  private let filter: LoadFilter
  private let feeds: [Int64]
  private let summaries: CurrentSummaries

  /// A feed's loads in their order, of which some are at hand; or those of all feeds that no index finds, which all are.
  private struct Stream {
    let feed: Int64?
    /// Its loads' starts, wall time in microseconds; what is still to be fetched.
    var bounds: Range<Int64>
    /// The next one is last.
    var atHand: [StoredSession] = []
    /// How many to fetch the next time: whoever has read many reads on.
    var batch: Int64 = 4

    static let greatestBatch: Int64 = 1024
  }

  init(_ query: RecordQuery, _ filter: LoadFilter) throws {
    self.query = query
    self.filter = filter
    feeds = try query.feeds(filter).map(\.row)
    summaries = try CurrentSummaries(query.database)
  }

  /// The rows of the loads, newest first unless the filter says otherwise, and how many there are in all.
  func find() throws -> (rows: [Int64], total: Int) {
    let known = try knownTotal()
    let limit = filter.limit ?? .max
    var rows: [Int64] = []
    var total = 0
    try forEachRow { session in
      guard try isWanted(session) else { return true }
      if rows.count < limit { rows.append(session.row) }
      total += 1
      return known == nil || total < limit
    }
    return (rows, known ?? total)
  }

  private func isWanted(_ session: StoredSession) throws -> Bool {
    let shown = try query.shown(session)
    return (filter.states.isEmpty || filter.states.contains(shown.shownState))
      && filter.overlaps(from: session.started.wall, to: shown.wallEnd / 1000)
  }
}

// MARK: - The rows

extension LoadSearch {
  /// Goes through all feeds' loads together, in order, as long as it is told to.
  private func forEachRow(_ body: (StoredSession) throws -> Bool) throws {
    var streams: [(next: StoredSession, rest: Stream)] = []
    var others = Stream(feed: nil, bounds: 0..<0)
    others.atHand = try earlyLoads()
    for feed in feeds {
      let from = try earliestStart(of: feed)
      var stream = Stream(feed: feed, bounds: from..<max(from, filter.until ?? .max))
      others.atHand += summaries.newLoads.of(feed, stream.bounds)
      if let first = try next(of: &stream, after: nil) { streams.append((first, stream)) }
    }
    others.atHand.sort { comes($1, before: $0) }
    if let first = others.atHand.popLast() { streams.append((first, others)) }
    // Last is next.
    streams.sort { comes($1.next, before: $0.next) }
    while var (session, stream) = streams.popLast() {
      guard try body(session) else { return }
      guard let next = try next(of: &stream, after: session) else { continue }
      session = next
      var (low, high) = (0, streams.count)
      while low < high {
        let middle = (low + high) / 2
        if comes(session, before: streams[middle].next) { low = middle + 1 } else { high = middle }
      }
      streams.insert((session, stream), at: low)
    }
  }

  private func comes(_ one: StoredSession, before other: StoredSession) -> Bool {
    let (first, second) = filter.oldestFirst ? (one, other) : (other, one)
    return first.startsBefore(second)
  }

  /// Takes a feed's next load, after one.
  private func next(of stream: inout Stream, after last: StoredSession?) throws -> StoredSession? {
    if let next = stream.atHand.popLast() { return next }
    guard let feed = stream.feed else { return nil }
    let isUp = filter.oldestFirst
    if let start = last?.started.wall {
      let bounds = stream.bounds
      stream.bounds =
        isUp ? start..<bounds.upperBound : bounds.lowerBound..<min(bounds.upperBound, start.addingClamping(1))
    }
    let rows = try RawStatement(
      query.database,
      """
      SELECT \(StoredSession.columns) FROM session
      WHERE feed = ? AND is_new = 0 AND started_at >= ? AND started_at < ?
        AND (started_at, seq) \(isUp ? ">" : "<") (?, ?)
      ORDER BY started_at \(isUp ? "" : "DESC"), seq \(isUp ? "" : "DESC") LIMIT ?
      """)
    rows.bind(1, feed)
    rows.bind(2, stream.bounds.lowerBound)
    rows.bind(3, stream.bounds.upperBound)
    rows.bind(4, last?.started.wall ?? (isUp ? .min : .max))
    rows.bind(5, last?.row ?? (isUp ? .min : .max))
    rows.bind(6, stream.batch)
    try rows.forEach { stream.atHand.append(try StoredSession($0)) }
    stream.atHand.reverse()
    stream.batch = min(stream.batch * 8, Stream.greatestBatch)
    return stream.atHand.popLast()
  }

  /// No finished load of the feed that began before this reaches into the window.
  private func earliestStart(of feed: Int64) throws -> Int64 {
    guard let since = filter.since else { return .min }
    let lifetime = try summaries.fetch(SummaryKey(feed: feed, day: SummaryKey.allTime))
    let longest = max(lifetime?.succeeded.greatest ?? 0, lifetime?.others.greatest ?? 0)
    return since.subtractingClamping(longest / 1000).subtractingClamping(1)
  }

  /// Loads that began before ``earliestStart(of:)`` and reach into the window all the same: few, for they never ended, or
  /// nobody knows.
  private func earlyLoads() throws -> [StoredSession] {
    guard filter.since != nil else { return [] }
    var found: [StoredSession] = []
    // A damaged store may have a row twice.
    let earliest = try Dictionary(feeds.map { ($0, try earliestStart(of: $0)) }) { first, _ in first }
    func look(at session: StoredSession) throws {
      guard let start = earliest[session.feedRow], session.started.wall < start else { return }
      if try isWanted(session) { found.append(session) }
    }
    try query.forEachRunning(summaries.newLoads, look)
    try query.forEachSession(where: "state >= 6", look)
    return found
  }
}

// MARK: - How many

extension LoadSearch {
  /// How many loads there are over all time, from the summaries if they know; nil for a window.
  private func knownTotal() throws -> Int? {
    guard filter.since == nil, filter.until == nil else { return nil }
    var summary = Summary()
    for feed in filter.feeds.isEmpty ? [SummaryKey.store] : feeds {
      let key = SummaryKey(feed: feed, day: SummaryKey.allTime)
      if let lifetime = try summaries.fetch(key) { summary.merge(lifetime) }
    }
    let stored = SessionState.allCases.filter {
      filter.states.isEmpty || $0 != .running && filter.states.contains(ShownState($0))
    }
    var total: Int
    if summary.isSealed {
      // The summaries count what was pruned, too.
      let states = stored.map { "\($0.code)" }.joined(separator: ", ")
      let sql = "SELECT count(*) FROM session WHERE feed = ? AND is_new = 0"
      let statement = try query.database.cachedStatement(
        sql: filter.states.isEmpty ? sql : sql + " AND state IN (\(states))")
      total = try feeds.reduce(0) { total, feed in
        let new = summaries.newLoads.of(feed).count { filter.states.isEmpty || stored.contains($0.state) }
        return try total + new + (Int.fetchOne(statement, arguments: [feed]) ?? 0)
      }
    } else {
      total = filter.states.isEmpty ? summary.loads : stored.reduce(0) { $0 + summary[$1] }
    }
    guard !filter.states.isEmpty else { return total }
    let chosen = Set(feeds)
    try query.forEachRunning(summaries.newLoads) { session in
      guard chosen.contains(session.feedRow) else { return }
      if filter.states.contains(try query.shown(session).shownState) { total += 1 }
    }
    return total
  }
}

extension RecordQuery.Shown {
  /// The state in the words of a filter.
  var shownState: ShownState { isUnknown ? .unknown : ShownState(state) }
}

import GRDB
import LoadLogCore

/// Finds the loads that a filter lets through, in the order of their starts, without reading all others: each feed's
/// loads come from the index of starts, and only as many as are wanted.
struct LoadSearch {
  private let query: RecordQuery
  private let filter: LoadFilter
  private let feeds: [Int64]
  private let lifetimes: [Int64: Summary]
  /// The running sessions of the feeds, if the filter names states.
  private let running: [Int64: [StoredSession]]
  private let texts: WantedTexts
  /// The feeds that have loads with the filter's tag; nil if it names none.
  private let taggedFeeds: Set<Int64>?

  /// A feed's loads in their order, some of them fetched; or, without a feed, loads that were all fetched before.
  private struct Stream {
    let feed: Int64?
    /// The starts of the loads that are still to be fetched; wall times in microseconds.
    var bounds: Range<Int64>
    /// The fetched loads; the next one is last.
    var atHand: [StoredSession] = []
    /// The number of loads to fetch the next time. It grows, because a caller that has read many usually reads on.
    var batch: Int64 = 4

    static let greatestBatch: Int64 = 1024
  }

  init(_ query: RecordQuery, _ filter: LoadFilter) throws {
    self.query = query
    self.filter = filter
    feeds = try query.feeds(filter).map(\.row)
    let chosen = filter.feeds.isEmpty ? nil : Set(feeds)
    lifetimes = try CurrentSummaries(query.database).sums(days: SummaryKey.allTime..<0, of: chosen)
    var running: [Int64: [StoredSession]] = [:]
    if !filter.states.isEmpty {
      let chosen = Set(feeds)
      try query.forEachRunning {
        if chosen.contains($0.feedRow) { running[$0.feedRow, default: []].append($0) }
      }
    }
    self.running = running
    texts = try WantedTexts(filter, in: query.database)
    taggedFeeds = try texts.tag.map { try Self.feeds(tagged: $0, in: query.database) }
  }

  private static func feeds(tagged tag: Int64, in database: Database) throws -> Set<Int64> {
    let statement = try RawStatement(database, "SELECT DISTINCT feed FROM session WHERE tag = ?", tag)
    return Set(try statement.map { try $0.number(0) })
  }

  /// Loads that were pruned, and the days on which they began; no days for all time.
  typealias Pruned = (loads: Int, days: ClosedRange<UTCDay>?)

  /// The rows of the loads, newest first unless the filter says otherwise, how many there are in all, and how many more
  /// there were.
  func find() throws -> (rows: [Int64], total: Int, pruned: Pruned) {
    let pruned = try pruned()
    let known = try isCounted ? knownTotal(without: pruned.loads) : nil
    let limit = filter.limit ?? .max
    var rows: [Int64] = []
    var total = 0
    try forEachRow { session in
      guard try isWanted(session) else { return true }
      if rows.count < limit { rows.append(session.row) }
      total += 1
      return known == nil && filter.wantsTotal || total < limit
    }
    return (rows, known ?? total, pruned)
  }

  private func isWanted(_ session: StoredSession) throws -> Bool {
    let shown = try query.shown(session)
    // An unknown load may be open still, although its interval ends where nothing more is certain.
    let end = shown.isUnknown ? query.now.wall : shown.wallEnd / 1000
    return try (filter.states.isEmpty || filter.states.contains(shown.shownState))
      && filter.overlaps(from: session.started.wall, to: end)
      && shown.length >= filter.minimumDuration ?? .min && texts.matches(session)
  }
}

// MARK: - The rows

extension LoadSearch {
  /// Calls the body for the loads of all feeds together, in order, until it returns false.
  private func forEachRow(_ body: (StoredSession) throws -> Bool) throws {
    var streams: [(next: StoredSession, rest: Stream)] = []
    var others = Stream(feed: nil, bounds: 0..<0)
    others.atHand = try earlyLoads()
    for feed in feeds where taggedFeeds?.contains(feed) ?? true {
      let from = earliestStart(of: feed)
      var stream = Stream(feed: feed, bounds: from..<max(from, filter.until ?? .max))
      others.atHand += running[feed]?.filter { stream.bounds.contains($0.started.wall) } ?? []
      guard mayHaveRows(of: feed) else { continue }
      if let first = try next(of: &stream, after: nil) { streams.append((first, stream)) }
    }
    others.atHand.sort { comes($1, before: $0) }
    if let first = others.atHand.popLast() { streams.append((first, others)) }
    // Last is next. Streams are large and there may be thousands, so only their indices are moved.
    var order = streams.indices.sorted { comes(streams[$1].next, before: streams[$0].next) }
    while let index = order.popLast() {
      let session = streams[index].next
      guard try body(session) else { return }
      guard let next = try next(of: &streams[index].rest, after: session) else { continue }
      streams[index].next = next
      order.insert(index, at: order.partitioningIndex { !comes(next, before: streams[$0].next) })
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
    // SQLite has no statistics, and would take the index of starts for a tag, too.
    let (index, tagCondition) =
      texts.tag == nil ? ("", "") : ("INDEXED BY session_by_tag", "AND tag = ?7")
    if let start = last?.started.wall {
      let bounds = stream.bounds
      stream.bounds =
        isUp ? start..<bounds.upperBound : bounds.lowerBound..<min(bounds.upperBound, start.addingClamping(1))
    }
    let rows = try RawStatement(
      query.database,
      """
      SELECT \(StoredSession.columns) FROM session \(index)
      WHERE feed = ?1 AND started_at >= ?2 AND started_at < ?3
        AND (started_at, seq) \(isUp ? ">" : "<") (?4, ?5) \(stateCondition)
        \(tagCondition) AND (?8 IS NULL OR duration >= ?8 OR state = 0)
      ORDER BY started_at \(isUp ? "" : "DESC"), seq \(isUp ? "" : "DESC") LIMIT ?6
      """, feed, stream.bounds.lowerBound, stream.bounds.upperBound,
      last?.started.wall ?? (isUp ? .min : .max), last?.row ?? (isUp ? .min : .max), stream.batch)
    if let tag = texts.tag { rows.bind(7, tag) }
    // A running load has no duration yet.
    rows.bind(8, filter.minimumDuration)
    try rows.forEach { stream.atHand.append(try StoredSession($0)) }
    stream.atHand.reverse()
    stream.batch = min(stream.batch * 8, Stream.greatestBatch)
    return stream.atHand.popLast()
  }

  /// Whether the counters know loads of the feed in a state that the filter names. Without this, a search for failed
  /// loads would read every load of a feed that never failed.
  private func mayHaveRows(of feed: Int64) -> Bool {
    guard !texts.areMissing else { return false }
    guard let states = storedStates else { return true }
    return states.contains { lifetimes[feed]?[$0] ?? 0 > 0 }
  }

  /// The verdicts that the filter names; nil if it names no states. Running sessions are found apart, because the
  /// judge may give them any of several states.
  private var storedStates: [SessionState]? {
    filter.states.isEmpty
      ? nil : SessionState.allCases.filter { $0 != .running && filter.states.contains(ShownState($0)) }
  }

  /// ``storedStates`` in SQL, in a form that matches the index of failed loads.
  private var stateCondition: String {
    guard let states = storedStates else { return "" }
    guard states.count != 1 else { return "AND state = \(states[0].code)" }
    return "AND state IN (\(states.map { "\($0.code)" }.joined(separator: ", ")))"
  }

  /// No finished load of the feed that began before this wall time reaches into the window.
  private func earliestStart(of feed: Int64) -> Int64 {
    guard let since = filter.since else { return .min }
    return reach.earliestStart(of: feed, openAt: since)
  }

  /// Loads that began before ``earliestStart(of:)`` and reach into the window all the same. They are few: they never
  /// finished.
  private func earlyLoads() throws -> [StoredSession] {
    guard let since = filter.since else { return [] }
    let chosen = Set(feeds)
    return try reach.unfinished(before: since).filter { session in
      try chosen.contains(session.feedRow) && session.started.wall < earliestStart(of: session.feedRow)
        && isWanted(session)
    }
  }

  private var reach: LoadReach { LoadReach(database: query.database, lifetimes: lifetimes) }
}

// MARK: - How many

extension LoadSearch {
  private var isAllTime: Bool { filter.since == nil && filter.until == nil }

  /// Whether the counters count exactly what the filter selects.
  private var isCounted: Bool { isAllTime && filter.minimumDuration == nil && !texts.areNamed }

  /// How many loads there are over all time, from the counters, which include pruned loads.
  private func knownTotal(without pruned: Int) throws -> Int {
    let total = feeds.reduce(-pruned) { $0 + counted(lifetimes[$1] ?? Summary()) }
    guard !filter.states.isEmpty else { return total }
    return try running.values.joined().reduce(total) { total, session in
      try total + (filter.states.contains(query.shown(session).shownState) ? 1 : 0)
    }
  }

  /// The pruned loads that the filter may let through: their tags, texts and durations are not known. Of a day that the
  /// window contains only in part, all pruned loads count.
  private func pruned() throws -> Pruned {
    var found: [SummaryKey: Summary] = [:]
    if isAllTime {
      for feed in feeds where lifetimes[feed]?.isSealed == true {
        found[SummaryKey(feed: feed, day: SummaryKey.allTime)] = lifetimes[feed]
      }
    } else if filter.until ?? 1 > 0 {
      let first = SummaryKey.day(of: filter.since ?? 0)
      let last = SummaryKey.day(of: (filter.until ?? .max).subtractingClamping(1))
      let current = try CurrentSummaries(query.database)
      try current.forEach(days: first..<max(first, last) + 1, of: Set(feeds), onlySealed: true) {
        found[$0] = $1
      }
      try addEarlier(to: &found, before: first, current)
    }
    var (loads, days) = (0, Set<Int64>())
    for (key, summary) in found where counted(summary) > 0 {
      let bounds = key.day == SummaryKey.allTime ? .min ..< .max : UTCDay(number: key.day).countedBounds
      let pruned = counted(summary) - (try countRows(of: key.feed, bounds))
      if pruned > 0 { (loads, days) = (loads + pruned, days.union([key.day])) }
    }
    guard !isAllTime, let first = days.min(), let last = days.max() else { return (loads, nil) }
    return (loads, UTCDay(number: first)...UTCDay(number: last))
  }

  /// Adds earlier days with pruned loads that may reach into the window.
  ///
  /// The longest load of such a day says whether one may. At the end of the day that is so with any load, so a window that
  /// begins there must begin with a day that pruning has sealed though it has lost none of its own loads: pruning seals
  /// each day on which a load was open.
  private func addEarlier(
    to found: inout [SummaryKey: Summary], before first: Int64, _ current: CurrentSummaries
  ) throws {
    guard let since = filter.since else { return }
    let bounds = UTCDay(number: first).countedBounds
    let reached = try found.filter { key, summary in
      guard key.day == first else { return false }
      return try since > bounds.lowerBound
        || summary.loads == countRows(of: key.feed, bounds, inAnyState: true)
    }
    guard let start = reached.keys.map({ earliestStart(of: $0.feed) }).min() else { return }
    try current.forEach(
      days: SummaryKey.day(of: start)..<first, of: Set(reached.keys.map(\.feed)), onlySealed: true
    ) { key, summary in
      let end = UTCDay(number: key.day).end.addingClamping(summary.longestLoad / 1000)
      if end > since { found[key] = summary }
    }
  }

  /// The number of loads of a summary that are in the states of the filter.
  private func counted(_ summary: Summary) -> Int {
    storedStates?.reduce(0) { $0 + summary[$1] } ?? summary.loads
  }

  private func countRows(of feed: Int64, _ bounds: Range<Int64>, inAnyState: Bool = false) throws -> Int {
    let condition = inAnyState ? "" : stateCondition
    let statement = try RawStatement(
      query.database,
      "SELECT count(*) FROM session WHERE feed = ? AND started_at >= ? AND started_at < ? \(condition)",
      feed, bounds.lowerBound, bounds.upperBound)
    return Int(try statement.first { try $0.number(0) } ?? 0)
  }
}

extension RecordQuery.Shown {
  /// The state as a filter names it.
  var shownState: ShownState { isUnknown ? .unknown : ShownState(state) }
}

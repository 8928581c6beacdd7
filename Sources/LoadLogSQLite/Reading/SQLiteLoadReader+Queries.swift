import Foundation
import GRDB
public import LoadLogCore

extension SQLiteLoadReader: FollowedReading {
  /// A number that changes with every commit of another connection. Only numbers of the same reader compare.
  ///
  /// - Throws: what ``feeds()`` throws.
  package func dataVersion() throws(LoadLogError) -> Int64 {
    let version = try read { query in try Int64.fetchOne(query.database, sql: "PRAGMA data_version") ?? 0 }
    // Each connection counts from the beginning.
    return version &+ openings << 32
  }

  /// All feeds, sorted by name.
  ///
  /// - Throws: `busy` if the answer takes longer than the deadline; `damaged`, `io`, or what opening the
  ///   store throws.
  public func feeds() throws(LoadLogError) -> [Feed] {
    try read { query in
      try String.fetchAll(query.database, sql: "SELECT name FROM feed WHERE \(FeedDates.known)").map {
        Feed($0)
      }.sorted()
    }
  }

  /// The dates of a feed; nil if the store has no such feed.
  ///
  /// - Throws: what ``feeds()`` throws.
  public func dates(of feed: Feed) throws(LoadLogError) -> FeedDates? {
    try read { query in
      try RawStatement(
        query.database,
        "SELECT \(FeedDates.columns) FROM \(FeedDates.source) WHERE feed.name = ? AND \(FeedDates.known)",
        feed.name
      ).first { try FeedDates($0, from: 0) }
    }
  }

  /// All expectations, ordered by pattern.
  ///
  /// - Throws: what ``feeds()`` throws.
  public func expectations() throws(LoadLogError) -> [FeedExpectation] {
    try read { query in try ExpectedRows(query.database).all() }
  }

  /// The flips of the feeds that match a filter, noticed in its window, in their order; the rest of the filter is ignored.
  ///
  /// - Throws: what ``feeds()`` throws.
  public func flips(_ filter: LoadFilter) throws(LoadLogError) -> [FeedFlip] {
    try read { try FlipRows($0.database).all(filter) }
  }

  /// The loads that match a filter, newest first, and their total number.
  ///
  /// - Parameter filter: feeds, states, order, limit, and a time window; a load that overlaps the window
  ///   matches.
  /// - Throws: what ``feeds()`` throws.
  public func history(_ filter: LoadFilter) throws(LoadLogError) -> LoadPage {
    try read { query in
      let found = try LoadSearch(query, filter).find()
      var page = LoadPage(loads: try found.rows.map(query.session(row:)), total: found.total)
      (page.pruned, page.prunedDays) = found.pruned
      return page
    }
  }

  /// The loads whose id ends in the given digits; at most 10.
  ///
  /// Reads all loads unless the digits are a complete id.
  ///
  /// - Parameter tail: 1 to 32 hexadecimal digits; hyphens are ignored. Anything else matches no load.
  /// - Throws: what ``feeds()`` throws.
  public func loads(endingIn tail: String) throws(LoadLogError) -> [LoadingSession] {
    guard let digits = IDTail.digits(of: tail) else { return [] }
    return try read { query in
      let rows =
        digits.count == 32
        ? try Int64.fetchAll(
          query.database, sql: "SELECT seq FROM session WHERE id = ?",
          arguments: [SessionID(hexDigits: digits)?.data])
        : try Int64.fetchAll(
          query.database, sql: "SELECT seq FROM session WHERE substr(hex(id), ?) = ? LIMIT 10",
          arguments: [33 - digits.count, digits.uppercased()])
      return try rows.map(query.session(row:))
    }
  }

  /// The end of what the command of a load wrote; nil if the store kept none of it.
  ///
  /// - Throws: what ``feeds()`` throws.
  public func output(of id: SessionID) throws(LoadLogError) -> KeptOutput? {
    try read { query in
      guard let session = try StoredSession.fetch(id, in: query.database) else { return nil }
      return try KeptOutput.fetch(of: session.row, in: query.database)
    }
  }

  /// The unfinished starts and unmatched finishes that match a filter, newest first, acknowledged ones
  /// included.
  ///
  /// - Parameter filter: feeds, limit, and a time window that the imbalance overlaps; states are ignored.
  /// - Throws: what ``feeds()`` throws.
  public func unbalanced(_ filter: LoadFilter) throws(LoadLogError) -> [Imbalance] {
    try read { query in
      let all = try query.unfinishedStarts(filter) + query.unmatchedFinishes(filter)
      let newestFirst = all.sorted { ($0.at, $0.id) > ($1.at, $1.id) }
      return filter.limit.map { Array(newestFirst.prefix($0)) } ?? newestFirst
    }
  }

  /// The number of loads of each feed that pruning would remove.
  ///
  /// - Parameter cutoff: wall time in microseconds since 1970; pruning removes loads that finished before it.
  /// - Throws: what ``feeds()`` throws.
  public func prunable(before cutoff: Int64) throws(LoadLogError) -> [Feed: Int] {
    try read { query in try PrunableLoads(database: query.database, cutoff: cutoff).countByFeed() }
  }

  /// The finish times of the last successes of feeds, each newest first; wall times in microseconds since 1970.
  ///
  /// - Parameters:
  ///   - feeds: the feeds.
  ///   - limit: the maximum number of times of a feed.
  /// - Throws: what ``feeds()`` throws.
  public func successes(of feeds: [Feed], limit: Int) throws(LoadLogError) -> [Feed: [Int64]] {
    try read { query in
      let rows = try RawStatement(
        query.database,
        """
        SELECT \(StoredSession.finishedAtInSQL) FROM session
        WHERE feed = (SELECT id FROM feed WHERE name = ?) AND state IN (1, 2)
        ORDER BY started_at DESC, seq DESC LIMIT ?
        """)
      rows.bind(2, Int64(limit))
      var found: [Feed: [Int64]] = [:]
      for feed in feeds {
        rows.bind(1, feed.name)
        found[feed] = try rows.map { try $0.number(0) }.sorted(by: >)
      }
      return found
    }
  }
}

extension RecordQuery {
  /// The rows of the feeds that a filter names; nil for all.
  func feedRows(_ filter: LoadFilter) throws -> Set<Int64>? {
    filter.feeds.isEmpty ? nil : Set(try feeds(filter).map(\.row))
  }

  /// Calls the body for each session that is stored as running, in no particular order.
  func forEachRunning(_ body: (StoredSession) throws -> Void) throws {
    let rows = try RawStatement(database, "SELECT \(StoredSession.columns) FROM session WHERE state = 0")
    try rows.forEach { try body(StoredSession($0)) }
  }

  /// The sessions that are stored as running, but whose owner is dead, with the verdicts that no writer has stored yet.
  func inferredVerdicts() throws -> [(session: StoredSession, state: SessionState)] {
    var found: [(session: StoredSession, state: SessionState)] = []
    try forEachRunning { session in
      let state = try shown(session).state
      if state.isUnfinishedStart { found.append((session, state)) }
    }
    return found
  }

  func session(row: Int64) throws -> LoadingSession {
    let statement = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns), \(SessionTexts.columns) FROM session \(SessionTexts.joins)
      WHERE session.seq = ?
      """, row)
    let found = try statement.first { row in
      try session(StoredSession(row), SessionTexts(row))
    }
    guard let found else {
      throw DatabaseError.damage("a session disappeared during one read")
    }
    return found
  }

  /// The sessions that can no longer finish, by their stored state or by the judge's verdict.
  fileprivate func unfinishedStarts(_ filter: LoadFilter) throws -> [Imbalance] {
    let wanted = try feedRows(filter)
    var feeds: [Int64: Feed] = [:]
    var found: [Imbalance] = []
    let rows = try RawStatement(
      database,
      """
      SELECT \(StoredSession.columns), session.id, call_site.value, reason.value, \(Acknowledgement.columns)
      FROM session
      LEFT JOIN text AS call_site ON call_site.id = session.call_site
      LEFT JOIN text AS reason ON reason.id = session.reason
      \(Acknowledgement.join("session"))
      WHERE session.seq IN (
        SELECT seq FROM session WHERE state = 0 UNION ALL SELECT seq FROM session WHERE state >= 6)
      ORDER BY session.seq
      """)
    try rows.forEach { row in
      let stored = try StoredSession(row)
      guard wanted?.contains(stored.feedRow) ?? true else { return }
      let shown = try shown(stored)
      let next = StoredSession.Column.columnCount
      guard shown.state.isUnfinishedStart, let id = try row.id(next),
        filter.overlaps(from: stored.started.wall, to: shown.wallEnd / 1000)
      else { return }
      let feed = try feeds[stored.feedRow] ?? Feed.named(stored.feedRow, in: database)
      feeds[stored.feedRow] = feed
      found.append(
        Imbalance(
          id: id, kind: .unfinishedStart(shown.state), feed: feed, session: id,
          at: stored.started.wall, evidence: Self.evidence(shown, reason: try row.text(next + 2)) ?? "",
          callSite: try row.text(next + 1), isLikely: stored.isAnonymous,
          acknowledgement: try Acknowledgement(row, from: next + 3)))
    }
    return found
  }

  /// The unmatched finishes in a range of rows, in the order of their rows.
  func unmatchedFinishes(
    _ filter: LoadFilter, rows: ClosedRange<Int64> = 0...Int64.max
  ) throws -> [Imbalance] {
    let statement = try RawStatement(
      database,
      """
      SELECT unmatched.id, kind, feed.name, session, unmatched.at, call_site.value,
        \(Acknowledgement.columns)
      FROM unmatched LEFT JOIN feed ON feed.id = unmatched.feed
      LEFT JOIN text AS call_site ON call_site.id = unmatched.call_site
      \(Acknowledgement.join("unmatched"))
      WHERE unmatched.seq BETWEEN ? AND ? AND kind <= 2 ORDER BY unmatched.seq
      """, rows.lowerBound, rows.upperBound)
    var found: [Imbalance] = []
    try statement.forEach { row in
      let feed = try row.text(2).map { Feed($0) }
      let at = try row.number(4)
      guard feed.map(filter.admits) ?? filter.feeds.isEmpty, filter.contains(at),
        let kind = UnmatchedKind(code: try row.number(1)), let id = try row.id(0)
      else { return }
      let session = try row.id(3)
      found.append(
        Imbalance(
          id: id, kind: .unmatchedFinish(kind), feed: feed, session: session, at: at,
          evidence: Self.evidence(kind, session), callSite: try row.text(5), isLikely: false,
          acknowledgement: try Acknowledgement(row, from: 6)))
    }
    return found
  }

  private static func evidence(_ kind: UnmatchedKind, _ session: SessionID?) -> String {
    switch kind {
    case .extraPop: "count already 0"
    case .orphanFinish: "no start\(session.map { " of load \($0.tail)" } ?? "") was ever recorded"
    case .duplicateFinish: "\(session.map { "load \($0.tail)" } ?? "its load") already had its verdict"
    case .popAfterReset, .withdrawn: ""
    }
  }
}

extension FeedDates {
  static let columns = """
    feed.last_updated, feed.last_changed, feed.last_attempted, feed.last_failed, last_failure.value, \
    feed.last_verdict, feed.last_success_started
    """
  static let source = "feed LEFT JOIN text AS last_failure ON last_failure.id = feed.last_failure"

  /// Whether a feed is known. The row that an expectation made stays when the expectation is removed, because other
  /// writers may remember its number; without loads, dates and pops it counts as gone.
  static let known = """
    (NOT feed.is_expected OR feed.last_attempted IS NOT NULL OR feed.last_updated IS NOT NULL
      OR EXISTS (SELECT 1 FROM expected WHERE expected.pattern = feed.name AND NOT is_glob)
      OR EXISTS (SELECT 1 FROM unmatched WHERE unmatched.feed = feed.id))
    """

  /// Reads ``columns``, starting at a column.
  init(_ row: RawStatement, from column: Int32) throws {
    self.init()
    lastUpdated = try row.integer(column)
    lastChanged = try row.integer(column + 1)
    lastAttempted = try row.integer(column + 2)
    lastFailed = try row.integer(column + 3)
    lastFailure = try row.text(column + 4)
    lastVerdict = try row.integer(column + 5).flatMap { SessionState(code: $0) }
    lastSuccessStarted = try row.integer(column + 6)
  }
}

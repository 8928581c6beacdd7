import GRDB
import LoadLogCore

struct FlipRows {
  private enum Column: Int32, ColumnList {
    case n, at, fromState, toState, since, reason, callSite, down, missed, lastSuccess
  }

  /// How long flips are kept at least, in microseconds. A store may keep its loads for a shorter time because they take
  /// much more space.
  private static let leastAge: Int64 = 90 * UTCDay.length

  private let database: Database

  init(_ database: Database) { self.database = database }

  /// The newest flip of each feed. It says how long the last outage was even if only imbalances came and went since then,
  /// because the flip that ended it may not have been delivered.
  func newest() throws -> [Feed: FeedFlip] {
    var newest = try self.newest(where: "TRUE")
    let turns = try self.newest(where: "down IS NOT NULL OR to_state NOT IN ('fine', 'unbalanced')")
    for (feed, turn) in turns {
      newest[feed]?.down = turn.down
      newest[feed]?.missed = turn.missed
    }
    return newest
  }

  private func newest(where condition: String) throws -> [Feed: FeedFlip] {
    var newest: [Feed: FeedFlip] = [:]
    // An import may add flips between others.
    let newestOfFeed =
      "SELECT n FROM feed_flip WHERE feed = feed.id AND (\(condition)) ORDER BY at DESC, n DESC LIMIT 1"
    try forEachRow("WHERE feed_flip.n IN (SELECT (\(newestOfFeed)) FROM feed)") { _, flip in
      newest[flip.feed] = flip
    }
    return newest
  }

  /// The flips that were noticed in a filter's window, oldest first.
  func all(_ filter: LoadFilter) throws -> [FeedFlip] {
    var flips: [FeedFlip] = []
    let condition = "WHERE feed_flip.at >= ? AND feed_flip.at < ? ORDER BY feed_flip.at, feed_flip.n"
    try forEachRow(
      condition,
      bind: { rows in
        rows.bind(1, filter.since ?? .min)
        rows.bind(2, filter.until ?? .max)
      }
    ) { _, flip in
      if filter.admits(flip.feed) { flips.append(flip) }
    }
    return flips
  }

  /// The flips with greater numbers than one, in their order, with their numbers.
  func lines(after number: Int64, limit: Int) throws -> [(number: Int64, line: FlipLine)] {
    var lines: [(Int64, FlipLine)] = []
    try forEachRow(
      "WHERE feed_flip.n > ? ORDER BY feed_flip.n LIMIT ?",
      bind: { rows in
        rows.bind(1, number)
        rows.bind(2, Int64(limit))
      }
    ) { row, flip in
      lines.append(
        (try row.number(Column.n), FlipLine(flip, lastSuccess: try row.integer(Column.lastSuccess))))
    }
    return lines
  }

  /// Whether there is a flip of the same feed at the same time to the same state.
  func contains(_ flip: FeedFlip) throws -> Bool {
    let rows = try RawStatement(
      database,
      """
      SELECT 1 FROM feed_flip JOIN feed ON feed.id = feed_flip.feed
      WHERE feed_flip.at = ? AND feed.name = ? AND feed_flip.to_state = ?
      """)
    rows.bind(1, flip.at)
    rows.bind(2, flip.feed.name)
    rows.bind(3, flip.to.rawValue)
    return try rows.hasRow()
  }

  /// Inserts a flip.
  ///
  /// - Parameter success: the start of the last success before it, in microseconds since 1970.
  func insert(_ flip: FeedFlip, lastSuccess success: Int64?) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO feed_flip (feed, at, from_state, to_state, since, reason, call_site, last_success, down, missed)
        VALUES ((SELECT id FROM feed WHERE name = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      flip.feed.name, flip.at, flip.from.rawValue, flip.to.rawValue, flip.since, TextLimit.cut(flip.reason),
      TextLimit.cut(flip.callSite), success, flip.down, flip.missed,
    ])
  }

  /// The outage that a feed's newest flips record: when it began, and after which time due times were missed, which is the
  /// start of the last success before it, or the end of a pause; nil if the feed is in none. It begins after the one before
  /// it has ended.
  func outage(of feed: Feed) throws -> (start: Int64, metUntil: Int64?)? {
    var outage: (start: Int64, metUntil: Int64?)?
    var isOver = false
    try forEachRow(
      "WHERE feed.name = ? ORDER BY feed_flip.at DESC, feed_flip.n DESC", bind: { $0.bind(1, feed.name) }
    ) { row, flip in
      if isOver { return }
      if flip.to.isOutage {
        let success = try row.integer(Column.lastSuccess)
        outage = (
          flip.outageStart, flip.from == .paused ? max(success ?? .min, flip.outageStart) : success
        )
      } else {
        isOver = true
        outage = outage.map { (max($0.start, flip.since), $0.metUntil) }
      }
    }
    return outage
  }

  /// Deletes flips that are older than the store keeps loads. Of each feed, the last old flip that ended a problem or a
  /// pause stays, and so do all after it: each outage that is kept is whole, and the feed's first flip shows that others
  /// came before it.
  func prune(at now: Int64) throws {
    guard let age = (try StoreRetention.fetch(in: database) ?? .usual).age else { return }
    let cutoff = now.subtractingClamping(max(age, Self.leastAge))
    let outages = FeedState.allCases.filter(\.isOutage).map { "'\($0.rawValue)'" }.joined(separator: ", ")
    try database.cachedStatement(
      sql: """
        DELETE FROM feed_flip WHERE at < ?1 AND EXISTS (
          SELECT 1 FROM feed_flip AS later
          WHERE later.feed = feed_flip.feed AND (later.at, later.n) > (feed_flip.at, feed_flip.n) AND later.at < ?1
            AND later.from_state <> 'fine' AND later.to_state NOT IN (\(outages)))
        """
    ).execute(arguments: [cutoff])
  }

  /// - Parameter bind: binds the arguments of the condition.
  private func forEachRow(
    _ condition: String, bind: (RawStatement) -> Void = { _ in },
    _ body: (RawStatement, FeedFlip) throws -> Void
  ) throws {
    let rows = try RawStatement(
      database,
      """
      SELECT \(Column.list(of: "feed_flip")), feed.name FROM feed_flip JOIN feed ON feed.id = feed_flip.feed
      \(condition)
      """)
    bind(rows)
    try rows.forEach { row in
      // A later version may know more states.
      guard let from = FeedState(rawValue: try row.text(Column.fromState) ?? ""),
        let to = FeedState(rawValue: try row.text(Column.toState) ?? "")
      else { return }
      var flip = FeedFlip(
        feed: Feed(try row.text(Column.columnCount) ?? ""), at: try row.number(Column.at), from: from, to: to,
        since: try row.number(Column.since))
      flip.reason = try row.text(Column.reason)
      flip.callSite = try row.text(Column.callSite)
      flip.down = try row.integer(Column.down)
      flip.missed = try row.integer(Column.missed).map { Int(clamping: $0) }
      try body(row, flip)
    }
  }
}

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
    for flip in try select("WHERE feed_flip.n IN (SELECT (\(newestOfFeed)) FROM feed)").map(Self.flip) {
      if let flip { newest[flip.feed] = flip }
    }
    return newest
  }

  /// The flips that were noticed in a filter's window, oldest first.
  func all(_ filter: LoadFilter) throws -> [FeedFlip] {
    let rows = try select(
      "WHERE feed_flip.at >= ? AND feed_flip.at < ? ORDER BY feed_flip.at, feed_flip.n",
      filter.since ?? .min, filter.until ?? .max)
    return try rows.map(Self.flip).compactMap(\.self).filter { filter.admits($0.feed) }
  }

  /// The flips with greater numbers than one, in their order, with their numbers.
  func lines(after number: Int64, limit: Int) throws -> [(number: Int64, line: FlipLine)] {
    let rows = try select("WHERE feed_flip.n > ? ORDER BY feed_flip.n LIMIT ?", number, limit)
    return try rows.map { row in
      try Self.flip(row).map { flip in
        (try row.number(Column.n), FlipLine(flip, lastSuccess: try row.integer(Column.lastSuccess)))
      }
    }.compactMap(\.self)
  }

  /// Whether there is a flip of the same feed at the same time to the same state.
  func contains(_ flip: FeedFlip) throws -> Bool {
    try select(
      "WHERE feed_flip.at = ? AND feed.name = ? AND feed_flip.to_state = ?", flip.at, flip.feed.name,
      flip.to.rawValue
    ).hasRow()
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

  /// The outage that a feed's newest flips record: when it began, and the start of the last success before it; nil if the
  /// feed is in none. It begins after the one before it has ended.
  func outage(of feed: Feed) throws -> (start: Int64, success: Int64?)? {
    var outage: (start: Int64, success: Int64?)?
    var isOver = false
    let rows = try select("WHERE feed.name = ? ORDER BY feed_flip.at DESC, feed_flip.n DESC", feed.name)
    try rows.forEach { row in
      guard !isOver, let flip = try Self.flip(row) else { return }
      if flip.to.isOutage {
        outage = (flip.since, try row.integer(Column.lastSuccess))
      } else {
        isOver = true
        outage = outage.map { (max($0.start, flip.since), $0.success) }
      }
    }
    return outage
  }

  /// When the last pause of a feed was over, as far as its flips say it: when it was noticed, or when the outage began that
  /// followed. Times are in microseconds since 1970.
  ///
  /// - Returns: nil if there was no pause before the given time.
  func pauseEnd(of feed: Feed, before wall: Int64) throws -> Int64? {
    let rows = try select(
      "WHERE feed.name = ? AND feed_flip.from_state = 'paused' ORDER BY feed_flip.at DESC, feed_flip.n DESC",
      feed.name)
    let ends = try rows.map(Self.flip).map { $0.map { $0.to.isOutage ? $0.since : $0.at } }
    return ends.lazy.compactMap(\.self).first { $0 <= wall }
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

  private func select<each Value: Bindable>(
    _ condition: String, _ values: repeat each Value
  ) throws -> RawStatement {
    try RawStatement(
      database,
      """
      SELECT \(Column.list(of: "feed_flip")), feed.name FROM feed_flip JOIN feed ON feed.id = feed_flip.feed
      \(condition)
      """, repeat each values)
  }

  /// The flip of a row; nil if a later version wrote it, which may know more states.
  private static func flip(_ row: RawStatement) throws -> FeedFlip? {
    guard let from = FeedState(rawValue: try row.text(Column.fromState) ?? ""),
      let to = FeedState(rawValue: try row.text(Column.toState) ?? "")
    else { return nil }
    var flip = FeedFlip(
      feed: Feed(try row.text(Column.columnCount) ?? ""), at: try row.number(Column.at), from: from, to: to,
      since: try row.number(Column.since))
    flip.reason = try row.text(Column.reason)
    flip.callSite = try row.text(Column.callSite)
    flip.down = try row.integer(Column.down)
    flip.missed = try row.integer(Column.missed).map { Int(clamping: $0) }
    return flip
  }
}

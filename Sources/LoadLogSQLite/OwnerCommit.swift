import GRDB
import LoadLogCore

/// The newest commit of an owner: the number of its last event, and when that was.
///
/// A library owner has it in its own row or in the row of a feed, whichever number is greater.
struct OwnerCommit {
  var event: Int64
  var at: LoadInstant

  /// What an owner's own row says, or a feed's, if that is newer.
  func newer(of owner: Int64, in database: Database) throws -> OwnerCommit {
    let carried = try RawStatement(
      database, "SELECT max(commit_event), commit_at, commit_boot FROM feed WHERE commit_owner = ?")
    carried.bind(1, owner)
    return try carried.first { row in
      guard let event = try row.integer(0), event > self.event else { return nil }
      return OwnerCommit(event: event, at: LoadInstant(wall: try row.number(1), boot: try row.number(2)))
    }.flatMap { $0 } ?? self
  }

  /// Writes it into the owner's own row.
  func write(_ owner: Int64, dropped: Int, in database: Database) throws {
    let statement = try RawStatement(
      database,
      """
      UPDATE owner SET last_event = max(last_event, ?), last_commit_at = ?, last_commit_boot = ?,
        dropped = dropped + ? WHERE id = ?
      """)
    statement.bind(1, event)
    statement.bind(2, at.wall)
    statement.bind(3, at.boot)
    statement.bind(4, Int64(dropped))
    statement.bind(5, owner)
    try statement.run()
  }
}

/// The feeds whose rows carry the commits of this writer's owner.
///
/// Only while it writes alone, for owners that took turns would take the rows from each other. And only while its own
/// row is in the write-ahead log: by the owners in it ``LogOwnership`` knows whose a log is.
struct CommitCarriers {
  private var known: Set<Int64> = []
  private var isOwnRowInLog = false
  private var hasWrittenOwnRow = false
  private static let most = 16_384

  /// Call it at the beginning of each transaction, with whether nobody else has written since the last.
  mutating func refresh(isAlone: Bool) {
    hasWrittenOwnRow = false
    guard !isAlone else { return }
    known = []
    isOwnRowInLog = false
  }

  /// The transaction writes the owner's own row.
  mutating func noteOwnRow() {
    hasWrittenOwnRow = true
    isOwnRowInLog = true
  }

  /// The log was begun anew, by the last transaction or soon by the next.
  mutating func noteNewLog(byLast: Bool) {
    if !byLast || !hasWrittenOwnRow { isOwnRowInLog = false }
  }

  /// The feed, of those that a transaction changes, whose row is to carry the owner's commit.
  ///
  /// - Returns: nil if the owner's own row must be written.
  mutating func choose(
    among feeds: some Sequence<Int64>, for owner: Int64, in database: Database
  ) throws -> Int64? {
    guard isOwnRowInLog else { return nil }
    if let feed = feeds.first(where: known.contains) { return feed }
    guard let feed = feeds.first(where: { _ in true }) else { return nil }
    let holder = try RawStatement(database, "SELECT commit_owner FROM feed WHERE id = ?")
    holder.bind(1, feed)
    let other = try holder.first { try $0.integer(0) } ?? nil
    if other != owner {
      if other != nil { try giveBack(from: feed, in: database) }
      try take(feed, for: owner, in: database)
    }
    if known.count >= Self.most { known = [] }
    known.insert(feed)
    return feed
  }

  /// The commit that a feed's row carries goes into its owner's own, unless that is newer, or damaged.
  private func giveBack(from feed: Int64, in database: Database) throws {
    let statement = try RawStatement(
      database,
      """
      UPDATE owner SET last_event = commit_event, last_commit_at = commit_at, last_commit_boot = commit_boot
      FROM feed WHERE feed.id = ? AND owner.id = commit_owner AND last_event < commit_event
        AND commit_at IS NOT NULL AND commit_boot IS NOT NULL
      """)
    statement.bind(1, feed)
    try statement.run()
  }

  private func take(_ feed: Int64, for owner: Int64, in database: Database) throws {
    let statement = try RawStatement(
      database, "UPDATE feed SET commit_owner = ?, commit_event = NULL WHERE id = ?")
    statement.bind(1, owner)
    statement.bind(2, feed)
    try statement.run()
  }
}

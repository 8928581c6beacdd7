import GRDB
import LoadLogCore

/// Drops old finished loads. What runs, what is unbalanced and each feed's last load, success and failure stay, and so
/// do all counts, dates and histograms.
struct Pruning {
  private let database: Database
  /// Only loads that ended before this wall time in microseconds are dropped.
  private let cutoff: Int64

  init(_ database: Database, before cutoff: Int64) {
    self.database = database
    self.cutoff = cutoff
  }

  /// Drops loads in one transaction, which the caller has begun.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of loads to drop.
  ///   - sealing: busy time of the days that will be sealed, found before the transaction began.
  /// - Returns: the number of dropped loads; fewer than the limit if no more may go.
  func prune(limit: Int, _ sealing: Sealing) throws -> Int {
    let sessions = try candidates(limit: limit)
    guard !sessions.isEmpty else { return 0 }
    // What waits in the journal refers to the rows.
    try ChangeJournal.apply(in: database)
    let sealed = Set(sessions.flatMap(Sealing.days))
    try sealing.adding(sealed, in: database).write(sealed, to: database)
    for session in sessions {
      for table in ["visibility WHERE session", "session WHERE seq"] {
        try database.cachedStatement(sql: "DELETE FROM \(table) = ?").execute(arguments: [session.row])
      }
    }
    return sessions.count
  }

  /// The number of loads of each feed that may go.
  func forecast() throws -> [Feed: Int] {
    var loads: [Feed: Int] = [:]
    for feed in try feedsWithOldLoads() {
      let rows = try old("count(*)", of: feed, kept: kept(of: feed))
      let count = Int(try rows.first { try $0.number(0) } ?? 0)
      if count > 0 { loads[try Feed.named(feed, in: database)] = count }
    }
    return loads
  }

  /// The loads that may go, at most a number of them.
  func candidates(limit: Int) throws -> [StoredSession] {
    var sessions: [StoredSession] = []
    for feed in try feedsWithOldLoads() where sessions.count < limit {
      let order = "ORDER BY started_at, seq LIMIT \(limit - sessions.count)"
      try old(StoredSession.columns, of: feed, kept: kept(of: feed), order).forEach {
        sessions.append(try StoredSession($0))
      }
    }
    return sessions
  }

  /// Most often no feed has old loads, and one search of the index per feed finds that. Only then is it worth searching
  /// for the rows that stay, which may read many rows.
  private func feedsWithOldLoads() throws -> [Int64] {
    try Int64.fetchAll(database, sql: "SELECT id FROM feed").filter { feed in
      try old("1", of: feed, kept: [], "LIMIT 1").first { _ in true } ?? false
    }
  }

  /// The rows of a feed that stay, however old they are; among them the last row of all, so that its number is not
  /// used again.
  private func kept(of feed: Int64) throws -> [Int64] {
    let last = try Int64.fetchOne(database, sql: "SELECT max(seq) FROM session") ?? 0
    let newest = try ["state IN (1, 2)", "state = 3", "1"].compactMap { condition in
      try Int64.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT seq FROM session WHERE feed = ? AND \(condition) ORDER BY started_at DESC, seq DESC LIMIT 1
            """),
        arguments: [feed])
    }
    return [last] + newest
  }

  private func old(
    _ columns: String, of feed: Int64, kept: [Int64], _ order: String = ""
  ) throws -> RawStatement {
    let statement = try RawStatement(
      database,
      """
      SELECT \(columns) FROM session
      WHERE feed = ?1 AND started_at < ?2 AND state BETWEEN 1 AND 5
        AND started_at + coalesce(duration / 1000, 0) + coalesce(wall_drift, 0) < ?2
        AND seq NOT IN (\(kept.map(String.init).joined(separator: ", "))) \(order)
      """)
    statement.bind(1, feed)
    statement.bind(2, cutoff)
    return statement
  }
}

/// Busy time and peak depth of days that lose rows: computed from the rows while they are all there, and stored with the
/// day.
struct Sealing {
  private var times: [SummaryKey: BusyTime] = [:]

  /// Computes the days that pruning before a cutoff would seal.
  init(_ database: Database, before cutoff: Int64, limit: Int) throws {
    let sessions = try Pruning(database, before: cutoff).candidates(limit: limit)
    self = try adding(Set(sessions.flatMap(Self.days)), in: database)
  }

  /// Adds days that are missing: loads that finished since the first search.
  func adding(_ keys: Set<SummaryKey>, in database: Database) throws -> Sealing {
    var sealing = self
    let missing = try keys.filter { key in
      try times[key] == nil && key.day != SummaryKey.allTime
        && Summary.fetch(key, in: database)?.isSealed != true
    }
    for day in Set(missing.map(\.day)) {
      let bounds = UTCDay(number: day).countedBounds
      var busy = BusyDays(bounds, of: nil)
      let search = try LoadReach(database)
      for session in try search.sessions(openAt: bounds.lowerBound) {
        busy.carry(session, end: session.sealingEnd)
      }
      let times = try busy.next(day..<day + 1, in: database) { $0.sealingEnd }
      for key in missing where key.day == day { sealing.times[key] = times[key.feed] ?? BusyTime() }
    }
    return sealing
  }

  /// The days on which a load was open, of its feed and of the store, and all time.
  static func days(of session: StoredSession) -> [SummaryKey] {
    let first = SummaryKey.day(of: session.started.wall)
    let last = max(first, SummaryKey.day(of: session.storedEnd.subtractingClamping(1) / 1000))
    return [session.feedRow, SummaryKey.store].flatMap { feed in
      ([SummaryKey.allTime] + Array(first...last)).map { SummaryKey(feed: feed, day: $0) }
    }
  }

  /// Seals days. A day on which a pruned load was open can no longer be computed from rows, even if no load of its
  /// feed started on it.
  func write(_ keys: Set<SummaryKey>, to database: Database) throws {
    for key in keys {
      var summary = try Summary.fetch(key, in: database) ?? Summary()
      guard !summary.isSealed else { continue }
      summary.isSealed = true
      summary.sealedTime = times[key]
      try summary.write(key, to: database)
    }
  }
}

extension StoredSession {
  /// Where its interval ends for a day that is sealed: a running load is still open.
  fileprivate var sealingEnd: Int64 { state == .running ? .max : storedEnd }
}

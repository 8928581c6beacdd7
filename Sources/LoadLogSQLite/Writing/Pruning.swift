import GRDB
import LoadLogCore

/// Drops old finished loads. What runs, what is unbalanced and each feed's last load, success and failure stay, and so
/// do all counts, dates and histograms.
struct Pruning {
  /// A read in the transaction that drops the loads.
  let query: RecordQuery
  /// Busy time of the days that will be sealed, found before the transaction began.
  let sealing: Sealing

  private var database: Database { query.database }

  /// Drops loads in one transaction, which the caller has begun.
  ///
  /// - Parameter limit: the maximum number of loads to drop.
  /// - Returns: the number of dropped loads, by feed.
  func prune(limit: Int) throws -> [Feed: Int] {
    let sessions = try PrunableLoads(database: database, cutoff: sealing.cutoff).first(limit)
    guard !sessions.isEmpty else { return [:] }
    // What waits in the journal refers to the rows.
    try ChangeJournal.apply(in: database)
    var sealing = sealing
    let sealed = sealing.days(of: sessions)
    try sealing.add(sealed, query)
    try sealing.write(sealed, to: database)
    for session in sessions {
      try keepCount(of: session)
      for table in [
        "visibility WHERE session", "run WHERE session", "output WHERE session", "session WHERE seq",
      ] {
        try database.cachedStatement(sql: "DELETE FROM \(table) = ?").execute(arguments: [session.row])
      }
    }
    var loads: [Feed: Int] = [:]
    for (feed, sessions) in Dictionary(grouping: sessions, by: \.feedRow) {
      loads[try Feed.named(feed, in: database), default: 0] += sessions.count
    }
    return loads
  }

  /// Counts a failure that started after its feed's last success, because the number of failures in a row stays.
  private func keepCount(of session: StoredSession) throws {
    guard session.state == .failed else { return }
    try database.cachedStatement(
      sql: """
        UPDATE feed SET pruned_failures = pruned_failures + 1
        WHERE id = ?1 AND coalesce(last_success_started < ?2, 1)
          AND EXISTS (SELECT 1 FROM session WHERE seq = ?3 AND \(CountedFailure.failed))
        """
    ).execute(arguments: [session.feedRow, session.started.wall, session.row])
  }
}

/// The loads that one step of pruning drops, and busy time and peak depth of the days that lose them: computed while the
/// rows are there, and stored with the day.
///
/// A step takes the oldest loads of the whole store, up to a cutoff of its own, so that it reads few rows however many a day
/// or a feed has. Only the part of a day before that cutoff is stored. Loads that were open after it are not pruned, so the
/// rest is still computed from rows, and the next step moves the boundary.
struct Sealing {
  /// The cutoff of this step: only loads that ended before this wall time in microseconds are dropped.
  let cutoff: Int64
  /// Whether no loads were found that may be dropped.
  let isEmpty: Bool
  /// Whether no loads are left for another step.
  let isLast: Bool
  private var times: [SummaryKey: BusyTime] = [:]

  /// The maximum number of UTC days on which the loads of a step start, unless none of them ended in time. Each day that
  /// is sealed takes a search of the whole store.
  private static let mostDays = 8

  /// Computes the days that the first step of pruning before a cutoff would seal.
  init(_ query: RecordQuery, before end: Int64, limit: Int) throws {
    let loads = PrunableLoads(database: query.database, cutoff: end)
    var (most, days) = (limit, Self.mostDays)
    var part = (cutoff: end, sessions: [StoredSession]())
    repeat {
      part.cutoff = try loads.cutoff(most: most, days: days)
      part.sessions = try PrunableLoads(database: query.database, cutoff: part.cutoff).first(limit)
      // None of these loads ended before this cutoff: take more.
      (most, days) = (most.multipliedClamping(by: 2), days.multipliedClamping(by: 2))
    } while part.sessions.isEmpty && part.cutoff < end
    cutoff = part.cutoff
    isEmpty = part.sessions.isEmpty
    isLast = part.cutoff == end && part.sessions.count < limit
    try add(self.days(of: part.sessions), query)
  }

  /// Adds days that are missing: loads that finished since the first search.
  ///
  /// A load whose owner is dead ends where it ends for every question, also before its verdict is stored.
  mutating func add(_ keys: Set<SummaryKey>, _ query: RecordQuery) throws {
    let database = query.database
    let missing = try keys.filter { key in
      try times[key] == nil && key.day != SummaryKey.allTime
        && Summary.fetch(key, in: database)?.sealedUntil ?? .min < end(of: key.day)
    }
    guard !missing.isEmpty else { return }
    let search = try LoadReach(database)
    for (day, keys) in Dictionary(grouping: missing, by: \.day) {
      let found = try busyTimes(on: day, search, query)
      for key in keys { times[key] = found[key.feed] ?? BusyTime() }
    }
  }

  private func busyTimes(on day: Int64, _ search: LoadReach, _ query: RecordQuery) throws -> BusyDays.Times {
    let bounds = UTCDay(number: day).countedBounds
    var busy = BusyDays(bounds.lowerBound..<max(bounds.lowerBound, end(of: day)), of: nil)
    for session in try search.sessions(openAt: bounds.lowerBound) {
      busy.carry(session, end: try query.wallEnd(session))
    }
    return try busy.next(day..<day + 1, in: query.database) { try query.wallEnd($0) }
  }

  /// The end of the part of a day that is stored.
  private func end(of day: Int64) -> Int64 { min(cutoff, UTCDay(number: day).end) }

  /// The days before the cutoff on which loads were open, of their feeds and of the store, and all time.
  func days(of sessions: [StoredSession]) -> Set<SummaryKey> {
    var days: Set<SummaryKey> = []
    for session in sessions {
      let first = SummaryKey.day(of: session.started.wall)
      let end = session.storedEnd.subtractingClamping(1) / 1000
      for day in first...max(first, SummaryKey.day(of: end)) {
        days.formUnion(SummaryKey(feed: session.feedRow, day: day).totals)
      }
    }
    return days
  }

  /// Seals days. A day on which a pruned load was open can no longer be computed from rows, even if no load of its
  /// feed started on it.
  func write(_ keys: Set<SummaryKey>, to database: Database) throws {
    for key in keys {
      var summary = try Summary.fetch(key, in: database) ?? Summary()
      guard summary.sealedUntil < end(of: key.day) else { continue }
      summary.isSealed = true
      summary.sealedTime = times[key].map { SealedTime(time: $0, until: end(of: key.day)) }
      try summary.write(key, to: database)
    }
  }
}

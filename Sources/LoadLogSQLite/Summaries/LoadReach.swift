import GRDB
import LoadLogCore

/// Finds sessions that began before a time and reach beyond it, without reading all earlier ones: no finished load is
/// longer than the longest that the counters know.
struct LoadReach {
  let database: Database
  /// The counters of all time, by feed.
  let lifetimes: [Int64: Summary]
}

extension LoadReach {
  /// - Parameter feeds: rows of feeds; nil for all.
  init(_ database: Database, of feeds: Set<Int64>? = nil) throws {
    self.init(
      database: database,
      lifetimes: try CurrentSummaries(database).sums(days: SummaryKey.allTime..<0, of: feeds))
  }

  /// No finished load of the feed that began before this wall time is open at another one.
  func earliestStart(of feed: Int64, openAt wall: Int64) -> Int64 {
    wall.subtractingClamping((lifetimes[feed]?.longestLoad ?? 0) / 1000).subtractingClamping(1)
  }

  /// The sessions that began before a wall time and may be open at it, in the order of starts.
  func sessions(openAt wall: Int64) throws -> [StoredSession] {
    var sessions = try unfinished(before: wall)
    for feed in lifetimes.keys where feed != SummaryKey.store {
      let rows = try RowCount(database: database).sessions(
        StoredSession.columns, of: feed, earliestStart(of: feed, openAt: wall)..<wall)
      try rows.forEach { row in
        let session = try StoredSession(row)
        if session.state.isFinished { sessions.append(session) }
      }
    }
    return sessions.sorted { $0.startsBefore($1) }
  }

  /// The sessions without a finish that began before a wall time. They may be open however long ago they began.
  func unfinished(before wall: Int64) throws -> [StoredSession] {
    var sessions: [StoredSession] = []
    for condition in ["state = 0", "state >= 6"] {
      let rows = try RawStatement(database, "SELECT \(StoredSession.columns) FROM session WHERE \(condition)")
      try rows.forEach { row in
        let session = try StoredSession(row)
        if session.started.wall < wall, lifetimes[session.feedRow] != nil { sessions.append(session) }
      }
    }
    return sessions
  }
}

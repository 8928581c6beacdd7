import GRDB
import LoadLogCore

/// Decides when a writer keeps what ``DaySweeps`` adds up.
///
/// Loads are taken in some thousand at a time and only when they are two seconds old: events of several
/// threads and processes reach the store a little out of order, and what is taken in must be in order of
/// starts to be added up once. Until then readers add the rest themselves. What is open is kept with the sweeps,
/// and written anew each time; where much is, so many wait as are open, so that a load costs the same in the end.
package struct Settlement: Sendable {
  /// So many sessions may wait.
  private let batch: Int64
  /// How old they must be; microseconds.
  private let delay: Int64
  /// A start farther ahead than this comes from a clock that was wrong; nobody waits for it.
  private static let farAhead: Int64 = 60_000_000

  private var nextAttempt: Int64 = 0

  /// Makes a rule; other numbers than the defaults are for tests.
  package init(batch: Int64 = 1024, delay: Int64 = 2_000_000) {
    self.batch = batch
    self.delay = delay
  }

  /// Takes in what is old enough, if enough is waiting. The caller is in a transaction.
  ///
  /// - Parameter isLeavingStale: days on which something came out of order are not added up anew yet. For whoever goes
  ///   on to bring much out of order: the whole day would be gone through each time.
  mutating func settleIfDue(_ database: Database, now: Int64, isLeavingStale: Bool = false) throws {
    let last =
      try RawStatement(database, "SELECT max(seq) FROM session").first { try $0.integer(0) ?? 0 } ?? 0
    guard last >= nextAttempt else { return }
    let settled = try DaySweeps.settled(in: database)
    let waiting = last - settled
    if try waiting >= batch && waiting >= Self.open(in: database) {
      try Self.settle(database, olderThan: now.subtractingClamping(delay)) { !isLeavingStale }
    }
    nextAttempt = max(try DaySweeps.settled(in: database), last - batch / 2) + batch
  }

  /// About how many intervals are kept as open; they take some twelve bytes each.
  private static func open(in database: Database) throws -> Int64 {
    let rows = try RawStatement(database, "SELECT length(open) / 12 FROM sweep WHERE feed = ?")
    rows.bind(1, SummaryKey.store)
    return try rows.first { try $0.integer(0) ?? 0 } ?? 0
  }

  /// Adds up anew days on which something came out of order, as many as there is time for. The caller is in a
  /// transaction.
  ///
  /// - Parameter isTimeLeft: asked after each day.
  /// - Returns: whether some are left.
  func settleStale(_ database: Database, now: Int64, while isTimeLeft: () -> Bool) throws -> Bool {
    let stale = try RawStatement(database, "SELECT 1 FROM summary WHERE is_stale = 1 LIMIT 1")
    guard try stale.first({ _ in true }) != nil else { return false }
    var isFirst = true
    try Self.settle(database, olderThan: now.subtractingClamping(delay)) {
      defer { isFirst = false }
      return isFirst || isTimeLeft()
    }
    return try stale.first { _ in true } != nil
  }

  /// Takes in the sessions before the first that started at a time or after it; all, without one. The caller
  /// is in a transaction.
  ///
  /// - Parameter mayGoOn: asked before each day that is added up anew.
  static func settle(
    _ database: Database, olderThan wall: Int64? = nil, addingUpAnewWhile mayGoOn: () -> Bool = { true }
  ) throws {
    var sweeps = try DaySweeps(database) { $0.state == .running ? .max : $0.keptEnd }
    let statement = try database.cachedStatement(
      sql: """
        SELECT seq - 1 FROM session WHERE seq > ? AND started_at >= ? AND started_at < ? ORDER BY seq LIMIT 1
        """)
    let last = try wall.flatMap {
      try Int64.fetchOne(
        statement, arguments: [sweeps.settled, $0, $0.addingClamping(farAhead)])
    }
    try sweeps.settle(upTo: last, addingUpAnewWhile: mayGoOn)
    try sweeps.write(to: database)
  }
}

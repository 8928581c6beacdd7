import GRDB
import LoadLogCore

/// Decides when a writer counts loads in the summaries, and when it keeps what ``DaySweeps`` adds up.
///
/// Loads are counted some thousand at a time, and the newest wait: most have ended by then, so that start and finish
/// are counted in one. A writer that ends leaves few to wait: whoever asks next finds most of the work done. Loads are
/// taken in some thousand at a time and only when they are two seconds old: events of several threads and processes
/// reach the store a little out of order, and what is taken in must be in order of starts to be added up once. Until
/// then readers add the rest themselves. What is open is kept with the sweeps, and written anew each time; where much
/// is, so many wait as are open, so that a load costs the same in the end.
package struct Settlement: Sendable {
  /// So many sessions may wait, and so many times as many to be counted: a count writes a row or two for each feed.
  private let batch: Int64
  private static let countedBatches: Int64 = 4
  /// How old they must be; microseconds.
  private let delay: Int64
  /// A start farther ahead than this comes from a clock that was wrong; nobody waits for it.
  private static let farAhead: Int64 = 60_000_000
  /// For each load that is taken in at most so many are gone through again, and so many at once: some 50 ms.
  private static let mostForOne: Int64 = 32, mostAtOnce: Int64 = 1 << 15

  private var nextAttempt: Int64 = 0
  /// The last session that has started, and the last that was counted, as far as this writer knows.
  private var last: Int64 = 0, counted: Int64 = 0

  /// Makes a rule; other numbers than the defaults are for tests.
  package init(batch: Int64 = 1024, delay: Int64 = 2_000_000) {
    self.batch = batch
    self.delay = delay
  }

  /// Takes in what is old enough, if enough is waiting. The caller is in a transaction.
  ///
  /// Days on which something came out of order are added up anew as far as they have few loads for as many as came: so a
  /// load costs the same, whatever its day holds. Larger days wait for an import's end or for pruning; until then
  /// readers add them up themselves.
  ///
  /// - Parameter last: the last session that there is.
  /// - Returns: how far it has come; nil if nothing was due.
  mutating func settleIfDue(
    _ database: Database, last: Int64, now: Int64, _ cache: inout SummaryCache
  ) throws -> SettlementMarks? {
    self.last = last
    guard last >= nextAttempt else { return nil }
    var marks = try SettlementMarks(database)
    if last - marks.counted >= Self.countedBatches * batch {
      marks = try Self.count(database, upTo: last - batch, &cache)
    }
    counted = marks.counted
    marks.swept = try takeIn(database, ifAtLeast: batch, after: marks.swept, upTo: last, now: now)
    nextAttempt = min(
      max(marks.swept, last - batch / 2).addingClamping(batch),
      marks.counted.addingClamping(Self.countedBatches * batch))
    return marks
  }

  /// Whether so many wait that a writer which ends is to count them.
  var isDueAtEnd: Bool { last - counted >= leastAtEnd }

  private var leastAtEnd: Int64 { max(1, batch / 4) }

  /// Counts what waits and takes in what is old enough, as the last that a writer does. The caller is in a transaction.
  func settleAtEnd(_ database: Database, now: Int64) throws {
    let marks = try Self.count(database)
    _ = try takeIn(database, ifAtLeast: leastAtEnd, after: marks.swept, upTo: marks.counted, now: now)
  }

  /// - Returns: how far it has come.
  private func takeIn(
    _ database: Database, ifAtLeast least: Int64, after swept: Int64, upTo last: Int64, now: Int64
  ) throws -> Int64 {
    let waiting = last - swept
    guard try waiting >= least && waiting >= Self.open(in: database) else { return swept }
    var room = min(waiting.multipliedClamping(by: Self.mostForOne), Self.mostAtOnce)
    var sweeps = try Self.sweeps(database, olderThan: now.subtractingClamping(delay)) { key in
      try Self.take(key, from: &room, in: database)
    }
    try sweeps.write(to: database)
    return sweeps.settled
  }

  /// Counts sessions that are not counted yet, up to one, and puts them into their indexes. The caller is in a transaction.
  ///
  /// - Parameter last: the last to be counted; nil for all there are.
  /// - Returns: how far it has come.
  @discardableResult
  static func count(
    _ database: Database, upTo last: Int64? = nil, _ cache: inout SummaryCache
  ) throws -> SettlementMarks {
    var marks = try SettlementMarks(database)
    let last = try last ?? SettlementMarks.lastSession(in: database)
    var changes = try SummaryChanges(after: marks.counted, upTo: last, in: database)
    try changes.write(to: database, &cache)
    try SettlementMarks.index(after: marks.counted, upTo: last, in: database)
    try SettlementMarks.noteCounted(upTo: last, in: database)
    marks.counted = last
    return marks
  }

  /// The same by a writer that remembers no rows.
  @discardableResult
  static func count(_ database: Database) throws -> SettlementMarks {
    var cache = SummaryCache()
    return try count(database, &cache)
  }

  /// About how many intervals are kept as open; they take some twelve bytes each.
  private static func open(in database: Database) throws -> Int64 {
    let rows = try RawStatement(database, "SELECT length(open) / 12 FROM sweep WHERE feed = ?")
    rows.bind(1, SummaryKey.store)
    return try rows.first { try $0.integer(0) ?? 0 } ?? 0
  }

  /// Whether there is room for the loads that started on a day.
  private static func take(_ key: SummaryKey, from room: inout Int64, in database: Database) throws -> Bool {
    let rows = try RawStatement(database, "SELECT loads FROM summary WHERE feed = ? AND day = ?")
    rows.bind(1, key.feed)
    rows.bind(2, key.day)
    let loads = try rows.first { try $0.number(0) } ?? 0
    guard loads <= room else { return false }
    room -= loads
    return true
  }

  /// Adds up anew, without writing, days on which something came out of order: a large one, or some. The caller reads
  /// as of one moment.
  ///
  /// - Returns: what is to be kept; nil if no day is out of date.
  func prepareStale(_ database: Database, now: Int64) throws -> Prepared? {
    let stale = try RawStatement(database, "SELECT 1 FROM summary WHERE is_stale = 1 LIMIT 1")
    guard try stale.first({ _ in true }) != nil else { return nil }
    var (room, isFirst) = (Self.mostAtOnce, true)
    let sweeps = try Self.sweeps(database, olderThan: now.subtractingClamping(delay)) { key in
      defer { isFirst = false }
      return try Self.take(key, from: &room, in: database) || isFirst
    }
    return Prepared(sweeps: sweeps, version: try Prepared.version(of: database))
  }

  /// Sweeps that were added up without the right to write.
  struct Prepared {
    fileprivate var sweeps: DaySweeps
    fileprivate let version: Int64

    /// Keeps them, unless another connection has written since. The caller is in a transaction.
    ///
    /// - Returns: whether they were kept.
    mutating func write(to database: Database) throws -> Bool {
      guard try Self.version(of: database) == version else { return false }
      try sweeps.write(to: database)
      return true
    }

    /// SQLite's number for what others have written.
    fileprivate static func version(of database: Database) throws -> Int64 {
      try RawStatement(database, "PRAGMA data_version").first { try $0.number(0) } ?? 0
    }
  }

  /// Counts all sessions and takes them in. The caller is in a transaction.
  ///
  /// - Parameter withEnds: takes in the ends of what was open, too, also where nothing has started since: before rows go,
  ///   from which nobody could tell any more.
  static func settle(_ database: Database, withEnds: Bool = false) throws {
    try count(database)
    var sweeps = try sweeps(database, olderThan: nil) { _ in true }
    if withEnds { try sweeps.settleEnds() }
    try sweeps.write(to: database)
  }

  /// Takes in the sessions before the first that started at a time or after it; all, without one.
  ///
  /// - Parameter isDue: asked of each day on which something came out of order, whether it is to be added up anew.
  private static func sweeps(
    _ database: Database, olderThan wall: Int64?, addingUpAnew isDue: (SummaryKey) throws -> Bool
  ) throws -> DaySweeps {
    var sweeps = try DaySweeps(database) { $0.state == .running ? .max : $0.keptEnd }
    let statement = try database.cachedStatement(
      sql: """
        SELECT seq - 1 FROM session WHERE seq > ? AND started_at >= ? AND started_at < ? ORDER BY seq LIMIT 1
        """)
    let last = try wall.flatMap {
      try Int64.fetchOne(
        statement, arguments: [sweeps.settled, $0, $0.addingClamping(farAhead)])
    }
    try sweeps.settle(upTo: last, addingUpAnew: isDue)
    return sweeps
  }
}

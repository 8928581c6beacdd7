import GRDB
import LoadLogCore

/// Chooses what the next batch of a store holds.
struct OutboxPick {
  /// The most rows of small tables, and of sessions, in a batch.
  static let mostRows = 2000

  private let database: Database
  private let loads: ShippedLoads
  /// How far sessions are shipped once the batch has arrived.
  private(set) var progress: OutboxProgress
  /// The sessions whose rows the batch holds.
  private(set) var sessions: Set<Int64> = []
  /// Sessions that ended, and have no row here or none in the batch.
  private(set) var gone: [Int64] = []
}

extension OutboxPick {
  /// Chooses sessions, from where the last batch ended.
  init(_ database: Database, loads: ShippedLoads, from progress: OutboxProgress) throws {
    self.init(database: database, loads: loads, progress: progress)
    try followJournal()
    try scan()
  }

  /// Chooses sessions from the start of a scan of all, whatever the journal says.
  ///
  /// - Parameter unfinished: the sessions that the database has without a finish; a scan finds only those that have none.
  init(_ database: Database, loads: ShippedLoads, startingOverWith unfinished: [Int64]) throws {
    let last = try ChangeJournal.lastChange(in: database)
    self.init(database: database, loads: loads, progress: OutboxProgress(through: last, scanned: 0))
    for session in unfinished {
      let isScanned = try loads != .none && state(of: session)?.isUnusual == true
      if !isScanned { try take(session, isNew: false) }
    }
    try scan()
  }

  /// Whether the journal does not reach back to where it is needed.
  static func mustStartOver(from progress: OutboxProgress, in database: Database) throws -> Bool {
    let first = try number("SELECT min(n) FROM change", in: database)
    let last = try ChangeJournal.lastChange(in: database)
    return !(progress.through >= 0 && progress.through <= last && first <= progress.through + 1)
  }

  /// Takes the next changes. A session that changed several times is shipped once, as it is now.
  private mutating func followJournal() throws {
    let changes = try RawStatement(
      database, "SELECT n, session, was FROM change WHERE n > ? ORDER BY n LIMIT ?", progress.through,
      Self.mostRows)
    // Whether the start of the session is among the changes. Otherwise the database may have it as running.
    var changed: [Int64: Bool] = [:]
    try changes.forEach { row in
      progress.through = try row.number(0)
      changed[try row.number(1), default: false] = try changed[row.number(1)] == true || row.integer(2) == nil
    }
    for (session, isNew) in changed { try take(session, isNew: isNew) }
  }

  private func state(of session: Int64) throws -> SessionState? {
    try RawStatement(database, "SELECT state FROM session WHERE seq = ?", session).first {
      try $0.state(0)
    }
  }

  private mutating func take(_ session: Int64, isNew: Bool) throws {
    let state = try state(of: session)
    if let state, loads == .all || loads == .unusual && (state.isUnusual || !isNew) {
      sessions.insert(session)
    } else if !isNew, state != .running {
      gone.append(session)
    }
  }

  /// Takes the next sessions of a scan.
  private mutating func scan() throws {
    guard let from = progress.scanned else { return }
    guard loads != .none else { return progress.scanned = nil }
    let rows = try RawStatement(
      database,
      """
      SELECT seq FROM session WHERE seq > ? \(loads == .all ? "" : "AND \(SessionState.unusual)")
      ORDER BY seq LIMIT ?
      """, from, Self.mostRows)
    let found = try rows.map { try $0.number(0) }
    sessions.formUnion(found)
    progress.scanned = found.count < Self.mostRows ? nil : found.last
  }

  /// Marks rows of other tables as taken by a batch.
  func takeRows(for attempt: Int64) throws {
    let take = try RawStatement(
      database,
      """
      UPDATE unshipped SET attempt = ? WHERE (kind, key, key2) IN
        (SELECT kind, key, key2 FROM unshipped ORDER BY kind, key, key2 LIMIT ?)
      """, attempt, Self.mostRows)
    try take.run()
  }

  /// How many changes wait after a progress. Found from numbers of rows, not by counting them, because writers wait
  /// meanwhile: in a scan, sessions that were pruned or are not shipped count, too.
  ///
  /// - Parameter attempt: a batch whose rows do not count as waiting; nil if all do.
  static func waiting(
    in database: Database, _ progress: OutboxProgress, besides attempt: Int64?
  ) throws -> Int {
    let rows = try RawStatement(
      database, "SELECT count(*) FROM unshipped WHERE attempt IS NOT ?", attempt ?? -1)
    let changes = max(0, try ChangeJournal.lastChange(in: database) - progress.through)
    let unscanned = try progress.scanned.map {
      max(0, try number("SELECT max(seq) FROM session", in: database) - $0)
    }
    return Int(try rows.first { try $0.number(0) } ?? 0) + Int(changes + (unscanned ?? 0))
  }

  /// What waits after a progress, in words, such as "3 changes wait".
  static func waitingText(in database: Database, _ progress: OutboxProgress) throws -> String {
    guard try !mustStartOver(from: progress, in: database) else { return "the next sync ships everything" }
    let waiting = try waiting(in: database, progress, besides: nil)
    return waiting == 1 ? "1 change waits" : "\(waiting) changes wait"
  }

  private static func number(_ sql: String, in database: Database) throws -> Int64 {
    try RawStatement(database, sql).first { try $0.integer(0) ?? 0 } ?? 0
  }
}

import GRDB
import LoadLogCore

/// What a transaction changes in the summaries, added up and written once at its end. Whatever makes a
/// session or unmatched finish, gives it a verdict, takes it away or acknowledges it says so here.
struct SummaryChanges {
  /// By feed and day; what that changes of the store and of all time is worked out at the end.
  private var changes: [SummaryKey: Summary] = [:]
  private(set) var sites = ImbalanceSiteChanges()
  private var stale: Set<SummaryKey> = []

  /// A load started; wall time in microseconds.
  mutating func addStart(of feed: Int64, at wall: Int64) {
    change(feed, at: wall) { $0.addStart(wall) }
  }

  /// A load that started at a wall time came with the verdict that finishes it.
  mutating func addLoad(_ state: SessionState, of feed: Int64, started wall: Int64, duration: Int64?) {
    change(feed, at: wall) {
      $0.addStart(wall)
      $0.addFinish(state, duration: duration)
    }
  }

  /// A load that started at a wall time got a verdict that finishes it.
  mutating func addFinish(_ state: SessionState, of feed: Int64, started wall: Int64, duration: Int64?) {
    change(feed, at: wall) { $0.addFinish(state, duration: duration) }
  }

  /// A load got a verdict, and has no longer the one that this replaces.
  ///
  /// - Parameters:
  ///   - session: as it was before. One that was not counted yet will be, with its verdict.
  ///   - marks: how far sessions are counted and in the kept sweeps.
  mutating func addVerdict(
    _ state: SessionState, _ duration: Int64?, to session: OpenSession, _ marks: SettlementMarks,
    in database: Database
  ) throws {
    let wall = session.started.wall
    if session.state.isUnfinishedStart, session.row <= marks.swept {
      // Up to the earlier end nothing is different.
      let same = min(session.duration ?? 0, duration ?? 0) / 1000
      noteOtherInterval(of: session.feedRow, from: wall.addingClamping(same))
    }
    guard session.row <= marks.counted else { return }
    if session.state.isUnfinishedStart {
      let statement = try database.cachedStatement(
        sql: "SELECT 1 FROM acknowledgement WHERE id = (SELECT id FROM session WHERE seq = ?)")
      let isAcknowledged = try Int64.fetchOne(statement, arguments: [session.row]) != nil
      addImbalance(-1, session.site(session.state), at: wall, isAcknowledged: isAcknowledged)
    }
    if state.isUnfinishedStart {
      addImbalance(1, session.site(state), at: wall, isAcknowledged: false)
    } else {
      addFinish(state, of: session.feedRow, started: wall, duration: duration)
    }
  }

  /// Something unbalanced came, or with -1 went.
  ///
  /// - Parameters:
  ///   - wall: an unfinished load's start, or an unmatched finish's own time, in microseconds.
  ///   - isAcknowledged: it is, or was.
  mutating func addImbalance(_ count: Int, _ site: ImbalanceSite, at wall: Int64, isAcknowledged: Bool) {
    change(site.feed, at: wall) {
      $0[site.kind] += count
      if isAcknowledged { $0.acknowledged += count }
    }
    if !isAcknowledged { sites.add(count, site, at: wall) }
  }

  /// Somebody has seen it.
  mutating func acknowledge(_ site: ImbalanceSite, at wall: Int64) {
    change(site.feed, at: wall) { $0.acknowledged += 1 }
    sites.add(-1, site, at: wall)
  }

  /// The interval of a load that a sweep has passed turned out to be another one, from a wall time on.
  mutating func noteOtherInterval(of feed: Int64, from wall: Int64) {
    for feed in [feed, SummaryKey.store] {
      stale.insert(SummaryKey(feed: feed, day: SummaryKey.day(of: wall)))
    }
  }

  /// Adds what was collected to the rows.
  mutating func write(to database: Database) throws {
    var cache = SummaryCache()
    try write(to: database, &cache)
  }

  /// The same by a writer that remembers rows.
  mutating func write(to database: Database, _ cache: inout SummaryCache) throws {
    for (key, change) in summaries { try cache.merge(change, into: key, in: database) }
    try sites.write(to: database)
    for key in stale { try Self.markStale(key, in: database) }
    self = SummaryChanges()
  }

  /// A day, or one after it, is to be added up again.
  static func markStale(_ key: SummaryKey, in database: Database) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO summary (feed, day, is_stale) VALUES (?, ?, 1)
        ON CONFLICT (feed, day) DO UPDATE SET is_stale = 1
        """)
    try statement.execute(arguments: [key.feed, key.day])
  }

  private mutating func change(_ feed: Int64, at wall: Int64, _ apply: (inout Summary) -> Void) {
    apply(&changes[SummaryKey(feed: feed, day: SummaryKey.day(of: wall)), default: Summary()])
  }

  /// What was collected. Every change is one of the feed and of the store, of the day and of all time; what belongs to no
  /// feed is the store's alone.
  var summaries: [SummaryKey: Summary] {
    var all = changes
    for (key, change) in changes {
      all[SummaryKey(feed: key.feed, day: SummaryKey.allTime), default: Summary()].merge(change)
      guard key.feed != SummaryKey.store else { continue }
      all[SummaryKey(feed: SummaryKey.store, day: key.day), default: Summary()].merge(change)
      all[SummaryKey(feed: SummaryKey.store, day: SummaryKey.allTime), default: Summary()].merge(change)
    }
    return all
  }
}

extension SummaryChanges {
  /// What sessions add that are not counted yet, up to one.
  init(after first: Int64, upTo last: Int64, in database: Database) throws {
    try count { try RowCount.sessions(after: first, upTo: last, in: database, $0) }
  }

  /// What loads add that are not counted yet.
  init(_ loads: NewLoads, in database: Database) throws {
    try count { try RowCount.count(loads.all, in: database, $0) }
  }

  private mutating func count(_ count: (RowCount.Listener) throws -> Void) throws {
    var changes = self
    try count { feed, wall, unbalanced, add in
      changes.change(feed, at: wall, add)
      if let unbalanced { changes.sites.add(1, unbalanced, at: wall) }
    }
    self = changes
  }
}

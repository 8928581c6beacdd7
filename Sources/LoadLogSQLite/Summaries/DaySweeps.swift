import GRDB
import LoadLogCore

/// Busy time and peak depth of each feed and day, added up in the order of starts.
///
/// The rows hold what was added up so far, and where each sweep stands. This goes on from there, in memory;
/// ``write(to:)`` keeps the result. A writer does so now and then; a reader goes on to now, and keeps nothing.
/// So both come to the same numbers by the same way, and nobody sweeps the whole record again. What changed
/// out of order, before a sweep's position, is added up anew from the beginning of that day on.
struct DaySweeps {
  /// A day's figures.
  struct Day: Hashable {
    var time = BusyTime()
    /// What was open when the day began.
    var carried: [DepthSweep.Open] = []
    var isSealed = false
  }

  private struct Feed {
    var sweep: DepthSweep
    var allTime: BusyTime
    /// The greatest depth may have gone with a day that was added up anew.
    var mayHaveLostPeak = false
  }

  /// Where to begin.
  enum Beginning {
    /// Where the kept sweeps stand.
    case kept
    /// At the first session; of what was kept only sealed days count.
    case scratch
  }

  /// So many sessions are taken in at a time, so that memory does not grow with how many there are.
  private static let batch = 100_000

  private let database: Database
  private let beginning: Beginning
  /// The end of a stored session's interval, wall time in nanoseconds; `Int64.max` if it is to be left open.
  private let end: (StoredSession) throws -> Int64
  /// Sessions up to here are in the sweeps.
  private(set) var settled: Int64
  private var feeds: [Int64: Feed] = [:]
  private var days: [SummaryKey: Day] = [:]
  private var changed: Set<SummaryKey> = []
  /// What is out of date, and what the rows say is.
  private var stale: Set<SummaryKey> = [], marked: Set<SummaryKey> = []

  init(
    _ database: Database, from beginning: Beginning = .kept, end: @escaping (StoredSession) throws -> Int64
  ) throws {
    self.database = database
    self.beginning = beginning
    self.end = end
    settled = beginning == .kept ? try SettlementMarks(database).swept : 0
  }
}

// MARK: - Going on

extension DaySweeps {
  /// Takes in the sessions after ``settled`` up to one, and what changed out of order.
  ///
  /// - Parameters:
  ///   - last: the last to be taken in; nil for all there are.
  ///   - isDue: asked of each day that is out of date; those of which it says no stay so.
  mutating func settle(
    upTo last: Int64?, addingUpAnew isDue: (SummaryKey) throws -> Bool = { _ in true }
  ) throws {
    if beginning == .kept {
      marked = []
      let rows = try RawStatement(database, "SELECT feed, day FROM summary WHERE is_stale = 1")
      try rows.forEach { marked.insert(SummaryKey(feed: try $0.number(0), day: try $0.number(1))) }
      stale = marked
    }
    while try takeIn(upTo: last ?? .max) {}
    try addUpAnew(where: isDue)
  }

  /// Takes in the next sessions.
  ///
  /// - Returns: whether there may be more.
  private mutating func takeIn(upTo last: Int64) throws -> Bool {
    var intervals: [Int64: [DepthSweep.Open]] = [:]
    var count = 0
    let rows = try RawStatement(
      database,
      "SELECT \(StoredSession.columns) FROM session WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?")
    rows.bind(1, settled)
    rows.bind(2, last)
    rows.bind(3, Int64(Self.batch))
    try rows.forEach { row in
      let session = try StoredSession(row)
      settled = session.row
      count += 1
      intervals[session.feedRow, default: []].append(try interval(session))
    }
    intervals[SummaryKey.store] = intervals.values.flatMap(\.self)
    for (feed, intervals) in intervals where !intervals.isEmpty { try add(intervals, to: feed) }
    return count == Self.batch
  }

  /// Takes in the ends of all that was open, also where nothing has started since.
  mutating func settleEnds() throws {
    guard beginning == .kept else { return }
    for feed in try Int64.fetchAll(database, sql: "SELECT feed FROM sweep WHERE open IS NOT NULL") {
      try load(feed)
    }
    try addUpAnew()
  }

  /// Goes on to the end of everything that is open; ends must all be known.
  mutating func finish() throws {
    try settleEnds()
    for feed in feeds.keys {
      try sweep(feed) { sweep, tell in sweep.advance(to: .max, tell: tell) }
    }
  }

  /// Goes on with one feed: to a time, or as far as anything is open whose end is known.
  ///
  /// - Returns: where its sweep stands then; nil if nothing was ever added up.
  mutating func advance(_ feed: Int64, to time: Int64? = nil) throws -> Int64? {
    try load(feed)
    try addUpAnew()
    let lastEnd = feeds[feed]?.sweep.open.filter { $0.end < .max }.map(\.end).max()
    if let time = time ?? lastEnd { try sweep(feed) { sweep, tell in sweep.advance(to: time, tell: tell) } }
    return feeds[feed].flatMap { $0.sweep.position == .min ? nil : $0.sweep.position }
  }

  private func interval(_ session: StoredSession) throws -> DepthSweep.Open {
    DepthSweep.Open(
      key: session.row, start: session.started.wall.multipliedClamping(by: 1000), end: try end(session))
  }

  private mutating func add(_ intervals: [DepthSweep.Open], to feed: Int64) throws {
    try load(feed)
    var early: [DepthSweep.Open] = []
    try sweep(feed) { sweep, tell in
      for interval in intervals.sorted(by: { ($0.start, $0.key) < ($1.start, $1.key) }) {
        if interval.start < sweep.position {
          early.append(interval)
        } else {
          sweep.add(interval, tell: tell)
        }
      }
    }
    for interval in early { stale.insert(SummaryKey(feed: feed, day: Self.day(interval.start))) }
  }

  /// Goes on with a feed's sweep and adds what it tells to the days.
  private mutating func sweep(
    _ feed: Int64, _ work: (inout DepthSweep, (DepthSweep.Span) -> Void) -> Void
  ) throws {
    guard var swept = feeds[feed] else { return }
    var pieces = DayPieces()
    work(&swept.sweep) { pieces.add($0) }
    for (number, piece) in pieces.days {
      let key = SummaryKey(feed: feed, day: number)
      var day = try day(key)
      // What a sealed day holds cannot be found again from the beginning; what is new can be added.
      if day.isSealed, beginning == .scratch { continue }
      day.time.merge(piece.time)
      if let carried = piece.carried { day.carried = carried }
      set(day, key)
      swept.allTime.merge(piece.time)
    }
    feeds[feed] = swept
  }

  /// Loads where a feed's sweep stands. What was open then may have ended since; before the sweep's position,
  /// if the clock drifted or its owner was found dead, and then that day is added up anew.
  private mutating func load(_ feed: Int64) throws {
    guard feeds[feed] == nil else { return }
    guard beginning == .kept else {
      feeds[feed] = Feed(sweep: DepthSweep(), allTime: BusyTime(), mayHaveLostPeak: true)
      return
    }
    let rows = try RawStatement(database, "SELECT position, open FROM sweep WHERE feed = ?")
    rows.bind(1, feed)
    let kept = try rows.first {
      (position: try $0.number(0), open: try [DepthSweep.Open](stored: $0.bytes(1)))
    }
    let position = kept?.position ?? .min
    let open = try ended(kept?.open ?? [])
    for interval in open where interval.end < position {
      stale.insert(SummaryKey(feed: feed, day: Self.day(interval.end)))
    }
    let total = try day(SummaryKey(feed: feed, day: SummaryKey.allTime)).time
    feeds[feed] = Feed(sweep: DepthSweep(position: position, open: open), allTime: total)
  }

  /// Looks up the ends of what was open when it was kept: they may have come since, or may be others by now. A
  /// session whose row was pruned keeps the end that it had.
  private func ended(_ open: [DepthSweep.Open]) throws -> [DepthSweep.Open] {
    guard !open.isEmpty else { return open }
    let rows = try RawStatement(database, "SELECT \(StoredSession.columns) FROM session WHERE seq = ?")
    return try open.map { interval in
      rows.bind(1, interval.key)
      let session = try rows.first { try StoredSession($0) }
      return try session.map {
        DepthSweep.Open(key: interval.key, start: interval.start, end: try end($0))
      } ?? interval
    }
  }

  static func day(_ nanoseconds: Int64) -> Int64 { SummaryKey.day(of: nanoseconds / 1000) }
}

// MARK: - Adding up anew

extension DaySweeps {
  /// Adds up every day that is out of date and due, the earliest first; one may bring others to light.
  private mutating func addUpAnew(where isDue: (SummaryKey) throws -> Bool = { _ in true }) throws {
    var left: Set<SummaryKey> = []
    while stale.count > left.count {
      for key in stale.subtracting(left).sorted(by: { $0.day < $1.day }) where stale.contains(key) {
        if try isDue(key) { try addUpAnew(key) } else { left.insert(key) }
      }
      left.formIntersection(stale)
    }
  }

  /// Adds a day up from its rows, and the days after it as far as that changes what they begin with. A sealed day keeps its
  /// figures; from its rows comes only what is still open after it.
  private mutating func addUpAnew(_ first: SummaryKey) throws {
    try load(first.feed)
    guard stale.remove(first) != nil, var swept = feeds[first.feed] else { return }
    let position = swept.sweep.position
    let lastDay = Self.day(position)
    guard first.day <= lastDay else { return }
    var key = first
    var sweep = DepthSweep(
      position: Self.start(of: key.day), open: try ended(try day(key).carried))
    while true {
      stale.remove(key)
      var pieces = DayPieces()
      let tell: (DepthSweep.Span) -> Void = { pieces.add($0) }
      let until = min(Self.end(of: key.day), position)
      try forEachInterval(of: key, upTo: until) { sweep.add($0, tell: tell) }
      sweep.advance(to: until, tell: tell)
      var day = try day(key)
      if !day.isSealed {
        swept.allTime.busy = swept.allTime.busy.subtractingClamping(day.time.busy)
        day.time = pieces.days[key.day]?.time ?? BusyTime()
        swept.allTime.merge(day.time)
        set(day, key)
      }
      key.day += 1
      guard key.day <= lastDay else { break }
      var next = try self.day(key)
      let carried = try ended(next.carried)
      if day.isSealed { sweep = try joined(sweep, withPrunedOf: carried) }
      if Set(carried) == Set(sweep.open), !stale.contains(key) { break }
      next.carried = sweep.open
      set(next, key)
    }
    if key.day > lastDay {
      let isSealed = try day(SummaryKey(feed: first.feed, day: lastDay)).isSealed
      swept.sweep = try isSealed ? joined(sweep, withPrunedOf: swept.sweep.open) : sweep
    }
    swept.mayHaveLostPeak = true
    feeds[first.feed] = swept
  }

  /// A sweep that came through a sealed day knows the loads that have rows; which others are open, what was kept says.
  private func joined(
    _ sweep: DepthSweep, withPrunedOf kept: [DepthSweep.Open]
  ) throws -> DepthSweep {
    let rows = try RawStatement(database, "SELECT 1 FROM session WHERE seq = ?")
    func isPruned(_ interval: DepthSweep.Open) throws -> Bool {
      rows.bind(1, interval.key)
      return try rows.first { _ in true } == nil
    }
    return try DepthSweep(
      position: sweep.position, open: sweep.open.filter { try !isPruned($0) } + kept.filter(isPruned))
  }

  /// Goes through the settled sessions that started on a day, not after a time, in their order. They are never all in
  /// memory: those of a feed come in the order of an index, those of the store from SQLite's sorter, which uses the disk.
  private func forEachInterval(
    of key: SummaryKey, upTo last: Int64, _ body: (DepthSweep.Open) -> Void
  ) throws {
    let isStore = key.feed == SummaryKey.store
    let rows = try RawStatement(
      database,
      NewSessions.inOrder(
        StoredSession.columns,
        where: """
          feed \(isStore ? "IN (SELECT id FROM feed WHERE ?1 = 0)" : "= ?1")
          AND started_at >= ?2 AND started_at < ?3 AND seq <= ?4
          """))
    rows.bind(1, key.feed)
    rows.bind(2, key.day == 0 ? Int64.min : UTCDay(number: key.day).start)
    rows.bind(3, UTCDay(number: key.day).end)
    rows.bind(4, settled)
    try rows.forEach { row in
      let interval = try interval(StoredSession(row))
      if interval.start <= last { body(interval) }
    }
  }

  private static func start(of day: Int64) -> Int64 {
    day == 0 ? .min : UTCDay(number: day).start.multipliedClamping(by: 1000)
  }

  private static func end(of day: Int64) -> Int64 { UTCDay(number: day).end.multipliedClamping(by: 1000) }
}

// MARK: - The days

extension DaySweeps {
  /// A day's figures as far as they are added up.
  mutating func day(_ key: SummaryKey) throws -> Day {
    if let known = days[key] { return known }
    let rows = try RawStatement(
      database, "SELECT busy, peak_depth, is_sealed, carried FROM summary WHERE feed = ? AND day = ?")
    rows.bind(1, key.feed)
    rows.bind(2, key.day)
    let kept = try rows.first { row in
      Day(
        time: try BusyTime(row, from: 0), carried: try [DepthSweep.Open](stored: row.bytes(3)),
        isSealed: try row.number(2) != 0)
    }
    guard let day = kept, beginning == .kept || day.isSealed else { return Day() }
    days[key] = day
    return day
  }

  private mutating func set(_ day: Day, _ key: SummaryKey) {
    days[key] = day
    changed.insert(key)
  }

  /// A feed's figures over all time.
  mutating func allTime(_ feed: Int64) throws -> BusyTime {
    guard let swept = feeds[feed] else {
      return try day(SummaryKey(feed: feed, day: SummaryKey.allTime)).time
    }
    guard swept.mayHaveLostPeak else { return swept.allTime }
    return try time(of: feed, days: 0..<Int64.max)
  }

  /// A feed's figures over whole days.
  mutating func time(of feed: Int64, days range: Range<Int64>) throws -> BusyTime {
    var total = BusyTime()
    let rows = try RawStatement(
      database, "SELECT busy, peak_depth, is_sealed, day FROM summary WHERE feed = ? AND day >= ? AND day < ?"
    )
    rows.bind(1, feed)
    rows.bind(2, range.lowerBound)
    rows.bind(3, range.upperBound)
    try rows.forEach { row in
      let isCounted = try beginning == .kept || row.number(2) != 0
      guard isCounted, !changed.contains(SummaryKey(feed: feed, day: try row.number(3))) else { return }
      total.merge(try BusyTime(row, from: 0))
    }
    for key in changed where key.feed == feed && range.contains(key.day) {
      total.merge(days[key]?.time ?? BusyTime())
    }
    return total
  }

  /// A feed's figures over a part of a day; wall times in microseconds. All must be taken in.
  mutating func time(of feed: Int64, within window: Range<Int64>) throws -> BusyTime {
    let key = SummaryKey(feed: feed, day: SummaryKey.day(of: window.lowerBound))
    var sweep = DepthSweep(position: Self.start(of: key.day), open: try ended(try day(key).carried))
    var time = BusyTime()
    let clip = window.lowerBound.multipliedClamping(by: 1000)..<window.upperBound.multipliedClamping(by: 1000)
    try forEachInterval(of: key, upTo: clip.upperBound) { interval in
      sweep.add(interval) { time.add($0, within: clip) }
    }
    sweep.advance(to: clip.upperBound) { time.add($0, within: clip) }
    return time
  }

  /// Keeps what was added up. The caller is in a transaction.
  mutating func write(to database: Database) throws {
    for key in changed {
      guard let day = days[key] else { continue }
      let statement = try RawStatement(
        database,
        """
        INSERT INTO summary (feed, day, busy, peak_depth, carried) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (feed, day) DO UPDATE SET busy = excluded.busy, peak_depth = excluded.peak_depth,
          carried = excluded.carried
        """)
      statement.bind(key, day.time)
      statement.bind(5, day.carried.stored)
      try statement.run()
    }
    for (feed, swept) in feeds {
      let total = try RawStatement(
        database,
        """
        INSERT INTO summary (feed, day, busy, peak_depth) VALUES (?, ?, ?, ?)
        ON CONFLICT (feed, day) DO UPDATE SET busy = excluded.busy, peak_depth = excluded.peak_depth
        """)
      total.bind(SummaryKey(feed: feed, day: SummaryKey.allTime), try allTime(feed))
      try total.run()
      let sweep = try RawStatement(
        database,
        """
        INSERT INTO sweep (feed, position, open) VALUES (?, ?, ?)
        ON CONFLICT (feed) DO UPDATE SET position = excluded.position, open = excluded.open
        """)
      sweep.bind(1, feed)
      sweep.bind(2, swept.sweep.position)
      sweep.bind(3, swept.sweep.open.stored)
      try sweep.run()
    }
    for key in marked.subtracting(stale) {
      try database.cachedStatement(sql: "UPDATE summary SET is_stale = 0 WHERE feed = ? AND day = ?")
        .execute(arguments: [key.feed, key.day])
    }
    for key in stale.subtracting(marked) { try SummaryChanges.markStale(key, in: database) }
    try SettlementMarks.noteSwept(upTo: settled, in: database)
  }
}

extension BusyTime {
  fileprivate init(_ row: RawStatement, from column: Int32) throws {
    self.init(busy: try row.number(column), peakDepth: Int(try row.number(column + 1)))
  }
}

extension RawStatement {
  fileprivate func bind(_ key: SummaryKey, _ time: BusyTime) {
    bind(1, key.feed)
    bind(2, key.day)
    bind(3, time.busy)
    bind(4, Int64(time.peakDepth))
  }
}

/// Spans cut at midnight.
private struct DayPieces {
  struct Piece {
    var time = BusyTime()
    /// What was open when the day began, if a span reached into it.
    var carried: [DepthSweep.Open]?
  }

  private(set) var days: [Int64: Piece] = [:]

  mutating func add(_ span: DepthSweep.Span) {
    var day = DaySweeps.day(span.start)
    let last = DaySweeps.day(span.end.subtractingClamping(1))
    while true {
      let start = day == 0 ? Int64.min : UTCDay(number: day).start.multipliedClamping(by: 1000)
      let end = UTCDay(number: day).end.multipliedClamping(by: 1000)
      days[day, default: Piece()].time.add(span, within: start..<end)
      if span.start < start {
        days[day]?.carried = span.open
      } else if span.start == start, day > 0 {
        days[day]?.carried = span.open.filter { $0.start < start }
      }
      guard day < last else { return }
      day += 1
    }
  }
}

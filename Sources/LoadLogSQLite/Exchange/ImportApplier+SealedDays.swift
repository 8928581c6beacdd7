import GRDB
import LoadLogCore

/// Days on which loads were pruned: they have no rows any more, but left numbers behind.
extension ImportApplier {
  /// Takes over what loads without rows have left behind. What the lines before have added must be all that the record
  /// has of that day: of any other load nobody could tell whether it is one of these.
  ///
  /// - Throws: `invalidInput` if it is not.
  mutating func apply(_ line: SealedDayLine) throws {
    guard line.day.number >= 0, line.busy <= UTCDay.length * 1000, let left = Summary(line) else {
      throw LoadLogError(.invalidInput, what: "sealed day", why: "its numbers make no sense")
    }
    try writer.end()
    guard let feed = line.feed else { return try applyToStore(line) }
    let key = SummaryKey(feed: try feedRow(feed), day: line.day.number)
    let known = try Summary.fetch(key, in: database) ?? Summary()
    let hasAll = line.loads > 0 && Int64(known.loads) == line.rows + line.loads
    if known.isSealed || hasAll { return count(isNew: false) }
    guard Int64(known.loads) == line.rows else {
      throw LoadLogError(
        .invalidInput, what: "sealed day",
        why: "the store has other loads of that day (\(known.loads), in the file \(line.rows))")
    }
    try settle(key.feed, until: line.busyUntil)
    for feed in [key.feed, SummaryKey.store] {
      for day in [key.day, SummaryKey.allTime] { try add(left, to: SummaryKey(feed: feed, day: day)) }
    }
    try setBusy(BusyTime(busy: line.busy, peakDepth: Int(line.peakDepth)), on: key)
    scope.hasSealedDays = true
    count(isNew: true)
  }

  /// Of the store as a whole only busy time and depth are told: its numbers are the sums of its feeds'. Beside loads that
  /// the file does not know they are a lower bound.
  private mutating func applyToStore(_ line: SealedDayLine) throws {
    let key = SummaryKey(feed: SummaryKey.store, day: line.day.number)
    let isSealed = try Bool.fetchOne(
      database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM summary WHERE day = ? AND is_sealed = 1 AND feed > 0)"),
      arguments: [key.day])
    // Where all loads of the day have rows the line says nothing new.
    guard isSealed == true else { return }
    try settle(key.feed, until: line.busyUntil)
    var busy = BusyTime(busy: line.busy, peakDepth: Int(line.peakDepth))
    if try NewSessions.countAll(startedIn: line.day, in: database) != line.rows {
      let own = try kept(key)
      busy = BusyTime(busy: max(busy.busy, own.busy), peakDepth: max(busy.peakDepth, own.peakDepth))
    }
    try add(Summary(), to: key)
    try setBusy(busy, on: key)
  }

  /// Adds up all rows, as far as the line has: from here on the day's busy time is a number of its own, to which only
  /// what comes later is added. A time that lies ahead comes from a clock that was wrong.
  private func settle(_ feed: Int64, until time: Int64?) throws {
    try Settlement.settle(database)
    let statement = try database.cachedStatement(sql: "SELECT position FROM sweep WHERE feed = ?")
    let position = try Int64.fetchOne(statement, arguments: [feed])
    guard let time, position != time, time / 1000 <= now.wall else { return }
    var sweeps = try DaySweeps(database) { $0.state == .running ? .max : $0.keptEnd }
    _ = try sweeps.advance(feed, to: time)
    try sweeps.write(to: database)
  }

  private func add(_ left: Summary, to key: SummaryKey) throws {
    var summary = try Summary.fetch(key, in: database) ?? Summary()
    summary.merge(left)
    summary.isSealed = true
    try summary.write(key, to: database)
  }

  private func kept(_ key: SummaryKey) throws -> BusyTime {
    let row = try Row.fetchOne(
      database.cachedStatement(sql: "SELECT busy, peak_depth FROM summary WHERE feed = ? AND day = ?"),
      arguments: [key.feed, key.day])
    return BusyTime(busy: try row?.at(0) ?? 0, peakDepth: try row?.at(1) ?? 0)
  }

  /// A day's busy time, and what that makes of all time's.
  private func setBusy(_ time: BusyTime, on key: SummaryKey) throws {
    let before = try kept(key)
    try database.cachedStatement(
      sql: "UPDATE summary SET busy = ?, peak_depth = ?, is_stale = 0 WHERE feed = ? AND day = ?"
    ).execute(arguments: [time.busy, time.peakDepth, key.feed, key.day])
    try database.cachedStatement(
      sql: "UPDATE summary SET busy = busy + ?, peak_depth = max(peak_depth, ?) WHERE feed = ? AND day = ?"
    ).execute(arguments: [time.busy - before.busy, time.peakDepth, key.feed, SummaryKey.allTime])
  }
}

extension Summary {
  /// What the loads without rows have left behind; nil if a line cannot be true.
  fileprivate init?(_ line: SealedDayLine) {
    self.init()
    var finished: Int64 = 0
    for (state, count) in line.verdicts {
      guard state.isFinished, (0...Self.most).contains(count) else { return nil }
      self[state] = Int(count)
      finished += count
    }
    guard line.loads == finished, (0...Self.most).contains(line.rows),
      (0...Self.most).contains(line.peakDepth), line.busy >= 0,
      let succeeded = DurationTally(line.succeededDurations), let others = DurationTally(line.otherDurations)
    else { return nil }
    loads = Int(line.loads)
    firstStart = line.loads > 0 ? line.firstStart : nil
    self.succeeded = succeeded
    self.others = others
  }
}

extension DurationTally {
  fileprivate init?(_ durations: SealedDurations) {
    let buckets = durations.buckets.compactMap { bucket -> DurationHistogram.Bucket? in
      guard let index = Int(exactly: bucket.index), let count = Int(exactly: bucket.count) else { return nil }
      return DurationHistogram.Bucket(index: index, count: count)
    }
    guard let zeros = Int(exactly: durations.zeroCount),
      let histogram = DurationHistogram(zeroCount: zeros, buckets: buckets),
      Int64(histogram.count) == durations.count, durations.sum >= 0, durations.min ?? 0 >= 0
    else { return nil }
    self.init(
      histogram: histogram, sum: durations.sum, least: durations.min ?? .max, greatest: durations.max ?? 0)
  }
}

import GRDB
import LoadLogCore

/// Days on which loads were pruned.
extension StoreExport {
  /// The next sealed days, feed by feed and the store last; with a window only days that lie in it, and of chosen feeds
  /// alone the store says nothing.
  func sealedDays(_ query: RecordQuery) throws -> [RecordLine]? {
    let database = query.database
    if sealedPosition == nil { try checkThatNothingWasPruned(in: database) }
    let last = sealedPosition ?? SummaryKey(feed: 0, day: -1)
    let rows = try RawStatement(
      database,
      """
      SELECT feed, day FROM summary
      WHERE is_sealed = 1 AND day >= 0 AND (feed = 0, feed, day) > (?, ?, ?)
      ORDER BY feed = 0, feed, day LIMIT ?
      """)
    rows.bind(1, last.feed == 0 && sealedPosition != nil ? 1 : 0)
    rows.bind(2, last.feed)
    rows.bind(3, last.day)
    rows.bind(4, Int64(Self.sealedPageSize))
    var found: [SummaryKey] = []
    try rows.forEach { found.append(SummaryKey(feed: try $0.number(0), day: try $0.number(1))) }
    guard let end = found.last else { return nil }
    sealedPosition = end
    // What came since the last settlement is in the days too.
    let summaries = try CurrentSummaries(database)
    var sweeps = try DaySweeps(database) { $0.state == .running ? .max : $0.keptEnd }
    try sweeps.settle(upTo: nil)
    return try found.compactMap { key in
      let day = UTCDay(number: key.day)
      guard limits.feeds?.contains(key.feed) ?? true, day.start >= filter.since ?? .min,
        day.end <= filter.until ?? .max
      else { return nil }
      let until = try sweeps.advance(key.feed)
      let time = try sweeps.day(key).time
      var line =
        key.feed == SummaryKey.store
        ? try storeLine(day, database) : try line(key, summaries, database)
      line.busy = time.busy
      line.busyUntil = until
      line.peakDepth = Int64(time.peakDepth)
      return .sealedDay(line)
    }
  }

  private func line(
    _ key: SummaryKey, _ summaries: CurrentSummaries, _ database: Database
  ) throws -> SealedDayLine {
    let kept = try summaries.fetch(key) ?? Summary()
    let day = UTCDay(number: key.day)
    var rows = Summary()
    let count = RowCount(database: database, newLoads: summaries.newLoads)
    try count.sessions(of: key.feed, (key.day == 0 ? .min : day.start)..<day.end) { _, _, _, add in add(&rows)
    }
    var line = SealedDayLine(feed: try Feed.named(key.feed, in: database), day: day)
    line.rows = Int64(rows.loads)
    line.firstStart = kept.firstStart
    for state in SessionState.allCases where state.isFinished {
      let count = kept[state] - rows[state]
      guard count > 0 else { continue }
      line.verdicts[state] = Int64(count)
      line.loads += Int64(count)
    }
    line.succeededDurations = SealedDurations(kept.succeeded, without: rows.succeeded)
    line.otherDurations = SealedDurations(kept.others, without: rows.others)
    return line
  }

  private func storeLine(_ day: UTCDay, _ database: Database) throws -> SealedDayLine {
    var line = SealedDayLine(feed: nil, day: day)
    line.rows = try NewSessions.countAll(startedIn: day, in: database)
    return line
  }

  /// What is pruned meanwhile was given as a row and would be told as left behind once more.
  private func checkThatNothingWasPruned(in database: Database) throws {
    guard try Limits.rows(upTo: limits.session, in: database) != limits.rows else { return }
    throw LoadLogError(
      .busy, what: "record", why: "loads were pruned while it was exported", advice: "Export it again.")
  }
}

extension SealedDurations {
  /// The durations of a whole day without those of its rows; the least and the greatest are the day's.
  fileprivate init(_ kept: DurationTally, without rows: DurationTally) {
    self.init()
    let counts = Dictionary(uniqueKeysWithValues: rows.histogram.buckets.map { ($0.index, $0.count) })
    for bucket in kept.histogram.buckets {
      let left = bucket.count - (counts[bucket.index] ?? 0)
      if left > 0 { buckets.append(Bucket(index: Int64(bucket.index), count: Int64(left))) }
    }
    zeroCount = Int64(Swift.max(0, kept.histogram.zeroCount - rows.histogram.zeroCount))
    count = buckets.reduce(zeroCount) { $0 + $1.count }
    guard count > 0 else { return }
    sum = Swift.max(0, kept.sum.subtractingClamping(rows.sum))
    min = kept.least
    max = kept.greatest
  }
}

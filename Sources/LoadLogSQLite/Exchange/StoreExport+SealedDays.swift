import GRDB
import LoadLogCore

/// Export of sealed days: days with pruned loads.
extension StoreExport {
  /// The next sealed days, feed by feed, with the store last. A window includes only days that lie in it, and a
  /// selection of feeds leaves the store out.
  func sealedDays(_ query: RecordQuery) throws -> [RecordLine]? {
    let database = query.database
    let last = cursor.sealedPosition ?? SummaryKey(feed: 0, day: -1)
    let rows = try RawStatement(
      database,
      """
      SELECT feed, day FROM summary
      WHERE is_sealed = 1 AND day >= 0 AND (feed = 0, feed, day) > (?, ?, ?)
      ORDER BY feed = 0, feed, day LIMIT ?
      """, last.feed == 0 && cursor.sealedPosition != nil, last.feed, last.day, Self.sealedPageSize)
    let found = try rows.map { SummaryKey(feed: try $0.number(0), day: try $0.number(1)) }
    // Before the first page, to fail early, and after the last one: loads may be pruned between pages.
    if cursor.sealedPosition == nil || found.isEmpty { try checkThatNothingWasPruned(in: database) }
    guard let end = found.last else { return nil }
    cursor.sealedPosition = end
    let summaries = try CurrentSummaries(database)
    return try found.compactMap { key in
      let day = UTCDay(number: key.day)
      guard limits.feeds?.contains(key.feed) ?? true, day.start >= filter.since ?? .min,
        day.end <= filter.until ?? .max
      else { return nil }
      return .sealedDay(try line(key, summaries.fetch(key) ?? Summary(), database))
    }
  }

  private func line(_ key: SummaryKey, _ summary: Summary, _ database: Database) throws -> SealedDayLine {
    let day = UTCDay(number: key.day)
    let feed = key.feed == SummaryKey.store ? nil : key.feed
    var line =
      feed == nil
      ? SealedDayLine(feed: nil, day: day) : try self.line(key, of: day, summary, database)
    // The export has no later loads, and an import compares this number with those that it has read.
    line.rows = try RowCount.sessions(of: feed, day.countedBounds, upTo: limits.session, in: database)
    guard let sealed = summary.sealedTime else { return line }
    line.busy = sealed.time.busy
    line.peakDepth = Int64(sealed.time.peakDepth)
    if sealed.until < day.end { line.busyUntil = sealed.until }
    return line
  }

  private func line(
    _ key: SummaryKey, of day: UTCDay, _ summary: Summary, _ database: Database
  ) throws -> SealedDayLine {
    var counted = CounterChanges()
    try RowCount(database: database).addSessions(of: key.feed, day.countedBounds, to: &counted)
    let rows = counted.summaries[key] ?? Summary()
    var line = SealedDayLine(feed: try Feed.named(key.feed, in: database), day: day)
    line.firstStart = summary.firstStart
    for state in SessionState.allCases where state.isFinished {
      let count = summary[state] - rows[state]
      guard count > 0 else { continue }
      line.verdicts[state] = Int64(count)
      line.loads += Int64(count)
    }
    line.succeededDurations = DurationTally(summary.succeeded, without: rows.succeeded)
    line.otherDurations = DurationTally(summary.others, without: rows.others)
    return line
  }

  /// Refuses to go on if loads were pruned during the export: they were exported as rows, and the sealed days
  /// would count them again.
  private func checkThatNothingWasPruned(in database: Database) throws {
    guard try Limits.rows(upTo: limits.session, in: database) != limits.rows else { return }
    throw LoadLogError(
      .busy, what: "record", why: "loads were pruned during the export", advice: "Export it again.")
  }
}

extension DurationTally {
  /// The durations of a whole day minus those of its rows. Minimum and maximum are those of the whole day.
  fileprivate init(_ kept: DurationTally, without rows: DurationTally) {
    let counts = Dictionary(uniqueKeysWithValues: rows.histogram.buckets.map { ($0.index, $0.count) })
    let buckets = kept.histogram.buckets.compactMap { bucket -> DurationHistogram.Bucket? in
      let left = bucket.count - (counts[bucket.index] ?? 0)
      return left > 0 ? DurationHistogram.Bucket(index: bucket.index, count: left) : nil
    }
    let zeros = max(0, kept.histogram.zeroCount - rows.histogram.zeroCount)
    guard let histogram = DurationHistogram(zeroCount: zeros, buckets: buckets), histogram.count > 0 else {
      self.init()
      return
    }
    self.init(
      histogram: histogram, sum: max(0, kept.sum.subtractingClamping(rows.sum)), least: kept.least,
      greatest: kept.greatest)
  }
}

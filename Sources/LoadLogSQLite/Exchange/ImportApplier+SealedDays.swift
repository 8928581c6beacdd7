import GRDB
import LoadLogCore

/// Sealed days: days with pruned loads, whose rows are gone but whose numbers remain.
extension ImportApplier {
  /// Adds the numbers of a day's pruned loads.
  ///
  /// All loads that the record has of that day must be from earlier lines. Any other load could be one of the
  /// pruned ones, and would be counted twice; such a day is skipped.
  ///
  /// - Throws: `invalidInput` if the numbers are invalid.
  mutating func apply(_ line: SealedDayLine) throws {
    guard line.day.number >= 0, (0...UTCDay.length * 1000).contains(line.busy), let left = Summary(line)
    else {
      throw LoadLogError(.invalidInput, what: "sealed day", why: "its numbers are invalid")
    }
    try countChanges()
    guard let feed = line.feed else { return try applyToStore(line) }
    let known = try known(of: feed, on: line.day) ?? Summary()
    guard try isNews(line, of: feed, known) else { return count(\.sealedDays, isNew: false) }
    guard !known.isSealed else {
      return scope.result.skip(
        "pruned days: the store already has pruned loads of these days, perhaps others", count: 1)
    }
    guard Int64(known.loads) == line.rows else {
      return scope.result.skip(
        "pruned days: the store has other loads of these days than the file, perhaps some of the pruned ones",
        count: 1)
    }
    let key = SummaryKey(feed: try feedRow(feed), day: line.day.number)
    for total in key.totals { try seal(total, adding: left) }
    try setTime(of: line, on: key)
    scope.hasSealedDays = true
    count(\.sealedDays, isNew: true)
  }

  /// Whether the record may lack what a line says.
  ///
  /// A line without loads says that a pruned load reached into the day. If the record lacks that load, it has
  /// sealed the day before.
  private func isNews(_ line: SealedDayLine, of feed: Feed, _ known: Summary) throws -> Bool {
    guard line.loads == 0 else {
      // Another store may have pruned as many loads of that day.
      let isOther = known.isSealed && line.firstStart != nil && line.firstStart != known.firstStart
      return isOther || Int64(known.loads) != line.rows + line.loads
    }
    guard !known.isSealed else { return false }
    return try self.known(of: feed, on: UTCDay(number: line.day.number - 1))?.isSealed ?? false
  }

  /// The numbers that the record has of a feed's day; nil if there are none.
  private func known(of feed: Feed, on day: UTCDay) throws -> Summary? {
    guard let row = try scope.rows.knownFeedRow(feed, in: database) else { return nil }
    return try Summary.fetch(SummaryKey(feed: row, day: day.number), in: database)
  }

  /// Applies the line of the whole store. Only busy time and depth are read, because the counts are the sums
  /// of those of the feeds. If the store has loads of that day that the file does not have, both are lower
  /// bounds.
  private mutating func applyToStore(_ line: SealedDayLine) throws {
    let key = SummaryKey(feed: SummaryKey.store, day: line.day.number)
    // If no feed is sealed on that day, all its loads have rows.
    guard try Summary.fetch(key, in: database)?.isSealed == true else { return }
    try setTime(of: line, on: key)
  }

  private func seal(_ key: SummaryKey, adding left: Summary) throws {
    var summary = try Summary.fetch(key, in: database) ?? Summary()
    summary.merge(left)
    summary.isSealed = true
    try summary.write(key, to: database)
  }

  private func setTime(of line: SealedDayLine, on key: SummaryKey) throws {
    guard var summary = try Summary.fetch(key, in: database) else { return }
    let known = summary.sealedTime
    let time = BusyTime(
      busy: max(line.busy, known?.time.busy ?? 0),
      peakDepth: max(Int(line.peakDepth), known?.time.peakDepth ?? 0), isApproximate: true)
    let until = min(line.busyUntil ?? line.day.end, line.day.end)
    summary.sealedTime = SealedTime(time: time, until: max(until, known?.until ?? .min))
    try summary.write(key, to: database)
  }
}

extension Summary {
  /// The numbers of the pruned loads; nil if the line contradicts itself.
  fileprivate init?(_ line: SealedDayLine) {
    self.init()
    var finished: Int64 = 0
    var successes: Int64 = 0
    for (state, count) in line.verdicts {
      guard state.isFinished, (0...Self.most).contains(count) else { return nil }
      self[state] = Int(count)
      finished += count
      if state.isSuccess { successes += count }
    }
    guard line.loads == finished, (0...Self.most).contains(line.rows),
      (0...Self.most).contains(line.peakDepth), line.busy >= 0,
      line.succeededDurations.fits(loads: successes), line.otherDurations.fits(loads: finished - successes)
    else { return nil }
    loads = Int(line.loads)
    firstStart = line.loads > 0 ? line.firstStart : nil
    succeeded = line.succeededDurations
    others = line.otherDurations
  }
}

extension DurationTally {
  /// Whether these can be the durations of a number of loads, at most one per load.
  fileprivate func fits(loads: Int64) -> Bool {
    guard self != DurationTally() else { return true }
    return count > 0 && count <= loads && sum >= 0 && least >= 0 && least <= greatest
  }
}

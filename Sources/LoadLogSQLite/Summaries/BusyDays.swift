import GRDB
import LoadLogCore

/// Computes busy time and peak depth from rows, a UTC day at a time.
///
/// It holds the intervals of one day and what is open at its end. The part of a day that lost rows has stored values.
struct BusyDays {
  /// Busy times by feed; ``SummaryKey/store`` for the whole store.
  typealias Times = [Int64: BusyTime]

  /// Wall times in nanoseconds.
  private let window: Range<Int64>
  /// Rows of feeds; nil for all, and the store.
  private let feeds: Set<Int64>?
  /// The intervals that are open at the end of the last day, by feed.
  private var open: [Int64: [DepthSweep.Interval]] = [:]

  /// Begins before the first day of a window, wall times in microseconds.
  init(_ window: Range<Int64>, of feeds: Set<Int64>?) {
    self.window =
      window.lowerBound.multipliedClamping(by: 1000)..<window.upperBound.multipliedClamping(by: 1000)
    self.feeds = feeds
  }

  /// Adds an interval that began before the first day.
  mutating func carry(_ session: StoredSession, end: Int64) {
    open[session.feedRow, default: []].append(Self.interval(session, end: end))
  }

  /// Whether anything is open at the end of the last day.
  var isAnythingOpen: Bool { !open.isEmpty }

  /// Computes the next days. All loads of a span of several days are open at its beginning.
  ///
  /// - Parameter end: the end of a session's interval on the wall clock, in nanoseconds.
  mutating func next(
    _ days: Range<Int64>, in database: Database, end: (StoredSession) throws -> Int64
  ) throws -> Times {
    let bounds =
      UTCDay(number: days.lowerBound).countedBounds.lowerBound..<UTCDay(number: days.upperBound).start
    // What starts after the window is not read.
    let starts = bounds.lowerBound..<max(bounds.lowerBound, min(bounds.upperBound, window.upperBound / 1000))
    var sealed: [Int64: SealedTime] = [:]
    var started = Set(open.keys)
    let current = try CurrentSummaries(database)
    try current.forEach(days: days, of: feeds) { key, summary in
      if summary.isSealed {
        let unknown = SealedTime(time: BusyTime(isApproximate: true), until: summary.sealedUntil)
        sealed[key.feed] = summary.sealedTime ?? unknown
      }
      if summary.loads > 0 || summary.isSealed { started.insert(key.feed) }
    }
    let from = bounds.lowerBound.multipliedClamping(by: 1000)
    let until = bounds.upperBound.multipliedClamping(by: 1000)
    let clip = max(window.lowerBound, from)..<max(window.lowerBound, from, min(window.upperBound, until))
    var times: Times = [:]
    var all: [DepthSweep.Interval] = []
    var stillOpen: [Int64: [DepthSweep.Interval]] = [:]
    for feed in started where feed != SummaryKey.store {
      var intervals = open[feed] ?? []
      let rows = try RowCount(database: database).sessions(StoredSession.columns, of: feed, starts)
      try rows.forEach { row in
        let session = try StoredSession(row)
        intervals.append(Self.interval(session, end: try end(session)))
      }
      times[feed] = Self.time(of: intervals, within: clip, after: sealed[feed])
      let rest = intervals.filter { $0.end > until }
      if !rest.isEmpty { stillOpen[feed] = rest }
      if feeds == nil { all += intervals }
    }
    if feeds == nil {
      all.sort { $0.start < $1.start }
      times[SummaryKey.store] = Self.time(of: all, within: clip, after: sealed[SummaryKey.store])
    }
    open = stillOpen
    return times
  }

  private static func interval(_ session: StoredSession, end: Int64) -> DepthSweep.Interval {
    DepthSweep.Interval(start: session.started.wall.multipliedClamping(by: 1000), end: end)
  }

  /// The stored busy time of the part of the day that lost rows, and that of intervals in the rest.
  private static func time(
    of intervals: [DepthSweep.Interval], within clip: Range<Int64>, after sealed: SealedTime?
  ) -> BusyTime {
    let until = sealed?.until.multipliedClamping(by: 1000) ?? .min
    guard let sealed, !clip.isEmpty, clip.lowerBound < until else { return time(of: intervals, within: clip) }
    // Loads may have been imported into that part later: it is at least as busy as its rows say.
    let rows = time(of: intervals, within: clip.clamped(to: Int64.min..<until))
    var sum = BusyTime(
      busy: max(sealed.time.busy, rows.busy), peakDepth: max(sealed.time.peakDepth, rows.peakDepth),
      isApproximate: true)
    sum.merge(time(of: intervals, within: clip.clamped(to: until..<Int64.max)))
    return sum
  }

  /// The busy time of intervals in the order of their starts.
  private static func time(of intervals: [DepthSweep.Interval], within clip: Range<Int64>) -> BusyTime {
    var time = BusyTime()
    guard !clip.isEmpty else { return time }
    var sweep = DepthSweep()
    for interval in intervals where interval.start < clip.upperBound {
      sweep.add(interval) { time.add($0, within: clip) }
    }
    sweep.advance(to: clip.upperBound) { time.add($0, within: clip) }
    return time
  }
}

public import LoadLogCore

/// Everything that a report's page tells.
public struct ReportContents: Sendable, Hashable {
  /// One of the feeds with the most loads.
  public struct BusyFeed: Sendable, Hashable {
    /// Its dates and numbers.
    public let status: FeedStatus
    /// Its loads of the last day, newest first; the newest ``ReportContents/loadLimit`` of them.
    public let lastDay: LoadPage

    /// Makes it of its parts.
    public init(status: FeedStatus, lastDay: LoadPage) {
      self.status = status
      self.lastDay = lastDay
    }
  }

  /// So many feeds get charts of their own, so that a page stays small.
  public static let busyLimit = 12
  /// So many loads of each of them are looked at for the last day.
  public static let loadLimit = 2000

  /// Dates and numbers of all feeds that were asked for.
  public let summary: StatusSummary
  /// The store's path.
  public let store: String
  /// The days that the charts show.
  public let bins: DayBins
  /// What became of each feed's loads on these days.
  public let series: [Feed: DaySeries]
  /// How regularly each feed succeeds; a feed without a habit is missing.
  public let habits: [Feed: UpdateHabit]
  /// The feeds with the most loads, the busiest first.
  public let busiest: [BusyFeed]
  /// The last 24 hours of the window, wall times in microseconds.
  public let lastDay: Range<Int64>

  /// Makes contents of their parts. Which feeds are the busiest, and which days and hours are shown, follows
  /// from the summary.
  ///
  /// - Parameters:
  ///   - days: the days of a feed within the bins, in order.
  ///   - successes: the finish times of a feed's last ``UpdateHabit/successes``, newest first.
  ///   - loads: a feed's newest ``loadLimit`` loads that overlap a time, newest first.
  /// - Throws: what these throw.
  public init<Failure: Error>(
    _ summary: StatusSummary, store: String,
    days: (Feed, DayBins) throws(Failure) -> [DayNumbers],
    successes: (Feed) throws(Failure) -> [Int64],
    loads: (Feed, Range<Int64>) throws(Failure) -> LoadPage
  ) throws(Failure) {
    let end = min(summary.until ?? .max, summary.generated)
    let start = max(summary.since ?? .min, end.subtractingClamping(UTCDay.length))
    let bins = DayBins(
      from: UTCDay(of: max(summary.since ?? .min, summary.firstStart ?? end)),
      to: UTCDay(of: end.subtractingClamping(1)))
    var series: [Feed: DaySeries] = [:]
    var habits: [Feed: UpdateHabit] = [:]
    for feed in summary.feeds.map(\.feed) {
      series[feed] = DaySeries(try days(feed, bins), in: bins)
      habits[feed] = UpdateHabit(of: try successes(feed))
    }
    var busiest: [BusyFeed] = []
    for status in Self.busiest(of: summary.feeds) {
      busiest.append(BusyFeed(status: status, lastDay: try loads(status.feed, min(start, end)..<end)))
    }
    self.summary = summary
    self.store = store
    self.bins = bins
    self.series = series
    self.habits = habits
    self.busiest = busiest
    lastDay = min(start, end)..<end
  }

  private static func busiest(of feeds: [FeedStatus]) -> ArraySlice<FeedStatus> {
    feeds.filter { $0.numbers.loads > 0 }
      .sorted { ($1.numbers.loads, $0.feed) < ($0.numbers.loads, $1.feed) }
      .prefix(busyLimit)
  }
}

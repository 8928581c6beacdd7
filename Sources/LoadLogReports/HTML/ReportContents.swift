public import LoadLogCore

/// Everything that the page of `report` shows.
public struct ReportContents: Sendable, Hashable {
  /// One of the feeds with the most loads.
  public struct BusyFeed: Sendable, Hashable {
    /// The feed's dates and numbers.
    public let status: FeedStatus
    /// The feed's loads of the last day, newest first, at most ``ReportContents/loadLimit``.
    public let lastDay: LoadPage

    /// Creates a feed's contents from its parts.
    public init(status: FeedStatus, lastDay: LoadPage) {
      self.status = status
      self.lastDay = lastDay
    }
  }

  /// Maximum number of feeds with charts of their own, so that a page stays small.
  public static let busyLimit = 12
  /// Maximum number of loads per feed that the chart of the last day shows.
  public static let loadLimit = 2000

  /// Approximate maximum number of days, summed over all feeds, to hold in memory at once.
  private static let dayLimit = 20_000

  /// Dates and numbers of all chosen feeds.
  public let summary: StatusSummary
  /// The store's path.
  public let store: String
  /// The days that the charts show.
  public let bins: DayBins
  /// Results and durations of each feed's loads on these days.
  public let series: [Feed: DaySeries]
  /// How regularly each feed succeeds; a feed without a habit is missing.
  public let habits: [Feed: UpdateHabit]
  /// The feeds with the most loads, busiest first.
  public let busiest: [BusyFeed]
  /// The last 24 hours of the window, wall times in microseconds.
  public let lastDay: Range<Int64>

  /// Creates contents from their parts. The summary determines which feeds are the busiest, and which days
  /// and hours are shown.
  ///
  /// - Parameters:
  ///   - summary: dates and numbers of all feeds of the page.
  ///   - store: the store's path.
  ///   - days: returns the numbers of all the summary's feeds from one day to another, both included. Called
  ///     several times, so that not all days are in memory at once.
  ///   - successes: returns the finish times of a feed's last ``UpdateHabit/successes``, newest first.
  ///   - loads: returns a feed's newest ``loadLimit`` loads that overlap a range of time, newest first.
  ///   - busy: returns busy time and peak depth of the busiest feeds in the summary's window.
  /// - Throws: what the closures throw.
  public init<Failure: Error>(
    _ summary: StatusSummary, store: String,
    days: (UTCDay, UTCDay) throws(Failure) -> [DayNumbers],
    successes: (Feed) throws(Failure) -> [Int64],
    loads: (Feed, Range<Int64>) throws(Failure) -> LoadPage,
    busy: ([Feed]) throws(Failure) -> BusySummary
  ) throws(Failure) {
    let end = min(summary.until ?? .max, summary.generated)
    let start = max(summary.since ?? .min, end.subtractingClamping(UTCDay.length))
    let bins = DayBins(
      from: UTCDay(of: max(summary.since ?? .min, summary.firstStart ?? end)),
      to: UTCDay(of: end.subtractingClamping(1)))
    let feeds = summary.feeds.map(\.feed)
    var series = Dictionary(uniqueKeysWithValues: feeds.map { ($0, DaySeries(bins)) })
    let step = max(1, Self.dayLimit / max(1, feeds.count * Int(bins.daysPerBin)))
    for start in stride(from: 0, to: bins.count, by: step) where !feeds.isEmpty {
      let end = min(start + step, bins.count) - 1
      let found = try days(bins.firstDay(of: start), bins.lastDay(of: end))
      for (feed, days) in Dictionary(grouping: found, by: \.feed) {
        if let feed { series[feed]?.add(days, in: bins) }
      }
    }
    var habits: [Feed: UpdateHabit] = [:]
    for feed in feeds { habits[feed] = UpdateHabit(of: try successes(feed)) }
    var busiest: [BusyFeed] = []
    var statuses = Array(Self.busiest(of: summary.feeds))
    let times = statuses.isEmpty ? BusySummary() : try busy(statuses.map(\.feed))
    for index in statuses.indices {
      if let time = times.feeds[statuses[index].feed] { statuses[index].numbers.add(time) }
    }
    for status in statuses {
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

  /// Whether the days of ``bins`` contain exactly the loads of the window.
  var showsWholeWindow: Bool {
    let since = summary.since ?? .min
    let until = min(summary.until ?? .max, summary.generated)
    let first = max(since, summary.firstStart ?? bins.first.start)
    return since <= bins.first.start && UTCDay(of: first) == bins.first
      && (until == summary.generated || until == bins.last.end)
  }

  private static func busiest(of feeds: [FeedStatus]) -> ArraySlice<FeedStatus> {
    feeds.filter { $0.numbers.loads > 0 }
      .sorted { ($1.numbers.loads, $0.feed) < ($0.numbers.loads, $1.feed) }
      .prefix(busyLimit)
  }
}

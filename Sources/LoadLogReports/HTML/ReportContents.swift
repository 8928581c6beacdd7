public import LoadLogCore

/// Everything that the page of `report` shows.
public struct ReportContents: Sendable, Hashable {
  /// A feed that the page shows in full, with charts.
  struct FullFeed: Sendable, Hashable {
    /// The feed's dates and numbers.
    let status: FeedStatus
    /// The results and durations of the feed's loads in the time that the charts show.
    let series: ChartSeries
    /// How regularly the feed succeeds; nil if it has no habit.
    let habit: UpdateHabit?
    /// The feed's loads of the last day, newest first, at most ``ReportContents/loadLimit``.
    let lastDay: LoadPage
    /// The feed's newest failed loads in the window, newest first, at most ``ReportContents/failureLimit``.
    let failures: [LoadingSession]
  }

  /// How many feeds a page shows in full, and how many loads are read for it.
  public struct Limits: Sendable, Hashable {
    /// Maximum number of feeds that a page shows in full. All others are rows of a short table.
    let full: Int
    /// Maximum number of feeds with charts: a page of more feeds has none.
    let charted: Int
    /// Maximum number of loads of which busy time is computed, which reads each of them. The feeds with charts that
    /// come first have theirs; for the others it stays unknown.
    let busyLoads: Int

    /// Those of a report: 100 feeds, all with charts.
    public static let report = Limits(full: 100, charted: 100, busyLoads: 500_000)
    /// Those of a page that is rendered often: 200 feeds, and charts if there are at most 25.
    package static let live = Limits(full: 200, charted: 25, busyLoads: 100_000)
  }

  /// Maximum number of loads per feed that the chart of the last day shows.
  package static let loadLimit = 2000
  /// Maximum number of failed loads that the page lists per feed.
  static let failureLimit = 3
  /// Approximate maximum number of days, summed over all feeds, to hold in memory at once.
  private static let dayLimit = 20_000

  /// Dates and numbers of all chosen feeds.
  public let summary: StatusSummary
  /// The store's path.
  public let store: String
  /// The time that the charts show: at most ``ChartBins/longest`` days, and without charts of single feeds at most
  /// ``ChartBins/limit``.
  let bins: ChartBins
  /// Results and durations of all feeds together in that time.
  let total: ChartSeries
  /// The feeds in full, in the order of `status`: those in trouble, and those with the most loads.
  let full: [FullFeed]
  /// Whether the feeds in full have charts.
  let hasCharts: Bool
  /// The last 24 hours of the window, wall times in microseconds.
  let lastDay: Range<Int64>
  /// The end of what the commands of failed loads wrote; empty unless it was read.
  public private(set) var outputs: [SessionID: KeptOutput] = [:]
  /// The flips of the page's feeds at all times, in their order; they show how long feeds were down.
  public var flips: [FeedFlip] = []
  /// A line for each thing that is wrong with the hosts of a fleet.
  package var hosts: [String] = []

  /// Reads the contents of a page from a store. Blocks the thread.
  ///
  /// Asks several questions, each of which is answered as of its own moment.
  ///
  /// - Parameters:
  ///   - reader: the store.
  ///   - filter: the feeds and the time window. Charts show every day, or hour, that the window touches.
  ///   - store: the store's path.
  ///   - limits: how many feeds are shown in full.
  /// - Throws: what the reader throws.
  public init(
    reading reader: any LoadReading, _ filter: LoadFilter, store: String, limits: Limits = .report
  ) throws(LoadLogError) {
    self.store = store
    summary = try reader.status(filter, runningLimit: nil) { summary in
      Set(Self.full(of: summary, limits.full).map(\.feed))
    }
    let end = min(summary.until ?? .max, summary.generated)
    let start = min(max(summary.since ?? .min, end.subtractingClamping(UTCDay.length)), end)
    lastDay = start..<end
    var statuses = Self.full(of: summary, limits.full)
    hasCharts = statuses.count <= limits.charted
    var chosen = Charts(summary, end: end, of: statuses.map(\.feed), isShort: !hasCharts)
    if !statuses.isEmpty { try chosen.read(from: reader, filter.feeds) }
    (bins, total) = (chosen.bins, chosen.total)
    let counted = hasCharts ? Self.countable(statuses, limits.busyLoads).map(FeedPattern.init(exactly:)) : []
    // A filter without feeds would let through all of them.
    if !counted.isEmpty {
      let times = try reader.busy(
        LoadFilter(feeds: counted, since: filter.since, until: filter.until)
      ) { _, _ in }
      for index in statuses.indices {
        if let time = times.feeds[statuses[index].feed] { statuses[index].numbers.add(time) }
      }
    }
    let successes = try reader.successes(of: statuses.map(\.feed), limit: UpdateHabit.successes)
    var full: [FullFeed] = []
    for status in statuses {
      let feed = status.feed
      var loads = LoadPage(loads: [], total: 0)
      var failures: [LoadingSession] = []
      if hasCharts {
        let pattern = FeedPattern(exactly: feed)
        loads = try reader.history(
          LoadFilter(feeds: [pattern], since: start, until: end, limit: Self.loadLimit))
        if status.numbers.failed > 0 {
          var failed = LoadFilter(
            feeds: [pattern], since: filter.since, until: filter.until, states: [.failed],
            limit: Self.failureLimit)
          failed.wantsTotal = false
          // A load that began before the window overlaps it, but is not counted in it.
          failures = try reader.history(failed).loads.filter { $0.started.wall >= filter.since ?? .min }
        }
      }
      full.append(
        FullFeed(
          status: status, series: chosen.series[feed] ?? ChartSeries(bins),
          habit: successes[feed].flatMap { UpdateHabit(of: $0) }, lastDay: loads, failures: failures))
    }
    self.full = full
    flips = try reader.flips(LoadFilter(feeds: filter.feeds))
  }

  /// Maximum number of bytes of a load's output on the page.
  private static let outputLimit = 10_000

  /// Reads what the commands of the listed failed loads wrote. It may contain secrets.
  ///
  /// - Throws: what the reader throws.
  public mutating func readOutputs(from reader: any LoadReading) throws(LoadLogError) {
    for load in full.flatMap(\.failures) {
      outputs[load.id] = try reader.output(of: load.id)?.tail(lines: .max, limit: Self.outputLimit)
    }
  }

  /// Whether the charts show exactly the loads of the window.
  var showsWholeWindow: Bool {
    let until = min(summary.until ?? .max, summary.generated)
    // A clock may have been ahead.
    let hasFuture =
      summary.until ?? .max > until && summary.feeds.contains { $0.dates.lastAttempted ?? .min > until }
    let first = max(summary.since ?? .min, summary.firstStart ?? bins.span.lowerBound)
    return summary.since ?? .min <= bins.span.lowerBound && bins.index(of: first) == 0
      && (until == summary.generated || until == bins.span.upperBound) && !hasFuture
  }

  /// The feeds that a page shows in full. Durations do not matter for the choice.
  static func full(of summary: StatusSummary, _ limit: Int) -> [FeedStatus] {
    let feeds = summary.feeds
    let order = StatusReport(summary, store: "").positions
    let troubled = order.filter { FeedRow.condition(of: feeds[$0]).isTrouble }
    let fine = order.filter { !FeedRow.condition(of: feeds[$0]).isTrouble }
    let busiest = fine.filter { feeds[$0].numbers.loads > 0 }
      .sorted { (feeds[$1].numbers.loads, feeds[$0].feed) < (feeds[$0].numbers.loads, feeds[$1].feed) }
    let quiet = fine.filter { feeds[$0].numbers.loads == 0 }
    let chosen = Set((troubled + busiest + quiet).prefix(limit))
    return order.filter(chosen.contains).map { feeds[$0] }
  }

  private static func countable(_ statuses: [FeedStatus], _ limit: Int) -> [Feed] {
    var rest = limit
    return statuses.prefix { status in
      rest -= status.numbers.loads
      return rest >= 0
    }.map(\.feed)
  }

  /// The series of the charts while they are read.
  private struct Charts {
    private(set) var bins: ChartBins
    private(set) var total: ChartSeries
    private(set) var series: [Feed: ChartSeries] = [:]
    private let range: Range<Int64>
    private let recorded: Range<Int64>

    /// - Parameter isShort: whether to show no more days than there may be points. Tables have room for a line of one
    ///   point per day, and a page of many feeds need not read a year of each.
    init(_ summary: StatusSummary, end: Int64, of feeds: [Feed], isShort: Bool) {
      let first = summary.firstStart ?? end
      recorded = min(first, summary.generated)..<summary.generated
      let last = UTCDay(of: end.subtractingClamping(1)).start
      let shortest = last.subtractingClamping(Int64(ChartBins.limit - 1) * UTCDay.length)
      let start = max(summary.since ?? .min, first, isShort ? shortest : .min)
      range = min(start, end)..<end
      bins = ChartBins(from: range.lowerBound, to: end, recorded: recorded, isHourly: true)
      total = ChartSeries(bins)
      for feed in feeds { series[feed] = total }
    }

    mutating func read(
      from reader: any LoadReading, _ patterns: [FeedPattern]
    ) throws(LoadLogError) {
      /// The numbers of the days that a span touches.
      func days(_ span: Range<Int64>, listing feeds: Set<Feed>) throws(LoadLogError) -> [DayNumbers] {
        let (first, last) = (UTCDay(of: span.lowerBound), UTCDay(of: span.upperBound.subtractingClamping(1)))
        return try reader.days(
          LoadFilter(feeds: patterns, since: first.start, until: last.end), listing: feeds)
      }
      if bins.isHourly {
        let days = try days(range, listing: [])
        // Only rows know hours, and pruned days have lost theirs.
        if !days.contains(where: \.numbers.isApproximate) {
          let hours = try reader.hours(
            LoadFilter(feeds: patterns, since: bins.span.lowerBound, until: bins.span.upperBound))
          total.add(hours, in: bins)
          return add(hours, feed: \.feed) { $0.add($1, in: $2) }
        }
        bins = ChartBins(from: range.lowerBound, to: range.upperBound, recorded: recorded)
        total = ChartSeries(bins)
        series = series.mapValues { [total] _ in total }
      }
      let feeds = Set(series.keys)
      let step = max(1, ReportContents.dayLimit / max(1, feeds.count * Int(bins.unitsPerBin)))
      // Several reads, so that not all days are in memory at once.
      for start in stride(from: 0, to: bins.count, by: step) {
        let end = bins.end(of: min(start + step, bins.count) - 1)
        let found = try days(bins.start(of: start)..<end, listing: feeds)
        total.add(found.filter { $0.feed == nil }, in: bins)
        add(found, feed: \.feed) { $0.add($1, in: $2) }
      }
    }

    private mutating func add<Part>(
      _ parts: [Part], feed: (Part) -> Feed?, _ add: (inout ChartSeries, [Part], ChartBins) -> Void
    ) {
      for (feed, parts) in Dictionary(grouping: parts, by: feed) {
        guard let feed, var one = series[feed] else { continue }
        add(&one, parts, bins)
        series[feed] = one
      }
    }
  }
}

import LoadLogCore

/// The page's section about the feeds with the most loads, each with its charts.
struct BusySection {
  private let contents: ReportContents
  private let axis: DayAxis
  private let page: PageStyle

  init(_ contents: ReportContents, _ axis: DayAxis, _ page: PageStyle) {
    self.contents = contents
    self.axis = axis
    self.page = page
  }

  /// Returns the HTML anchor of one of the busiest feeds.
  static func anchor(_ index: Int) -> String { "feed-\(index + 1)" }

  /// The section's contents; nil if there are no loads.
  var model: PageModel.Busy? {
    guard !contents.busiest.isEmpty else { return nil }
    let count = contents.busiest.count
    let isAll = contents.summary.feeds.count <= count
    return PageModel.Busy(
      heading: isAll ? "Feed by feed" : "The \(count) busiest feeds",
      lead: lead, feeds: contents.busiest.enumerated().map { feed(Self.anchor($0), $1) })
  }

  /// States the days that the charts show, and how that differs from what the figures cover.
  private var lead: String {
    let summary = contents.summary
    let days =
      "Whole UTC days, \(axis.span); hours are in \(page.time.abbreviation(summary.generated))."
    guard !contents.showsWholeWindow else { return days }
    let isWhole = summary.since == nil && summary.until == nil
    let window = isWhole ? "all time" : summary.wholeDays.isEmpty ? "the exact window" : "the window"
    return "\(days) Bars and curves show these days; figures and quantiles cover \(window)."
  }

  private func feed(_ anchor: String, _ busy: ReportContents.BusyFeed) -> PageModel.Busy.Feed {
    let row = FeedRow(busy.status, summary: contents.summary)
    let texts = StatusTable(rows: [row], summary: contents.summary).cells(row, page).map(\.text)
    let series = contents.series[busy.status.feed] ?? DaySeries(contents.bins)
    let depth = DepthChart(
      busy.lastDay, window: contents.lastDay, time: page.time, now: contents.summary.generated)
    return PageModel.Busy.Feed(
      anchor: anchor, status: row.status(page.glyphs), name: page.feed(busy.status.feed),
      figures: FeedsSection.Column.figures.map { column in
        PageModel.Busy.Feed.Figure(
          label: column.title, value: texts[column.rawValue])
      },
      charts: [
        DurationsChart(series: series, axis: axis).chart("\(anchor)-days"),
        SpreadChart(series: series, quantiles: busy.status.numbers.typicalDuration).chart("\(anchor)-spread"),
        depth.chart("\(anchor)-depth"),
      ],
      remark: depth.remark, days: days(series))
  }

  private func days(_ series: DaySeries) -> [PageModel.Busy.Feed.Day] {
    let statistics = series.statistics
    return series.loads.indices.filter { series.loads[$0] > 0 }.map { index in
      PageModel.Busy.Feed.Day(
        name: axis.name(of: index), loads: Words.count(series.loads[index]),
        failed: Words.count(series.failed[index]),
        median: statistics[index]?.shown(\.p50, page.glyphs) ?? page.glyphs.none,
        p95: statistics[index]?.shown(\.p95, page.glyphs) ?? page.glyphs.none)
    }
  }
}

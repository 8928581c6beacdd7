import LoadLogCore

/// The page's section with the charts of each feed that is shown in full.
struct ChartedSection {
  /// Maximum number of feeds for which the page repeats the charts' numbers as a table. Pages of more feeds would grow
  /// too large.
  private static let tableLimit = 25
  /// Width in cells to which the reason of a failure is truncated.
  private static let reasonWidth = 160

  let contents: ReportContents
  let axis: TimeAxis
  let page: PageStyle

  /// Returns the HTML anchors of the feeds that have charts.
  static func anchors(_ contents: ReportContents) -> [Feed: String] {
    guard contents.hasCharts else { return [:] }
    return Dictionary(contents.full.enumerated().map { ($1.status.feed, "feed-\($0 + 1)") }) { first, _ in
      first
    }
  }

  /// The section's contents; nil if there are no feeds.
  var model: PageModel.Charted? {
    guard contents.hasCharts, !contents.full.isEmpty else { return nil }
    let anchors = Self.anchors(contents)
    return PageModel.Charted(
      lead: lead, feeds: contents.full.map { feed(anchors[$0.status.feed] ?? "", $0) },
      firstHead: contents.bins.isHourly ? "Started" : "Started (UTC)")
  }

  /// States the time that the charts show, and how that differs from what the figures cover.
  private var lead: String {
    let summary = contents.summary
    let days = "\(axis.unit), \(axis.span); hours are in \(page.time.abbreviations(hours))."
    guard !contents.showsWholeWindow else { return days }
    let isWhole = summary.since == nil && summary.until == nil
    let window = isWhole ? "all time" : summary.wholeDays.isEmpty ? "the exact window" : "the window"
    let unit = contents.bins.isHourly ? "hours" : "days"
    return "\(days) Bars and curves show these \(unit); figures and quantiles cover \(window)."
  }

  /// Moments of which the section shows the hour: those at the ends of charts, and of failures.
  private var hours: [Int64] {
    let spans = [contents.lastDay] + (contents.bins.isHourly ? [contents.bins.span] : [])
    return spans.flatMap { [$0.lowerBound, $0.upperBound] }
      + contents.full.flatMap(\.failures).map(\.started.wall)
  }

  private func feed(_ anchor: String, _ full: ReportContents.FullFeed) -> PageModel.Charted.Feed {
    let row = FeedRow(full.status, summary: contents.summary)
    let hasPoints = contents.full.count <= Self.tableLimit
    let strip = CalendarStrip(series: full.series, axis: axis)
    let depth = DepthChart(
      page: full.lastDay, window: contents.lastDay, time: page.time, now: contents.summary.generated)
    return PageModel.Charted.Feed(
      anchor: anchor, status: row.status(page.glyphs), name: page.feed(full.status.feed),
      figures: figures(row),
      strip: strip.chart, ends: strip.ends,
      charts: [
        DurationsChart(series: full.series, axis: axis).chart,
        SpreadChart(series: full.series, quantiles: full.status.numbers.typicalDuration).chart,
        depth.chart,
      ],
      remark: depth.remark, failures: failures(full), points: hasPoints ? points(full.series) : [],
      hasPoints: hasPoints)
  }

  private func figures(_ row: FeedRow) -> [PageModel.Charted.Feed.Figure] {
    let texts = StatusTable(rows: [row], summary: contents.summary).cells(row, page).map(\.text)
    var figures = FeedsSection.Column.figures.map { column in
      PageModel.Charted.Feed.Figure(label: column.title, value: texts[column.rawValue])
    }
    let rate = row.hasNoToldVerdict ? nil : row.status.numbers.successRate.map(Words.percent)
    figures.insert(.init(label: "Succeeded", value: rate ?? page.glyphs.none), at: 3)
    return figures
  }

  private func failures(_ full: ReportContents.FullFeed) -> PageModel.Charted.Failures? {
    guard !full.failures.isEmpty else { return nil }
    let (shown, all) = (full.failures.count, full.status.numbers.failed)
    return PageModel.Charted.Failures(
      heading: all > shown
        ? "Last \(Words.count(shown)) of \(Words.count(all, "failure"))" : Words.count(all, "failure"),
      rows: full.failures.map { load in
        let reason = load.reason.map(VisibleText.line) ?? "no reason recorded"
        return PageModel.Charted.Failure(
          time: page.time.dayMinute(load.started.wall, near: contents.summary.generated),
          reason: page.fitted(reason, to: Self.reasonWidth), load: load.id.tail,
          output: contents.outputs[load.id].map(output))
      })
  }

  private func output(_ output: KeptOutput) -> PageModel.Charted.Output {
    let missing = output.missing
    return PageModel.Charted.Output(
      heading: missing > 0 ? "Output (the \(ByteText.text(missing)) before this were not kept)" : "Output",
      lines: output.shownLines)
  }

  private func points(_ series: ChartSeries) -> [PageModel.Charted.Feed.Point] {
    let statistics = series.statistics
    return series.loads.indices.filter { series.loads[$0] > 0 }.map { index in
      PageModel.Charted.Feed.Point(
        name: axis.name(of: index), loads: Words.count(series.loads[index]),
        failed: Words.count(series.failed[index]),
        median: statistics[index]?.shown(\.p50, page.glyphs) ?? page.glyphs.none,
        p95: statistics[index]?.shown(\.p95, page.glyphs) ?? page.glyphs.none)
    }
  }
}

extension LoadNumbers {
  /// The share of successes among the loads that succeeded, were unchanged, failed or never finished; nil if there are
  /// none.
  var successRate: Double? {
    let good = succeeded.addingClamping(unchanged)
    let all = good.addingClamping(failed).addingClamping(unbalanced.unfinished)
    return all > 0 ? Double(good) / Double(all) : nil
  }
}

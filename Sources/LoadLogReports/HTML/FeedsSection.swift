import LoadLogCore

/// Table of feeds: the rows of `status`, with a strip for freshness and a sparkline of the median.
struct FeedsSection {
  private let contents: ReportContents
  private let rows: [FeedRow]
  private let freshness: [Freshness]
  private let axis: DayAxis
  private let page: PageStyle

  init(
    _ contents: ReportContents, rows: [FeedRow], freshness: [Freshness], axis: DayAxis, page: PageStyle
  ) {
    self.contents = contents
    self.rows = rows
    self.freshness = freshness
    self.axis = axis
    self.page = page
  }

  var model: PageModel.Feeds {
    let table = StatusTable(rows: rows, summary: contents.summary)
    let charts = Dictionary(
      contents.busiest.enumerated().map { ($1.status.feed, BusySection.anchor($0)) }
    ) { first, _ in first }
    return PageModel.Feeds(
      heads: Column.shown.map { column in
        PageModel.Feeds.Head(title: column.title, isNumber: column.rawValue >= Column.loads.rawValue)
      },
      trendTitle: "Median \(axis.rhythm)",
      rows: zip(rows, freshness).map { row, freshness in
        self.row(
          row, texts: table.cells(row, page).map(\.text), freshness: freshness, chart: charts[row.status.feed]
        )
      },
      total: table.totals(page).map { cells in
        let texts = cells.map(\.text)
        return PageModel.Feeds.Total(
          now: texts[Column.now.rawValue], numbers: Column.numbers.map { texts[$0.rawValue] },
          unbalanced: texts[Column.unbalanced.rawValue])
      })
  }

  private func row(
    _ row: FeedRow, texts: [String], freshness: Freshness, chart: String?
  ) -> PageModel.Feeds.Row {
    let trend = contents.series[row.status.feed].map { Sparkline(series: $0) }
    let words = trend?.words
    return PageModel.Feeds.Row(
      status: row.status(page.glyphs), chart: chart, name: texts[Column.feed.rawValue],
      updated: texts[Column.updated.rawValue], habit: freshness.words, bar: freshness.bar,
      barStyle: freshness.kind.style, now: texts[Column.now.rawValue],
      numbers: Column.numbers.map { texts[$0.rawValue] }, unbalanced: texts[Column.unbalanced.rawValue],
      trend: words == nil ? nil : trend?.line, trendWords: words)
  }

  /// Columns of the `status` table that the page shows; the raw value is the column's index.
  enum Column: Int {
    case feed = 1
    case updated, now, loads, failed, median, p95, max, busy, peak, unbalanced

    /// Title as on the page: "Loads" for "LOADS".
    var title: String {
      let title = StatusTable.columns[rawValue].title
      return title.prefix(1) + title.dropFirst().lowercased()
    }

    static let shown: [Column] = [.feed, .updated, .now] + numbers + [.unbalanced]
    static let numbers: [Column] = [.loads, .failed, .median, .p95, .max]
    static let figures: [Column] = [.updated, .loads, .failed, .median, .p95, .max, .busy, .peak]
  }
}

import LoadLogCore

/// Table of the feeds that are shown in full: their rows of `status`, with a strip for freshness and a sparkline of the median.
struct FeedsSection {
  let contents: ReportContents
  let rows: [FeedRow]
  let freshness: [Freshness]
  let axis: TimeAxis
  let page: PageStyle
  let links: FeedLinks

  var model: PageModel.Feeds {
    let table = StatusTable(rows: rows, summary: contents.summary)
    let count = contents.summary.feeds.count
    return PageModel.Feeds(
      heading: count > rows.count ? "\(Words.count(rows.count)) of \(Words.count(count, "feed"))" : "Feeds",
      others: count > rows.count ? "the other \(Words.count(count - rows.count))" : nil,
      isSearchable: !links.isLive && count > Self.searchableFrom, isLive: links.isLive,
      heads: Column.shown.map { column in
        PageModel.Feeds.Head(title: column.title, isNumber: column.rawValue >= Column.loads.rawValue)
      },
      trendTitle: "Median \(axis.rhythm)",
      rows: rows.indices.map { index in
        row(index, texts: table.cells(rows[index], page).map(\.text))
      },
      total: table.totals(page).map { cells in
        let texts = cells.map(\.text)
        return PageModel.Feeds.Total(
          now: texts[Column.now.rawValue], numbers: Column.numbers.map { texts[$0.rawValue] },
          unbalanced: texts[Column.unbalanced.rawValue])
      })
  }

  /// Number of feeds from which a page can be searched.
  static let searchableFrom = 20

  private func row(_ index: Int, texts: [String]) -> PageModel.Feeds.Row {
    let freshness = freshness[index]
    let trend = Sparkline(series: contents.full[index].series)
    let words = trend.words
    return PageModel.Feeds.Row(
      status: rows[index].status(page.glyphs),
      feed: .init(name: texts[Column.feed.rawValue], target: links.target(rows[index].status.feed)),
      updated: texts[Column.updated.rawValue], habit: freshness.words, bar: freshness.bar,
      barStyle: freshness.kind.style, now: texts[Column.now.rawValue],
      numbers: Column.numbers.map { texts[$0.rawValue] }, unbalanced: texts[Column.unbalanced.rawValue],
      trend: words == nil ? nil : trend.line, trendWords: words)
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

import LoadLogCore

/// The table of `status`: one row per feed, and one for all feeds.
struct StatusTable {
  static let columns = [
    Table.Column(title: ""),
    Table.Column(title: "FEED", minimum: 12, shrinksTo: 8, cut: .middle, gap: 1),
    Table.Column(title: "UPDATED"),
    Table.Column(title: "NOW"),
    Table.Column(title: "LOADS", alignment: .right, leavesBelow: 62, sacrifice: 3),
    Table.Column(title: "FAILED", alignment: .right),
    Table.Column(title: "MEDIAN", alignment: .right, leavesBelow: 70, sacrifice: 4),
    Table.Column(title: "P95", alignment: .right, leavesBelow: 80, sacrifice: 5),
    Table.Column(title: "MAX", alignment: .right, leavesBelow: 90, sacrifice: 6),
    Table.Column(title: "BUSY", alignment: .right, sacrifice: 1),
    Table.Column(title: "PEAK", alignment: .right, sacrifice: 2),
    Table.Column(title: "UNBAL.", alignment: .right, minimum: 7),
  ]

  let rows: [FeedRow]
  let summary: StatusSummary

  /// The lines of the table. A narrow page has two lines for each feed.
  func lines(_ page: PageStyle) -> [String] {
    let titles = Self.columns.map(\.title).filter { hasBusy || !["BUSY", "PEAK"].contains($0) }
    guard page.isNarrow else { return lines(of: titles, page) }
    let upper = lines(of: ["", "FEED", "NOW"], stretching: "FEED", page)
    let lower = lines(of: titles.filter { !["FEED", "NOW"].contains($0) }, stretching: "UPDATED", page)
    return zip(upper, lower).flatMap { [$0, $1] }
  }

  /// The lines of a table of some columns. Without the feed, the mark is left out and its column indents the others.
  private func lines(of titles: [String], stretching: String? = nil, _ page: PageStyle) -> [String] {
    let kept = Self.columns.indices.filter { titles.contains(Self.columns[$0].title) }
    var table = Table(
      kept.map { index in
        var column = Self.columns[index]
        column.stretches = column.title == stretching
        return column
      })
    for row in rows.map({ cells($0, page) }) + (totals(page).map { [$0] } ?? []) {
      table.add(kept.map { $0 > 0 || titles.contains("FEED") ? row[$0] : "  " })
    }
    return table.lines(page)
  }

  private var hasBusy: Bool { rows.contains { $0.status.numbers.busy != nil } }

  /// Returns a row, with one cell per column.
  func cells(_ row: FeedRow, _ page: PageStyle) -> [Table.Cell] {
    let numbers = row.status.numbers
    let untold = row.hasNoToldVerdict
    let typical = numbers.typicalDuration
    let about = numbers.countsWholeDays ? page.glyphs.about : ""
    func quantile(_ key: KeyPath<DurationStatistics, Double>) -> Table.Cell {
      typical.map { Table.Cell($0.shown(key, page.glyphs)) } ?? Table.Cell(page.glyphs.none, .quiet)
    }
    return [
      row.mark(page.glyphs), Table.Cell(VisibleText.line(row.status.feed.name)),
      updated(row.status.dates.lastUpdated, untold: untold, page), Table.Cell(row.activity),
      Table.Cell(numbers.shown(numbers.loads, page.glyphs)),
      Table.Cell(untold ? page.glyphs.none : numbers.shown(numbers.failed, page.glyphs)),
      quantile(\.p50), quantile(\.p95),
      Table.Cell(typical.map { about + DurationText.measured($0.max) } ?? page.glyphs.none),
      busy(numbers, page), peak(numbers, page), unbalanced(numbers, page),
    ]
  }

  /// Returns the row for all feeds together; nil if it would only repeat that of a single feed.
  func totals(_ page: PageStyle) -> [Table.Cell]? {
    guard rows.count > 1 || summary.feedless.total > 0 else { return nil }
    let totals = summary.totals
    return [
      "", Table.Cell("all", .quiet), "",
      Table.Cell(activity(totals)),
      Table.Cell(totals.shown(totals.loads, page.glyphs)),
      Table.Cell(totals.shown(totals.failed, page.glyphs)),
      "", "", "", busy(totals, page), peak(totals, page), unbalanced(totals, page),
    ]
  }

  /// What all feeds together do: "2 running", "2 unknown" or "idle".
  private func activity(_ totals: LoadNumbers) -> String {
    if totals.running > 0 { return "\(Words.count(totals.running)) running" }
    return totals.unknown > 0 ? "\(Words.count(totals.unknown)) unknown" : "idle"
  }

  private func updated(_ date: Int64?, untold: Bool, _ page: PageStyle) -> Table.Cell {
    guard let date else { return untold ? Table.Cell(page.glyphs.none) : "never" }
    return Table.Cell(AgeText.text(of: date, at: summary.generated))
  }

  private func busy(_ numbers: LoadNumbers, _ page: PageStyle) -> Table.Cell {
    guard let busy = numbers.busy else { return Table.Cell(page.glyphs.none) }
    return Table.Cell((numbers.isApproximate ? page.glyphs.about : "") + DurationText.measured(busy))
  }

  private func peak(_ numbers: LoadNumbers, _ page: PageStyle) -> Table.Cell {
    guard let peak = numbers.peakDepth else { return Table.Cell(page.glyphs.none) }
    return Table.Cell((numbers.isApproximate ? page.glyphs.about : "") + Words.count(peak))
  }

  private func unbalanced(_ numbers: LoadNumbers, _ page: PageStyle) -> Table.Cell {
    let count = numbers.unbalanced.unacknowledged
    return count == 0
      ? Table.Cell(page.glyphs.zero, .quiet) : Table.Cell(Words.count(count), .alarm)
  }
}

extension StatusSummary {
  /// The imbalances that are in no feed: finishes of unknown loads, whose feed is unknown, too.
  var feedless: ImbalanceCounts {
    var known = ImbalanceCounts()
    for status in feeds { known.add(status.numbers.unbalanced) }
    var rest = ImbalanceCounts()
    rest.orphanFinish = max(0, totals.unbalanced.orphanFinish - known.orphanFinish)
    rest.unacknowledged = max(0, totals.unbalanced.unacknowledged - known.unacknowledged)
    return rest
  }
}

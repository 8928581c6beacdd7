import LoadLogCore

/// The table of `status`: one row per feed, and one for all feeds.
struct StatusTable {
  static let columns = [
    Table.Column(title: ""),
    Table.Column(title: "FEED", minimum: 12, shrinksTo: 8, cut: .middle, gap: 1),
    Table.Column(title: "UPDATED"),
    Table.Column(title: "NOW"),
    Table.Column(title: "LOADS", alignment: .right),
    Table.Column(title: "FAILED", alignment: .right, sacrifice: 3),
    Table.Column(title: "MEDIAN", alignment: .right, sacrifice: 1),
    Table.Column(title: "P95", alignment: .right, sacrifice: 2),
    Table.Column(title: "MAX", alignment: .right, leavesBelow: 90),
    Table.Column(title: "BUSY", alignment: .right),
    Table.Column(title: "PEAK", alignment: .right),
    Table.Column(title: "UNBAL.", alignment: .right, minimum: 7),
  ]

  let rows: [FeedRow]
  let summary: StatusSummary

  func lines(_ page: PageStyle) -> [String] {
    var table = Table(columns)
    for row in rows { table.add(shown(cells(row, page))) }
    if let totals = totals(page) { table.add(shown(totals)) }
    return table.lines(page)
  }

  /// Leaves out BUSY and PEAK if they were not asked for.
  private func shown<Part>(_ parts: [Part]) -> [Part] {
    hasBusy ? parts : zip(Self.columns, parts).filter { !["BUSY", "PEAK"].contains($0.0.title) }.map(\.1)
  }

  /// The columns of the screen. BUSY and PEAK, which were asked for, take the place of MAX where there is little room.
  private var columns: [Table.Column] {
    shown(Self.columns).map { column in
      var column = column
      if hasBusy, column.title == "MAX" { column.leavesBelow = 120 }
      return column
    }
  }

  private var hasBusy: Bool { rows.contains { $0.status.numbers.busy != nil } }

  private var hasFeedlessOrphans: Bool {
    summary.totals.unbalanced.total > rows.reduce(0) { $0 + $1.status.numbers.unbalanced.total }
  }

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
    guard rows.count > 1 || hasFeedlessOrphans else { return nil }
    let totals = summary.totals
    return [
      "", Table.Cell("all", .quiet), "",
      Table.Cell(totals.running > 0 ? "\(Words.count(totals.running)) running" : "idle"),
      Table.Cell(totals.shown(totals.loads, page.glyphs)),
      Table.Cell(totals.shown(totals.failed, page.glyphs)),
      "", "", "", busy(totals, page), peak(totals, page), unbalanced(totals, page),
    ]
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

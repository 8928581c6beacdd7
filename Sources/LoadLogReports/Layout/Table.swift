/// Table of texts whose columns are fitted to a page's width.
struct Table: Sendable {
  /// Layout of one column; widths are in terminal cells.
  struct Column: Sendable {
    let title: String
    var alignment = DisplayWidth.Alignment.left
    /// Width that the column takes if there is room, even if its texts are shorter.
    var minimum = 0
    /// Width to which the column may shrink; nil if it never shrinks.
    var shrinksTo: Int?
    var cut = DisplayWidth.Cut.end
    /// Whether the column takes the width that the other columns leave.
    var stretches = false
    /// Minimum page width at which the column is shown.
    var leavesBelow = 0
    /// Order in which columns are dropped from a page that is too narrow: highest number first, 0 never.
    var sacrifice = 0
    var gap = 2
  }

  /// Text of one cell and its ink.
  struct Cell: Sendable, ExpressibleByStringLiteral {
    let text: String
    let ink: Ink

    init(_ text: String, _ ink: Ink = .plain) {
      self.text = text
      self.ink = ink
    }

    init(stringLiteral value: String) { self.init(value) }
  }

  enum Row: Sendable {
    case cells([Cell])
    case heading(String)
  }

  let columns: [Column]
  var hasTitles = true
  private(set) var rows: [Row] = []

  init(_ columns: [Column], hasTitles: Bool = true) {
    self.columns = columns
    self.hasTitles = hasTitles
  }

  /// Adds a row with one cell per column.
  mutating func add(_ cells: [Cell]) { rows.append(.cells(cells)) }

  /// Adds a line that spans all columns.
  mutating func addHeading(_ text: String) { rows.append(.heading(text)) }

  /// Returns the lines of the table.
  func lines(_ page: PageStyle) -> [String] {
    let natural = naturalWidths
    return lines(of: keptColumns(natural, in: page), natural, page)
  }

  /// Returns the lines of the table; nil if the page is narrower than the columns can be.
  func fittingLines(_ page: PageStyle) -> [String]? {
    let natural = naturalWidths
    let kept = keptColumns(natural, in: page)
    guard !page.isFitted || least(kept, natural) <= page.width else { return nil }
    return lines(of: kept, natural, page)
  }

  private func lines(of kept: [Int], _ natural: [Int], _ page: PageStyle) -> [String] {
    let widths = widths(of: kept, natural: natural, in: page)
    let titles = Row.cells(columns.map { Cell($0.title, .quiet) })
    return ((hasTitles ? [titles] : []) + rows).map { row in
      switch row {
      case .cells(let cells): line(of: kept.map { cells[$0] }, columns: kept, widths: widths, in: page)
      case .heading(let text): page.inked(page.fitted(text), .heading)
      }
    }
  }

  private func line(
    of cells: [Cell], columns kept: [Int], widths: [Int], in page: PageStyle
  ) -> String {
    var line = ""
    var pending = 0
    for (position, cell) in cells.enumerated() {
      let column = columns[kept[position]]
      let text = page.fitted(cell.text, to: widths[position], column.cut)
      let space = widths[position] - DisplayWidth.of(text)
      pending += position == 0 ? 0 : column.gap
      if column.alignment == .right { pending += space }
      if !text.isEmpty {
        line += DisplayWidth.spaces(pending) + page.inked(text, cell.ink)
        pending = 0
      }
      if column.alignment == .left { pending += space }
    }
    return line
  }

  private func keptColumns(_ natural: [Int], in page: PageStyle) -> [Int] {
    guard page.isFitted else { return Array(columns.indices) }
    var kept = columns.indices.filter { page.width >= columns[$0].leavesBelow }
    while least(kept, natural) > page.width,
      let index = kept.max(by: { columns[$0].sacrifice < columns[$1].sacrifice }),
      columns[index].sacrifice > 0
    {
      kept.removeAll { $0 == index }
    }
    return kept
  }

  /// The least width of some columns together.
  private func least(_ kept: [Int], _ natural: [Int]) -> Int {
    kept.reduce(0) { sum, index in
      let column = columns[index]
      let width = min(natural[index], column.shrinksTo ?? .max)
      return sum + max(width, min(column.minimum, natural[index])) + column.gap
    } - (kept.first.map { columns[$0].gap } ?? 0)
  }

  private func widths(of kept: [Int], natural: [Int], in page: PageStyle) -> [Int] {
    var widths = kept.map { natural[$0] }
    let gaps = kept.dropFirst().reduce(0) { $0 + columns[$1].gap }
    func excess() -> Int { widths.reduce(gaps, +) - page.width }
    for (position, index) in kept.enumerated() where excess() < 0 {
      let wanted = columns[index].minimum - widths[position]
      if wanted > 0 { widths[position] += min(wanted, -excess()) }
    }
    for (position, index) in kept.enumerated().reversed() where page.isFitted && excess() > 0 {
      guard let least = columns[index].shrinksTo else { continue }
      widths[position] = max(min(least, widths[position]), widths[position] - excess())
    }
    if let position = kept.firstIndex(where: { columns[$0].stretches }), excess() < 0 {
      widths[position] -= excess()
    }
    return widths
  }

  private var naturalWidths: [Int] {
    columns.indices.map { index in
      let texts = rows.lazy.compactMap { row in
        if case .cells(let cells) = row { cells[index].text } else { nil }
      }
      let longest = texts.map(DisplayWidth.of).max() ?? 0
      return hasTitles ? max(longest, DisplayWidth.of(columns[index].title)) : longest
    }
  }
}

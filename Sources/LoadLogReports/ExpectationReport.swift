public import LoadLogCore

/// Report of `loadlog expect`: all expectations, and how the feeds stand that they apply to.
public struct ExpectationReport: Sendable {
  private let expectations: [FeedExpectation]
  private let summary: StatusSummary
  private let store: String
  /// The feeds that an expectation applies to, by the key of its pattern.
  private let feeds: [String: [FeedStatus]]

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - expectations: the expectations of the store.
  ///   - summary: the status of all feeds.
  ///   - store: the store's path.
  public init(_ expectations: [FeedExpectation], _ summary: StatusSummary, store: String) {
    self.expectations = expectations
    self.summary = summary
    feeds = Dictionary(grouping: summary.feeds.filter { $0.expectation != nil }) {
      $0.expectation?.pattern.text ?? ""
    }
    self.store = store
  }

  /// Returns the report as text in the given style.
  public func text(_ page: PageStyle) -> String {
    guard !expectations.isEmpty else {
      let hint = page.hints("Expect a success every day:", [page.command("expect FEED --every 1d")])
      return (["nothing is expected yet"] + (page.hasHints ? hint : [])).map { $0 + "\n" }.joined()
    }
    // They shrink from the right: when something is due is read first.
    var columns = [
      Table.Column(title: ""), Table.Column(title: "FEED", shrinksTo: 8, cut: .middle, gap: 1),
      Table.Column(title: "STATE", shrinksTo: 10), Table.Column(title: "EXPECTED", shrinksTo: 10),
      Table.Column(title: "GRACE", sacrifice: 1),
    ]
    let hasNotes = expectations.contains { $0.expectation.note != nil }
    if hasNotes { columns.append(Table.Column(title: "NOTE", shrinksTo: 4, sacrifice: 2)) }
    var table = Table(columns)
    for expected in expectations {
      let rows = rows(of: expected)
      let words = [ExpectationText.schedule(expected)] + ExpectationText.limits(expected)
      let cells = [
        rows.first.map { $0.mark(page.glyphs) } ?? Table.Cell(page.glyphs.none, .quiet),
        Table.Cell(VisibleText.line(expected.pattern.text)), Table.Cell(state(of: expected, rows, page)),
        Table.Cell(words.joined(separator: ", ")), Table.Cell(grace(of: expected, rows) ?? page.glyphs.none),
      ]
      let note = Table.Cell(expected.expectation.note.map(VisibleText.line) ?? "")
      table.add(hasNotes ? cells + [note] : cells)
    }
    return table.lines(page).map { $0 + "\n" }.joined()
  }

  /// What may surprise about the expectations, one line each.
  public var remarks: [String] {
    expectations.compactMap { expected in
      guard let grace = expected.expectation.grace,
        let interval = expected.interval(after: summary.generated),
        grace > interval
      else { return nil }
      return "the grace of \(VisibleText.line(expected.pattern.text)) is longer than its interval: "
        + "several due times pass before it is late"
    }
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    JSONHead(generated: summary.generated, store: store).object.appending([
      "expectations": .array(
        expectations.map { expected in
          expected.json.appending([
            "paused": .bool(expected.isPaused(at: summary.generated)),
            "feeds": .array(
              rows(of: expected).map { row in
                [
                  "feed": .string(row.status.feed.name), "state": .string(row.word),
                  "due": .moment(row.status.dueTime), "grace": .seconds(row.status.graceUsed),
                ]
              }),
          ])
        })
    ])
  }

  /// The feeds that an expectation applies to, worst first.
  private func rows(of expected: FeedExpectation) -> [FeedRow] {
    (feeds[expected.pattern.text] ?? []).map { FeedRow($0, summary: summary) }
      .sorted { ($0.condition, $0.status.feed) < ($1.condition, $1.status.feed) }
  }

  private func grace(of expected: FeedExpectation, _ rows: [FeedRow]) -> String? {
    if let grace = expected.expectation.grace { return DurationText.limit(grace) }
    let learned = Set(rows.compactMap { ExpectationText.grace(of: $0.status) })
    return learned.count > 1 ? "learned" : learned.first
  }

  private func state(of expected: FeedExpectation, _ rows: [FeedRow], _ page: PageStyle) -> String {
    guard let worst = rows.first else { return "no feed matches" }
    let state = ExpectationText.state(worst.status, at: summary.generated, page.time)
    guard expected.pattern.isGlob else { return state }
    let feeds = Words.count(rows.count, "feed")
    guard worst.condition.isTrouble else { return feeds + ", " + state }
    return "\(feeds), \(VisibleText.line(worst.status.feed.name)): \(state)"
  }
}

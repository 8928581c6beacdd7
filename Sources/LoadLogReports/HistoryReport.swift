public import LoadLogCore

/// Report of `loadlog history`: loads, newest first.
public struct HistoryReport: Sendable {
  private let loads: LoadPage
  private let head: JSONHead
  /// Whether loads are of hosts that the names of their feeds leave out.
  private let namesHosts: Bool

  /// Creates a report of a page of loads.
  public init(_ loads: LoadPage, head: JSONHead) {
    self.loads = loads
    self.head = head
    namesHosts = loads.loads.contains { load in
      load.fleetHost.map { !load.feed.name.hasPrefix("\($0)/") } ?? false
    }
  }

  /// Returns the report as text in the given style.
  public func text(_ page: PageStyle) -> String {
    guard !loads.loads.isEmpty else {
      let text = (["no loads"] + remarks(page)).joined(separator: "; ")
      return page.folded(text).map { $0 + "\n" }.joined()
    }
    var lines = table(page).fittingLines(page) ?? twoLinesEach(page)
    for remark in remarks(page) { lines += [""] + page.folded("\(remark).") }
    let count = "\(Words.count(loads.loads.count)) of \(Words.count(loads.total, "load")), newest first."
    if page.hasHints {
      lines += [""] + page.hints("\(count) Next:", hints(page))
    } else if loads.total > loads.loads.count {
      lines += ["", count]
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    head.objectWithWindow.appending([
      "total": .count(loads.total), "missing": .count(loads.total - loads.loads.count),
      "pruned": .count(loads.pruned), "loads": .array(loads.loads.map(\.json)),
    ]).appending(.hosts("without_rows", loads.hostsWithoutRows))
      .appending(.hosts("without_messages", loads.hostsWithoutMessages))
  }

  private func remarks(_ page: PageStyle) -> [String] {
    let messages = Words.withoutMessages(loads.hostsWithoutMessages).map {
      "\($0), so loads may be missing"
    }
    return [pruned(page), messages].compactMap(\.self)
  }

  /// Says which loads have no row: those of a store that were pruned, unless loads of all time are listed, or those of a
  /// fleet that were only counted. Nil if there are none.
  private func pruned(_ page: PageStyle) -> String? {
    guard page.fleetOptions == nil else {
      let hosts = Words.withoutRows(loads.hostsWithoutRows).map { "; \($0)" }
      return loads.withoutRows("only counted", near: head.generated).map { $0 + (hosts ?? "") }
    }
    guard loads.prunedDays != nil || loads.loads.isEmpty else { return nil }
    return loads.withoutRows("pruned", near: head.generated)
  }

  private func table(_ page: PageStyle) -> Table {
    var table = Table(
      [
        Table.Column(title: "STARTED"),
        Table.Column(title: "FEED", minimum: 12, shrinksTo: 8, cut: .middle),
        Table.Column(title: "TOOK", alignment: .right, minimum: 10),
        Table.Column(title: "VERDICT"),
        Table.Column(title: "MESSAGE OR REASON", shrinksTo: 17, stretches: true),
        Table.Column(title: "ID", alignment: .right),
      ] + (namesHosts ? [Table.Column(title: "HOST", shrinksTo: 8, cut: .middle)] : []))
    var last: LoadingSession?
    for load in loads.loads {
      if let heading = heading(of: load, after: last, in: page) { table.addHeading(heading) }
      table.add(
        cells(of: load, in: page) + (namesHosts ? [Table.Cell(VisibleText.line(load.fleetHost ?? ""))] : []))
      last = load
    }
    return table
  }

  /// The lines for a page that is too narrow for the table. A feed and its host are cut in the middle.
  private func twoLinesEach(_ page: PageStyle) -> [String] {
    var lines: [String] = []
    var last: LoadingSession?
    for load in loads.loads {
      if let heading = heading(of: load, after: last, in: page) {
        lines.append(page.inked(heading, .heading))
      }
      let texts = cells(of: load, in: page)
      let verdict = "  \(page.inked(texts[3].text, texts[3].ink))  "
      let room = page.width - DisplayWidth.of(texts[3].text) - 4
      let host = namesHosts ? load.fleetHost.map { " on \(VisibleText.line($0))" } : nil
      let feed = page.fitted(
        texts[1].text + (host ?? ""),
        to: max(8, page.width - DisplayWidth.of(texts[0].text) - DisplayWidth.of(texts[2].text) - 4), .middle)
      lines.append(page.spread("\(texts[0].text)  \(feed)", texts[2].text))
      lines.append(verdict + page.spread(texts[4].text, texts[5].text, to: room))
      last = load
    }
    return lines
  }

  /// Returns a heading if the day or the time zone differs from the row above, otherwise nil.
  private func heading(
    of load: LoadingSession, after last: LoadingSession?, in page: PageStyle
  ) -> String? {
    let started = load.started.wall
    let zone = page.time.abbreviation(started)
    let isNewZone = last.map { page.time.abbreviation($0.started.wall) != zone } ?? true
    let isNewDay = last.map { !page.time.isSameDay($0.started.wall, started) } ?? true
    guard isNewDay || isNewZone else { return nil }
    return page.time.day(started) + (isNewZone ? ", \(zone)" : "")
  }

  private func cells(of load: LoadingSession, in page: PageStyle) -> [Table.Cell] {
    let state = load.shownState
    return [
      Table.Cell(page.time.clock(load.started.wall)), Table.Cell(VisibleText.line(load.feed.name)),
      Table.Cell(load.took(page.glyphs)),
      Table.Cell(
        "\(state.glyph(page.glyphs)) \(state.rawValue)\(load.isFinishedAfterVerdict ? ", after verdict" : "")",
        state.ink),
      Table.Cell(load.remark.map(VisibleText.line) ?? ""), Table.Cell(load.id.tail, .quiet),
    ]
  }

  private func hints(_ page: PageStyle) -> [String] {
    let loads = loads.loads
    let worst =
      loads.first { $0.state.isUnfinishedStart } ?? loads.first { $0.state == .failed } ?? loads.first
    let isAll = self.loads.total == loads.count
    let time = page.exampleOfTime(since: isAll ? loads.last?.started.wall : nil, now: head.generated)
    var hints = [time].compactMap(\.self)
    if !isAll { hints.insert("--limit \(max(50, loads.count * 2))", at: 0) }
    if let worst { hints.append(page.command("show \(worst.id.tail)")) }
    return hints
  }
}

extension LoadPage {
  /// "864 loads that started on 12 and 13 Oct (UTC) were pruned"; nil if all loads have rows.
  ///
  /// - Parameter fate: what happened to loads without rows: "pruned".
  func withoutRows(_ fate: String, near now: Int64) -> String? {
    guard pruned > 0 else { return nil }
    let days = prunedDays.map { days in
      " that started \(Words.days(from: days.lowerBound, to: days.upperBound, near: now)) (UTC)"
    }
    return Words.count(pruned, "load") + (days ?? "") + (pruned == 1 ? " was " : " were ") + fate
  }
}

extension LoadingSession {
  /// Duration for the TOOK column: "1.40 s", "3 h 12 m +" while the load runs, "≥ 2.10 s" if only a lower bound
  /// is known, "–" if nothing is known.
  func took(_ glyphs: Glyphs) -> String {
    if let duration { return DurationText.measured(duration) }
    switch shownState {
    case .running: return "\(DurationText.elapsed(openAtLeast)) \(glyphs.growing)"
    case .unknown, .crashed, .rebooted, .abandoned:
      guard openAtLeast > 0 else { return glyphs.none }
      return "\(glyphs.atLeast) \(DurationText.measured(openAtLeast))"
    case .succeeded, .unchanged, .failed, .cancelled, .ended: return glyphs.none
    }
  }

  /// Reason or evidence if the load did not succeed, otherwise its message.
  var remark: String? {
    switch shownState {
    case .abandoned: reason.flatMap(AbandonReason.init(rawValue:))?.remark ?? evidence ?? message
    case .crashed, .rebooted, .unknown: evidence ?? message
    case .running, .succeeded, .unchanged, .failed, .cancelled, .ended: reason ?? message
    }
  }
}

extension AbandonReason {
  /// Cause of the abandonment without its duration, which the TOOK column already shows.
  fileprivate var remark: String? {
    switch self {
    case .dropped: "token dropped unfinished"
    case .reset: "count reset"
    case .superseded: "another start was reported"
    case .deadline, .released, .import: nil
    }
  }
}

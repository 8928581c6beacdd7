public import LoadLogCore

/// `history`: loads, newest first.
public struct HistoryReport: Sendable {
  /// The loads it shows.
  public let loads: LoadPage
  /// When it was asked, in which store and window.
  public let head: JSONHead

  /// Makes a report of an answer.
  public init(_ loads: LoadPage, head: JSONHead) {
    self.loads = loads
    self.head = head
  }

  /// The report for people.
  public func text(_ page: PageStyle) -> String {
    guard !loads.loads.isEmpty else { return "no loads\n" }
    var lines = table(page).lines(page)
    let more = page.hasHints ? hints() : nil
    if more != nil || loads.total > loads.loads.count {
      let count =
        "\(Words.count(loads.loads.count)) of \(Words.count(loads.total, "load")), newest first."
      lines += ["", [count, more].compactMap(\.self).joined(separator: " ")]
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The report for programs.
  public func json() -> JSONValue {
    head.objectWithWindow.appending([
      "total": .count(loads.total), "loads": .array(loads.loads.map(\.json)),
    ])
  }

  private func table(_ page: PageStyle) -> Table {
    var table = Table([
      Table.Column(title: "STARTED"),
      Table.Column(title: "FEED", minimum: 12, shrinksTo: 8, cut: .middle),
      Table.Column(title: "TOOK", alignment: .right, minimum: 10),
      Table.Column(title: "VERDICT"),
      Table.Column(title: "MESSAGE OR REASON", shrinksTo: 17, stretches: true),
      Table.Column(title: "ID", alignment: .right),
    ])
    var last: LoadingSession?
    for load in loads.loads {
      if let heading = heading(load, after: last, page) { table.addHeading(heading) }
      table.add(cells(load, page))
      last = load
    }
    return table
  }

  /// The day, where it changes; the zone, where that changes.
  private func heading(_ load: LoadingSession, after last: LoadingSession?, _ page: PageStyle) -> String? {
    let started = load.started.wall
    let zone = page.time.abbreviation(started)
    let isNewZone = last.map { page.time.abbreviation($0.started.wall) != zone } ?? true
    let isNewDay = last.map { !page.time.isSameDay($0.started.wall, started) } ?? true
    guard isNewDay || isNewZone else { return nil }
    return page.time.day(started) + (isNewZone ? ", \(zone)" : "")
  }

  private func cells(_ load: LoadingSession, _ page: PageStyle) -> [Table.Cell] {
    let state = load.shownState
    return [
      Table.Cell(page.time.clock(load.started.wall)), Table.Cell(VisibleText.line(load.feed.name)),
      Table.Cell(load.took(page.glyphs)),
      Table.Cell(
        "\(state.glyph(page.glyphs)) \(state.rawValue)\(load.isLate ? ", late" : "")", state.ink),
      Table.Cell(load.remark.map(VisibleText.line) ?? ""), Table.Cell(load.id.tail, .quiet),
    ]
  }

  private func hints() -> String {
    let suspect = loads.loads.first { $0.state.isUnfinishedStart } ?? loads.loads.first
    var hints = ["--at \"yesterday 14:05\""]
    if loads.total > loads.loads.count { hints.insert("--limit \(max(50, loads.loads.count * 2))", at: 0) }
    if let suspect { hints.append("loadlog show \(suspect.id.tail)") }
    return "Next: " + hints.joined(separator: ", ")
  }
}

extension LoadingSession {
  /// "1.4 s", "3 h 12 m +" while it runs, "≥ 2.1 s" if only a lower bound is known.
  fileprivate func took(_ glyphs: Glyphs) -> String {
    if let duration { return DurationText.measured(duration) }
    switch shownState {
    case .running: return "\(DurationText.elapsed(openAtLeast)) \(glyphs.growing)"
    case .unknown, .crashed, .rebooted, .abandoned:
      return "\(glyphs.atLeast) \(DurationText.measured(openAtLeast))"
    case .succeeded, .unchanged, .failed, .cancelled, .ended: return glyphs.none
    }
  }

  /// Why it did not succeed, if it did not, else what it said.
  fileprivate var remark: String? {
    switch shownState {
    case .abandoned: reason.flatMap(AbandonReason.init(rawValue:))?.remark ?? evidence ?? message
    case .crashed, .rebooted, .unknown: evidence ?? message
    case .running, .succeeded, .unchanged, .failed, .cancelled, .ended: reason ?? message
    }
  }
}

extension AbandonReason {
  /// What happened, without when: the column beside it says that.
  fileprivate var remark: String? {
    switch self {
    case .dropped: "token dropped unfinished"
    case .reset: "count reset"
    case .deadline, .released, .openAtEnd: nil
    }
  }
}

public import LoadLogCore

/// Report of `loadlog history`: loads, newest first.
public struct HistoryReport: Sendable {
  /// Loads in the report, and how many there are in all.
  public let loads: LoadPage
  /// Generation time, store and time window of the report.
  public let head: JSONHead

  /// Creates a report of a page of loads.
  public init(_ loads: LoadPage, head: JSONHead) {
    self.loads = loads
    self.head = head
  }

  /// Returns the report as text in the given style.
  public func text(_ page: PageStyle) -> String {
    guard !loads.loads.isEmpty else {
      return "\(["no loads", pruned].compactMap(\.self).joined(separator: "; "))\n"
    }
    var lines = table(page).lines(page)
    if let pruned { lines += ["", "\(pruned)."] }
    let more = page.hasHints ? hints() : nil
    if more != nil || loads.total > loads.loads.count {
      let count =
        "\(Words.count(loads.loads.count)) of \(Words.count(loads.total, "load")), newest first."
      lines += ["", [count, more].compactMap(\.self).joined(separator: " ")]
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Returns the report as JSON.
  public func json() -> JSONValue {
    head.objectWithWindow.appending([
      "total": .count(loads.total), "missing": .count(loads.total - loads.loads.count),
      "pruned": .count(loads.pruned), "loads": .array(loads.loads.map(\.json)),
    ])
  }

  /// "864 loads that started on 12 and 13 Oct (UTC) were pruned"; nil if there are none, or if loads of all time are
  /// listed.
  private var pruned: String? {
    guard loads.pruned > 0, loads.prunedDays != nil || loads.loads.isEmpty else { return nil }
    let days = loads.prunedDays.map { days in
      " that started \(Words.days(from: days.lowerBound, to: days.upperBound, near: head.generated)) (UTC)"
    }
    return "\(Words.count(loads.pruned, "load"))\(days ?? "") \(loads.pruned == 1 ? "was" : "were") pruned"
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
      if let heading = heading(of: load, after: last, in: page) { table.addHeading(heading) }
      table.add(cells(of: load, in: page))
      last = load
    }
    return table
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
  /// Duration for the TOOK column: "1.40 s", "3 h 12 m +" while the load runs, "≥ 2.10 s" if only a lower bound
  /// is known, "–" if nothing is known.
  fileprivate func took(_ glyphs: Glyphs) -> String {
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
  fileprivate var remark: String? {
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
    case .deadline, .released, .openAtEnd: nil
    }
  }
}

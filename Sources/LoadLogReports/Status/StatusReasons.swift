import LoadLogCore

/// The reasons why `status` marks feeds, and what else a reader must know about them.
struct StatusReasons {
  /// The reason for one mark, and the call site of its load.
  struct Reason {
    let mark: Table.Cell
    /// The meaning of the mark, in one word.
    let word: String
    let status: FeedStatus
    let text: String
    /// Empty if unknown.
    let callSite: String
  }

  /// About how many lines of a terminal a reason may take.
  private static let foldedLines = 3

  let rows: [FeedRow]
  let summary: StatusSummary

  /// The lines of the WHY section; empty if there is no reason.
  func lines(_ page: PageStyle) -> [String] {
    let widest = rows.map { DisplayWidth.of(VisibleText.line($0.status.feed.name)) }.max() ?? 0
    let width = page.isFitted ? min(widest, page.width / 3) : widest
    let lines = reasons(page).flatMap { page.isNarrow ? narrow($0, page) : wide($0, width: width, page) }
    return lines.isEmpty ? [] : [page.inked("WHY", .heading)] + lines
  }

  /// Returns all reasons, in the order of the rows.
  func reasons(_ page: PageStyle) -> [Reason] { rows.flatMap { reasons($0, page) } }

  private func reasons(_ row: FeedRow, _ page: PageStyle) -> [Reason] {
    let status = row.status
    let texts = ProblemText(status, summary: summary, time: page.time)
    func reason(_ mark: Table.Cell, _ word: String, _ text: String, at load: LoadingSession? = nil) -> Reason
    {
      Reason(
        mark: mark, word: word, status: status, text: text,
        callSite: load.map { page.callSite($0.callSite, isLikely: $0.isAnonymous) } ?? "")
    }
    let (alarm, bad) = (Table.Cell(page.glyphs.alarm, .alarm), Table.Cell(page.glyphs.bad, .bad))
    var reasons: [Reason] = []
    if status.problems.contains(.overrunning) {
      reasons.append(
        reason(alarm, FeedProblem.overrunning.rawValue, texts.overrunning, at: status.oldestRunning))
    }
    if status.problems.contains(.failing), status.lostLoad == nil {
      reasons.append(
        Reason(
          mark: bad, word: FeedProblem.failing.rawValue, status: status, text: texts.failing,
          callSite: status.failedCallSite.map { page.callSite($0, isLikely: false) } ?? ""))
    }
    if let load = status.lostLoad, !status.isPaused {
      let mark = status.problems.contains(.failing) ? bad : alarm
      reasons.append(reason(mark, load.state.rawValue, texts.lost(load), at: load))
    }
    if status.problems.contains(.late) {
      reasons.append(reason(alarm, FeedProblem.late.rawValue, texts.late))
    }
    if let slower = texts.slower(page.glyphs) {
      reasons.append(reason(row.mark(page.glyphs), "slower", slower))
    }
    if let paused = texts.paused { reasons.append(reason(row.mark(page.glyphs), "paused", paused)) }
    if let future = texts.future { reasons.append(reason(alarm, "clock", future)) }
    if status.numbers.unknown > 0 {
      let word = ShownState.unknown
      reasons.append(reason(Table.Cell(word.glyph(page.glyphs)), word.rawValue, texts.unknown))
    }
    return reasons
  }

  /// The lines of a reason on a narrow page: the feed, the reason and the call site.
  private func narrow(_ reason: Reason, _ page: PageStyle) -> [String] {
    let feed = page.fitted(VisibleText.line(reason.status.feed.name), to: page.width - 2, .middle)
    let place = reason.callSite.isEmpty ? [] : [page.fitted("    " + reason.callSite, .middle)]
    return ["\(page.inked(reason.mark.text, reason.mark.ink)) \(feed)"]
      + page.folded(reason.text, after: "    ", indent: 4) + place
  }

  /// The lines of a reason beside its feed: the reason and the call site on one line if both fit, otherwise below each
  /// other.
  private func wide(_ reason: Reason, width: Int, _ page: PageStyle) -> [String] {
    let feed = page.fitted(VisibleText.line(reason.status.feed.name), to: width, .middle)
    let head = "\(page.inked(reason.mark.text, reason.mark.ink)) \(DisplayWidth.padded(feed, to: width))  "
    let rest = page.width - width - 4
    let place = page.fitted(reason.callSite, to: rest, .start)
    let gap = place.isEmpty ? 0 : 2
    guard page.isFitted, DisplayWidth.of(reason.text) + gap + DisplayWidth.of(place) > rest else {
      return [head + page.spread(reason.text, place, to: rest)]
    }
    let indent = DisplayWidth.spaces(width + 4)
    let text = page.fitted(reason.text, to: Self.foldedLines * rest)
    let lines = page.folded(text, after: indent, indent: width + 4) + (place.isEmpty ? [] : [indent + place])
    return lines.map { page.fitted($0) }.enumerated().map { $0 == 0 ? head + $1.dropFirst(indent.count) : $1 }
  }
}

import LoadLogCore

/// The reasons why `status` marks feeds: an overrunning load, a failure, or a newest load that never finished.
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
  private var now: Int64 { summary.generated }

  /// The lines of the WHY section; empty if there is no reason.
  func lines(_ page: PageStyle) -> [String] {
    let widest = rows.map { DisplayWidth.of(VisibleText.line($0.status.feed.name)) }.max() ?? 0
    let width = page.isFitted ? min(widest, page.width / 3) : widest
    let lines = reasons(page).flatMap { page.isNarrow ? narrow($0, page) : wide($0, width: width, page) }
    return lines.isEmpty ? [] : [page.inked("WHY", .heading)] + lines
  }

  /// Returns all reasons, in the order of the rows.
  func reasons(_ page: PageStyle) -> [Reason] {
    rows.flatMap { row in
      let status = row.status
      var reasons: [Reason] = []
      if row.condition == .overrunning {
        let callSite = status.oldestRunning.map { page.callSite($0.callSite, isLikely: $0.isAnonymous) }
        reasons.append(
          Reason(
            mark: row.mark(page.glyphs), word: row.word, status: status, text: overrunning(status, page),
            callSite: callSite ?? ""
          ))
      }
      if status.dates.lastVerdict == .failed, status.lostLoad == nil {
        reasons.append(
          Reason(
            mark: Table.Cell(page.glyphs.bad, .bad), word: SessionState.failed.rawValue, status: status,
            text: failing(status, page),
            callSite: status.failedCallSite.map { page.callSite($0, isLikely: false) } ?? ""))
      }
      if status.numbers.unknown > 0 {
        let count = status.numbers.unknown
        let owners = count == 1 ? "its owner" : "their owners"
        reasons.append(
          Reason(
            mark: Table.Cell(ShownState.unknown.glyph(page.glyphs)), word: ShownState.unknown.rawValue,
            status: status,
            text: "\(Words.count(count, "load")) may be running: \(owners) cannot be seen from here",
            callSite: ""))
      }
      if let load = status.lostLoad {
        reasons.append(
          Reason(
            mark: Table.Cell(page.glyphs.alarm, .alarm), word: load.state.rawValue, status: status,
            text: lost(load, page),
            callSite: page.callSite(load.callSite, isLikely: load.isAnonymous)))
      }
      return reasons
    }
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

  private func overrunning(_ status: FeedStatus, _ page: PageStyle) -> String {
    let count = status.numbers.overrunning ?? 0
    let since = status.oldestRunning?.started.wall ?? status.numbers.runningSince
    let parts = [
      count > 1 ? "\(Words.count(count)) overrunning, the oldest" : nil,
      "running",
      since.map { "since \(page.time.minute($0, near: now))" },
    ]
    let running = parts.compactMap(\.self).joined(separator: " ")
    let usual = Words.usual(maximum: status.usualMaximum, limit: status.runningLimit)
    return [running, usual].compactMap(\.self).joined(separator: "; ")
  }

  private func lost(_ load: LoadingSession, _ page: PageStyle) -> String {
    let evidence = load.evidence.map { ": \(VisibleText.line($0))" } ?? ""
    return "started \(page.time.minute(load.started.wall, near: now)), never finished\(evidence)"
  }

  private func failing(_ status: FeedStatus, _ page: PageStyle) -> String {
    let dates = status.dates
    let reason = dates.lastFailure.map { " (\(VisibleText.line($0)))" } ?? ""
    if dates.lastUpdated == nil {
      // The dates cover all time, but the number of loads only the window.
      let isWhole = summary.since == nil && summary.until == nil
      return "never succeeded" + (isWhole ? " in \(tries(status.numbers.loads))" : "") + reason
    }
    let when = dates.lastFailed.map { " " + page.time.minute($0, near: now) } ?? ""
    return "last run failed\(when)\(reason)"
  }

  private func tries(_ count: Int) -> String { count == 1 ? "1 try" : "\(Words.count(count)) tries" }
}

import LoadLogCore

/// Why `status` marks feeds: what is wrong with those that are overdue or failing, or whose newest load is lost.
struct StatusReasons {
  /// What is wrong with one feed, and where it was started.
  struct Reason {
    let mark: Table.Cell
    /// What the mark says.
    let word: String
    let status: FeedStatus
    let text: String
    /// Empty if nothing is known of it.
    let callSite: String
  }

  let rows: [FeedRow]
  let summary: StatusSummary
  private var now: Int64 { summary.generated }

  /// The WHY lines.
  func lines(_ page: PageStyle) -> [String] {
    let widest = rows.map { DisplayWidth.of(VisibleText.line($0.status.feed.name)) }.max() ?? 0
    let lines = reasons(page).map { line($0, width: min(widest, page.width / 3), page) }
    return lines.isEmpty ? [] : [page.inked("WHY", .heading)] + lines
  }

  /// All reasons, in the order of the rows.
  func reasons(_ page: PageStyle) -> [Reason] {
    rows.flatMap { row in
      let status = row.status
      var reasons: [Reason] = []
      if row.condition == .overdue {
        let callSite = status.oldestRunning.map { page.callSite($0.callSite, isLikely: $0.isAnonymous) }
        reasons.append(
          Reason(
            mark: row.mark(page.glyphs), word: row.word, status: status, text: overdue(status, page),
            callSite: callSite ?? ""
          ))
      }
      if status.dates.lastVerdict == .failed {
        reasons.append(
          Reason(
            mark: Table.Cell(page.glyphs.bad, .bad), word: SessionState.failed.rawValue, status: status,
            text: failing(status, page),
            callSite: status.failedCallSite.map { page.callSite($0, isLikely: false) } ?? ""))
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

  private func line(_ reason: Reason, width: Int, _ page: PageStyle) -> String {
    let feed = page.fitted(VisibleText.line(reason.status.feed.name), to: width, .middle)
    let place = page.fitted(reason.callSite, to: page.width / 3, .start)
    let text = page.spread(reason.text, place, to: page.width - width - 4)
    return "\(page.inked(reason.mark.text, reason.mark.ink)) \(DisplayWidth.padded(feed, to: width))  \(text)"
  }

  private func overdue(_ status: FeedStatus, _ page: PageStyle) -> String {
    let count = status.numbers.overdue ?? 0
    let since = status.oldestRunning?.started.wall ?? status.numbers.runningSince
    let parts = [
      count > 1 ? "\(Words.count(count)) overdue, the oldest" : nil,
      "running",
      since.map { "since \(page.time.minute($0, near: now))" },
    ]
    let running = parts.compactMap(\.self).joined(separator: " ")
    let usual = Words.usual(maximum: status.usualMaximum, limit: status.overdueLimit)
    return [running, usual].compactMap(\.self).joined(separator: "; ")
  }

  private func lost(_ load: LoadingSession, _ page: PageStyle) -> String {
    let evidence = load.evidence.map { ": \(VisibleText.line($0))" } ?? ""
    return "\(load.state.rawValue), begun \(page.time.minute(load.started.wall, near: now))\(evidence)"
  }

  private func failing(_ status: FeedStatus, _ page: PageStyle) -> String {
    let dates = status.dates
    let reason = dates.lastFailure.map { " (\(VisibleText.line($0)))" } ?? ""
    if dates.lastUpdated == nil {
      // The dates are of all time; how many loads there were then a window does not say.
      let isWhole = summary.since == nil && summary.until == nil
      return "never succeeded" + (isWhole ? " in \(tries(status.numbers.loads))" : "") + reason
    }
    let when = dates.lastFailed.map { " " + page.time.minute($0, near: now) } ?? ""
    return "last run failed\(when)\(reason)"
  }

  private func tries(_ count: Int) -> String { count == 1 ? "1 try" : "\(Words.count(count)) tries" }
}

import LoadLogCore

/// The WHY lines of `status`: what is wrong with the feeds that are overdue or failing, or whose newest load is
/// lost.
struct StatusReasons {
  let rows: [FeedRow]
  let now: Int64

  func lines(_ page: PageStyle) -> [String] {
    let lines = rows.flatMap { row in
      var lines: [String] = []
      if row.condition == .overdue {
        let load = row.status.oldestRunning
        let callSite = load.map { page.callSite($0.callSite, isLikely: $0.isAnonymous) } ?? ""
        lines.append(line(row.mark(page.glyphs), row.status, overdue(row.status, page), callSite, page))
      }
      if row.status.dates.lastVerdict == .failed {
        let mark = Table.Cell(page.glyphs.bad, .bad)
        let callSite = row.status.failedCallSite.map { page.callSite($0, isLikely: false) } ?? ""
        lines.append(line(mark, row.status, failing(row.status, page), callSite, page))
      }
      if let load = row.status.lostLoad {
        let mark = Table.Cell(page.glyphs.alarm, .alarm)
        let callSite = page.callSite(load.callSite, isLikely: load.isAnonymous)
        lines.append(line(mark, row.status, lost(load, page), callSite, page))
      }
      return lines
    }
    return lines.isEmpty ? [] : [page.inked("WHY", .heading)] + lines
  }

  private func line(
    _ mark: Table.Cell, _ status: FeedStatus, _ reason: String, _ callSite: String, _ page: PageStyle
  ) -> String {
    let widest = rows.map { DisplayWidth.of(VisibleText.line($0.status.feed.name)) }.max() ?? 0
    let width = min(widest, page.width / 3)
    let feed = page.fitted(VisibleText.line(status.feed.name), to: width, .middle)
    let place = page.fitted(callSite, to: page.width / 3, .start)
    let text = page.spread(reason, place, to: page.width - width - 4)
    return "\(page.inked(mark.text, mark.ink)) \(DisplayWidth.padded(feed, to: width))  \(text)"
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
      return "never succeeded in \(tries(status.numbers.loads))" + reason
    }
    let when = dates.lastFailed.map { " " + page.time.minute($0, near: now) } ?? ""
    return "last run failed\(when)\(reason)"
  }

  private func tries(_ count: Int) -> String { count == 1 ? "1 try" : "\(Words.count(count)) tries" }
}

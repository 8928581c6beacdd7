public import LoadLogCore

/// The report of `status`: what each feed is doing, and the results of its loads.
public struct StatusReport: Sendable {
  let summary: StatusSummary
  private let store: String
  private let order: StatusOrder?

  /// Creates a report of a summary.
  ///
  /// - Parameters:
  ///   - summary: a store's answer.
  ///   - store: the store's path.
  ///   - order: the order of the feeds; nil for the worst condition first.
  public init(_ summary: StatusSummary, store: String, order: StatusOrder? = nil) {
    var summary = summary
    if let order { summary.feeds.sort(by: order.precedes) }
    self.summary = summary
    self.store = store
    self.order = order
  }

  /// Returns the report as text for people.
  public func text(_ page: PageStyle) -> String {
    var sections = [header(page)]
    if isEmpty {
      if page.hasHints, page.fleetOptions == nil {
        sections.append(page.hints("Record a first load:", [page.commandToRecord]))
      }
    } else {
      let rows = rows
      sections.append(StatusTable(rows: rows, summary: summary).lines(page))
      sections.append(wholeDays.map { page.folded("\(page.glyphs.about) \($0)") } ?? [])
      sections.append(StatusReasons(rows: rows, summary: summary).lines(page))
      sections.append(callSites(page))
      sections.append(judgedByFleet(page).map { page.folded($0) } ?? [])
      sections.append((unwatched(page) ?? undelivered(page)).map { page.folded($0) } ?? [])
      if page.hasHints { sections.append(hints(rows, page)) }
    }
    return sections.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  /// Says which feeds only a fleet can find late; nil if there are none.
  private func judgedByFleet(_ page: PageStyle) -> String? {
    let names = summary.feeds.filter(\.isJudgedByFleet).map { VisibleText.line($0.feed.name) }
    guard page.fleetOptions == nil, !names.isEmpty else { return nil }
    return
      "A success on any host is enough for \(Words.count(names.count, "feed")): \(Words.first(of: names)). "
      + "Only loadlog status --fleet says if \(names.count == 1 ? "it is" : "they are") late."
  }

  /// How long ago a notifier may have checked, in microseconds, so that expectations are watched.
  private static let watched: Int64 = 600_000_000

  /// Warns that no notifier checks the expectations; nil if there are none, if a notifier has run lately, or of a fleet,
  /// of which nothing here knows whether one checks it.
  private func unwatched(_ page: PageStyle) -> String? {
    let isExpected = summary.feeds.contains { $0.expectation != nil }
    let age = summary.generated.subtractingClamping(summary.lastCheck ?? .min)
    // A check that lies in the future was made by a clock that was ahead.
    guard page.fleetOptions == nil, isExpected, age > Self.watched || age < -Self.watched else {
      return nil
    }
    let command = page.command("notify --on-change COMMAND")
    guard let last = summary.lastCheck else {
      return "No notifier has run, so problems are only shown here. Start one with \(command)."
    }
    let time = page.time.minute(last, near: summary.generated)
    return "No notifier has run since \(time), so newer problems are only shown here. "
      + "Unless one checks at longer intervals, start one with \(command)."
  }

  /// Says that the deliveries of a notifier fail; nil if none does.
  private func undelivered(_ page: PageStyle) -> String? {
    guard let found = summary.undelivered else { return nil }
    let count =
      found.attempts == 1 ? "has failed" : "has failed \(Words.count(found.attempts)) times in a row"
    let next = found.nextAttempt.map { next in
      func text(_ wall: Int64) -> String { page.time.minute(wall, near: summary.generated) }
      return summary.generated.subtractingClamping(next) > Self.watched
        ? "; the notifier has not run since \(text(found.lastCheck))"
        : ", and is tried again from \(text(next))"
    }
    let others =
      found.others > 0 ? " \(Words.count(found.others, "other notifier")) could not deliver either." : ""
    return "The delivery of the notifier \(VisibleText.line(found.notifier)) \(count)\(next ?? "").\(others)"
  }

  /// Returns the report as JSON for programs.
  public func json() -> JSONValue {
    let head = JSONHead(
      generated: summary.generated, store: store, since: summary.since, until: summary.until)
    return head.objectWithWindow.appending([
      "whole_days": .array(summary.wholeDays.map { .string(UTCTime.day($0.start)) }),
      "last_check": .moment(summary.lastCheck),
      "undelivered": summary.undelivered.map { found in
        [
          "notifier": .string(found.notifier), "attempts": .count(found.attempts),
          "next_attempt": .moment(found.nextAttempt), "last_check": .moment(found.lastCheck),
          "others": .count(found.others),
        ]
      } ?? .null,
      "feeds": .array(summary.feeds.map(\.json)), "totals": summary.totals.json,
      "call_sites": .array(summary.callSites.map(\.json)),
    ])
  }

  /// The feeds in the order that was asked for; otherwise worst condition first, then by name.
  var rows: [FeedRow] { positions.map { FeedRow(summary.feeds[$0], summary: summary) } }

  /// The positions of the feeds in the summary, in the order of the rows.
  var positions: [Int] {
    let feeds = summary.feeds
    guard order == nil else { return Array(feeds.indices) }
    let conditions = feeds.map(FeedRow.condition)
    return feeds.indices.sorted { (conditions[$0], feeds[$0].feed) < (conditions[$1], feeds[$1].feed) }
  }

  /// Whether nothing was recorded for the chosen feeds.
  var isEmpty: Bool { summary.feeds.isEmpty && summary.totals.unbalanced.total == 0 }

  /// "7 feeds · 24,110 loads since 14 Aug 2026 · 2 running".
  func headline(_ page: PageStyle) -> String {
    guard !isEmpty else { return "no loads yet" }
    let totals = summary.totals
    return page.joined([
      Words.count(summary.feeds.count, "feed"),
      totals.shown(totals.loads, page.glyphs) + (totals.loads == 1 ? " load" : " loads") + window(page),
      totals.running > 0 ? "\(Words.count(totals.running)) running" : nil,
      totals.unknown > 0 ? "\(Words.count(totals.unknown)) unknown" : nil,
    ])
  }

  /// "12 and 13 Oct count as whole UTC days: loads of them were pruned"; nil if no day does.
  var wholeDays: String? {
    guard !summary.wholeDays.isEmpty else { return nil }
    let days = Words.days(summary.wholeDays, near: summary.generated)
    let isOne = summary.wholeDays.count == 1
    let reason =
      summary.isOfFleet
      ? "hosts ship counts of whole days" : "loads of \(isOne ? "it" : "them") were pruned"
    return "\(days) \(isOne ? "counts as a whole UTC day" : "count as whole UTC days"): \(reason)"
  }

  private func header(_ page: PageStyle) -> [String] {
    let now = summary.generated
    let parts = headline(page)
    let clocks = [page.time.full(now), "\(page.time.clock(now)) \(page.time.abbreviation(now))"]
    let clock = clocks.first {
      !page.isFitted || DisplayWidth.of(parts) + 2 + DisplayWidth.of($0) <= page.width
    }
    return clock.map { [page.spread(parts, $0)] } ?? page.folded(parts) + [clocks[0]]
  }

  private func window(_ page: PageStyle) -> String {
    let now = summary.generated
    switch (summary.since, summary.until) {
    case (let since?, let until?):
      return " from \(page.time.minute(since, near: now)) to \(page.time.minute(until, near: now))"
    case (let since?, nil): return " since \(page.time.minute(since, near: now))"
    case (nil, let until?): return " until \(page.time.minute(until, near: now))"
    case (nil, nil): return summary.firstStart.map { " since \(page.time.date($0))" } ?? ""
    }
  }

  private func callSites(_ page: PageStyle) -> [String] {
    guard !summary.callSites.isEmpty else { return [] }
    let title = page.inked("UNBALANCED, BY CALL SITE", .heading)
    if page.isNarrow {
      return [title]
        + summary.callSites.flatMap { entry in
          [
            page.fitted(
              "  \(Words.count(entry.count)) \(page.glyphs.times) \(entry.kind.summary)  \(page.feed(entry.feed))"
            ),
            page.fitted("      " + page.callSite(entry.callSite, isLikely: entry.isLikely), .middle),
          ]
        }
    }
    var table = Table(
      [
        Table.Column(title: "", alignment: .right),
        Table.Column(title: "", gap: 1),
        Table.Column(title: "", minimum: 10, shrinksTo: 8, cut: .middle, gap: 3),
        Table.Column(title: "", shrinksTo: 12, cut: .start, stretches: true),
        Table.Column(title: "", alignment: .right, sacrifice: 1),
      ], hasTitles: false)
    for entry in summary.callSites {
      table.add([
        Table.Cell("  \(Words.count(entry.count)) \(page.glyphs.times)"), Table.Cell(entry.kind.summary),
        Table.Cell(page.feed(entry.feed)),
        Table.Cell(page.callSite(entry.callSite, isLikely: entry.isLikely)),
        Table.Cell("last \(page.time.dayMinute(entry.last, near: summary.generated))"),
      ])
    }
    return [title] + table.lines(page)
  }

  private func hints(_ rows: [FeedRow], _ page: PageStyle) -> [String] {
    let time = page.exampleOfTime(since: summary.firstStart, now: summary.generated)
    var hints = time.map { ["history \($0)"] } ?? []
    if let worst = rows.first.flatMap({ Self.closerLook(at: $0) }) { hints.insert(worst, at: 0) }
    if summary.totals.unbalanced.unacknowledged > 0 { hints.insert("unbalanced", at: 0) }
    return hints.isEmpty ? [] : page.hints("Look closer:", hints.map(page.command))
  }

  /// The verb that shows why the worst feed is bad; nil if `unbalanced` does, if nothing is bad, or if the name of the
  /// feed would be an option of the verb.
  private static func closerLook(at row: FeedRow) -> String? {
    let status = row.status
    let history =
      status.feed.name.hasPrefix("-") ? nil : "history \(PageStyle.shellWord(status.feed.name))"
    switch row.condition {
    case .problem(.overrunning): return status.oldestRunning.map { "show \($0.id.tail)" }
    case .problem(.failing) where status.lostLoad != nil: return status.lostLoad.map { "show \($0.id.tail)" }
    case .problem(.failing): return history.map { "\($0) --state failed" }
    case .problem(.late): return history
    case .problem(.unbalanced): return status.lostLoad.map { "show \($0.id.tail)" }
    case .unknown: return history.map { "\($0) --state unknown" }
    case .slower, .paused, .running, .fine, .noResult: return nil
    }
  }
}

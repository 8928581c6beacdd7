import LoadLogCore

/// Report of `loadlog report`: the status as one self-contained HTML page with charts.
///
/// The page makes no network requests. Its only script sorts and searches the tables; without scripts the page is
/// complete.
public struct HTMLReport: Sendable {
  /// Contents of the page.
  public let contents: ReportContents
  private let page: PageStyle

  private var summary: StatusSummary { contents.summary }
  private var status: StatusReport { StatusReport(summary, store: contents.store) }

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - contents: what the page shows.
  ///   - zone: time zone of the times on the page. Its days are UTC days, as in the store.
  public init(_ contents: ReportContents, zone: LocalZone = .current) {
    self.contents = contents
    page = PageStyle(zone: zone)
  }

  /// Returns the page as HTML. Equal contents give equal pages.
  public func html() -> String { PageTemplate.render(model(isLive: false)) }

  /// Returns the page for a server: with style sheet and scripts in files, one of which keeps the page up to date.
  package func liveHTML() -> String { PageTemplate.render(model(isLive: true)) }

  /// The files of ``liveHTML()``, by name.
  package static let liveFiles = [
    "report.css": PageTemplate.style, "report.js": PageTemplate.script, "live.js": PageTemplate.liveScript,
  ]

  private func model(isLive: Bool) -> PageModel {
    let rows = status.rows
    let full = contents.full.map { FeedRow($0.status, summary: summary) }
    let freshness = zip(full, contents.full).map { Freshness($0, habit: $1.habit, now: summary.generated) }
    let axis = axis(ChartFrame())
    let hasFeeds = !rows.isEmpty
    return PageModel(
      isLive: isLive, store: contents.store, generated: page.time.full(summary.generated),
      generatedUTC: UTCTime.text(summary.generated), headline: status.headline(page),
      note: status.wholeDays.map { "\(page.glyphs.about) \($0)." },
      emptyHint: status.isEmpty ? "loadlog run FEED -- COMMAND" : nil,
      badges: rows.grouped(\.word).map { $0[$0.startIndex].badge($0.count, page.glyphs) },
      unbalanced: unbalanced, attention: attention(rows),
      activity: hasFeeds
        ? ActivityChart(series: contents.total, axis: self.axis(ChartFrame(pictureWidth: 420))).chart
        : nil,
      freshness: hasFeeds ? freshnessBar(freshness) : nil,
      feeds: hasFeeds
        ? FeedsSection(contents, rows: full, freshness: freshness, axis: axis, page: page).model : nil,
      charted: ChartedSection(contents, axis, page).model,
      others: OthersSection(rows: rows, contents: contents, page: page).model,
      outages: outages,
      zone: page.time.abbreviation(summary.generated))
  }

  /// The outages of feeds by month, newest month first; nil if there are none.
  private var outages: PageModel.Outages? {
    let head = JSONHead(generated: contents.summary.generated, store: contents.store)
    let report = FlipReport(contents.flips, head: head, zone: page.time.zone)
    let rows = report.months.map { [VisibleText.line($0.feed.name)] + report.cells($0, page) }
    let rest = rows.count - Self.outageLimit
    return rows.isEmpty
      ? nil
      : PageModel.Outages(
        rows: Array(rows.prefix(Self.outageLimit)),
        more: rest > 0 ? "\(Words.count(rest, "more row")); run loadlog history --flips to list them." : nil)
  }

  private func axis(_ frame: ChartFrame) -> TimeAxis {
    TimeAxis(bins: contents.bins, frame: frame, time: page.time)
  }

  /// Maximum number of call sites, of reasons and of rows of outages on the page; a line below them names the command that lists
  /// all.
  private static let callSiteLimit = 30, reasonLimit = 24, outageLimit = 60
  /// Width in cells to which a call site or reason is truncated.
  private static let textLimit = 240

  private var unbalanced: PageModel.Unbalanced? {
    let anchors = ChartedSection.anchors(contents)
    let count = summary.callSites.reduce(0) { $0.addingClamping($1.count) }
    guard count > 0 else { return nil }
    let rows = summary.callSites.prefix(Self.callSiteLimit).map { entry in
      PageModel.Unbalanced.Row(
        count: Words.count(entry.count), kind: entry.kind.summary,
        feed: .init(name: page.feed(entry.feed), anchor: entry.feed.flatMap { anchors[$0] }),
        callSite: page.fitted(
          page.callSite(entry.callSite, isLikely: entry.isLikely), to: Self.textLimit, .start),
        last: page.time.dayMinute(entry.last, near: summary.generated))
    }
    let rest = summary.callSites.count - rows.count
    return PageModel.Unbalanced(
      heading: "\(Words.count(count)) unbalanced, by call site", rows: rows,
      more: rest > 0 ? "\(Words.count(rest, "more call site")); run loadlog unbalanced to list them." : nil)
  }

  private func attention(_ rows: [FeedRow]) -> PageModel.Attention? {
    let reasons = StatusReasons(rows: rows, summary: summary).reasons(page)
    guard !reasons.isEmpty else { return nil }
    let anchors = ChartedSection.anchors(contents)
    let shown = reasons.prefix(Self.reasonLimit).map { reason in
      PageModel.Attention.Row(
        status: PageModel.Status(style: reason.mark.ink.style, glyph: reason.mark.text, word: reason.word),
        feed: .init(name: page.feed(reason.status.feed), anchor: anchors[reason.status.feed]),
        reason: page.fitted(reason.text, to: Self.textLimit),
        callSite: page.fitted(reason.callSite, to: Self.textLimit, .start))
    }
    let rest = reasons.count - shown.count
    return PageModel.Attention(
      rows: shown,
      more: rest > 0 ? "\(Words.count(rest, "more reason")); run loadlog status to list them." : nil)
  }

  private func freshnessBar(_ all: [Freshness]) -> PageModel.FreshnessBar {
    let lines = Freshness.Class.allCases.compactMap { kind -> PageModel.FreshnessBar.Line? in
      let count = all.count { $0.kind == kind }
      guard count > 0 else { return nil }
      let share = max(Double(count) / Double(all.count) * 100, 1)
      return .init(
        style: kind.style, word: kind.words, count: Words.count(count), share: DrawnPath.number(share),
        meaning: kind.meaning)
    }
    let isAll = contents.full.count == summary.feeds.count
    return PageModel.FreshnessBar(
      heading: isAll ? "Freshness" : "Freshness of \(Words.count(contents.full.count)) feeds", lines: lines)
  }
}

extension FeedRow {
  /// Mark and word of the row.
  func status(_ glyphs: Glyphs) -> PageModel.Status {
    let mark = mark(glyphs)
    return PageModel.Status(
      style: mark.ink.style, glyph: mark.text.isEmpty ? glyphs.none : mark.text, word: word)
  }

  /// Status of the row, and how many feeds have it.
  func badge(_ count: Int, _ glyphs: Glyphs) -> PageModel.Badge {
    PageModel.Badge(status: status(glyphs), count: Words.count(count))
  }
}

extension Ink {
  /// Class of the ink in the style sheet.
  var style: String {
    switch self {
    case .plain, .heading, .quiet: "none"
    case .bad: "bad"
    case .good: "good"
    case .alarm: "alarm"
    case .active: "active"
    }
  }
}

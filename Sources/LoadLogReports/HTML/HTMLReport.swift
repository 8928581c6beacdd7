package import LoadLogCore

/// Report of `loadlog report`: the status as one self-contained HTML page with charts.
///
/// The page makes no network requests. Its only script sorts and searches the tables; without scripts the page is
/// complete.
public struct HTMLReport: Sendable {
  private let contents: ReportContents
  private let page: PageStyle
  private let view: View

  /// What kind of page to make.
  package enum View: Sendable, Hashable {
    /// A file that needs no other.
    case report
    /// A page of a server, of the feeds whose names contain the words; of all feeds if there are none.
    case live(search: String)
    /// A page of a server about one feed, and the newest loads of that feed.
    case feed(Feed, LoadPage)
  }

  private var summary: StatusSummary { contents.summary }
  private var status: StatusReport { StatusReport(summary, store: contents.store) }

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - contents: what the page shows.
  ///   - hintedStore: the path of the store that commands on the page name; nil if they find it themselves.
  ///   - zone: time zone of the times on the page. Its days are UTC days, as in the store.
  public init(_ contents: ReportContents, hintedStore: String? = nil, zone: LocalZone = .current) {
    self.init(contents, as: .report, hintedStore: hintedStore, zone: zone)
  }

  /// Creates a page of some kind. The style sheet and the scripts of a server's page are ``liveFiles``.
  ///
  /// - Parameter fleetOptions: the options with which commands on the page ask the fleet that it is about; nil if it is
  ///   about a store.
  package init(
    _ contents: ReportContents, as view: View, hintedStore: String? = nil, fleetOptions: String? = nil,
    zone: LocalZone = .current
  ) {
    self.contents = contents
    self.view = view
    var page = PageStyle(hintedStore: hintedStore, zone: zone)
    page.fleetOptions = fleetOptions
    self.page = page
  }

  #if Reports
    /// Returns the page as HTML. Equal contents give equal pages. Needs the package trait `Reports`.
    public func html() -> String { PageTemplate.render(model) }
  #endif

  /// The files of pages of a server, by name.
  package static let liveFiles = [
    "report.css": PageTemplate.style, "report.js": PageTemplate.script, "live.js": PageTemplate.liveScript,
  ]

  private var links: FeedLinks { FeedLinks(contents, isLive: view != .report) }

  private var model: PageModel {
    let (verb, isLive, feed) =
      switch view {
      case .report: ("report", false, Feed?.none)
      case .live: ("serve", true, nil)
      case .feed(let feed, _): ("serve", true, feed)
      }
    let rows = status.rows
    let full = contents.full.map { FeedRow($0.status, summary: summary) }
    let freshness = zip(full, contents.full).map { Freshness($0, habit: $1.habit, now: summary.generated) }
    let axis = axis(ChartFrame())
    // The page of one feed has all of these numbers in its charts.
    let hasFeeds = !rows.isEmpty && feed == nil
    return PageModel(
      verb: verb, isLive: isLive, title: feed.map(page.feed) ?? "LoadLog report", hasOneFeed: feed != nil,
      expectation: full.first.flatMap { row in
        feed.flatMap { _ in ExpectationText.line(row.status, at: summary.generated, page.time) }
      },
      search: search(rows.count), store: contents.store, generated: page.time.full(summary.generated),
      generatedUTC: UTCTime.text(summary.generated),
      headline: isSearched && rows.isEmpty ? "no feed matches" : status.headline(page),
      note: status.wholeDays.map { "\(page.glyphs.about) \($0)." },
      hosts: contents.hosts,
      emptyHint: status.isEmpty && !isSearched ? page.commandToRecord : nil,
      badges: rows.grouped(\.word).map { $0[$0.startIndex].badge($0.count, page.glyphs) },
      unbalanced: unbalanced, attention: attention(rows),
      activity: hasFeeds
        ? ActivityChart(series: contents.total, axis: self.axis(ChartFrame(pictureWidth: 420))).chart
        : nil,
      freshness: hasFeeds ? freshnessBar(freshness) : nil,
      feeds: hasFeeds
        ? FeedsSection(
          contents: contents, rows: full, freshness: freshness, axis: axis, page: page, links: links
        ).model
        : nil,
      charted: ChartedSection(contents: contents, axis: axis, page: page).model, loads: loads,
      others: isLive ? nil : OthersSection(rows: rows, contents: contents, page: page).model,
      outages: outages,
      zone: page.time.abbreviation(summary.generated))
  }

  private var isSearched: Bool { if case .live(let words) = view { !words.isEmpty } else { false } }

  /// The search of a server; nil if there is nothing to search.
  private func search(_ found: Int) -> PageModel.Search? {
    guard case .live(let words) = view, isSearched || found > FeedsSection.searchableFrom else { return nil }
    return PageModel.Search(
      words: words, found: isSearched ? "\(Words.count(found, "feed")) found" : nil)
  }

  /// The newest loads of the page's only feed.
  private var loads: PageModel.Loads? {
    guard case .feed(_, let newest) = view, !newest.loads.isEmpty else { return nil }
    return PageModel.Loads(
      heading: newest.total > newest.loads.count
        ? "Last \(Words.count(newest.loads.count)) of \(Words.count(newest.total, "load"))" : "Loads",
      rows: newest.loads.map { load in
        let state = load.shownState
        return PageModel.Loads.Row(
          started: page.time.dayMinute(load.started.wall, near: summary.generated),
          took: load.took(page.glyphs),
          status: PageModel.Status(
            style: state.ink.style, glyph: state.glyph(page.glyphs),
            word: state.rawValue + (load.isFinishedAfterVerdict ? ", after verdict" : "")),
          remark: load.remark.map { page.fitted(VisibleText.line($0), to: Self.textLimit) } ?? "",
          id: load.id.tail)
      })
  }

  /// The outages of feeds in the months that the window touches, newest month first; nil if there are none, and none can be
  /// missing.
  private var outages: PageModel.Outages? {
    let summary = contents.summary
    let head = JSONHead(
      generated: summary.generated, store: contents.store, since: summary.since, until: summary.until)
    let report = FlipReport(contents.flips, head: head, zone: page.time.zone)
    let rows = report.months.map { [VisibleText.line($0.feed.name)] + report.cells($0, page) }
    let rest = rows.count - Self.outageLimit
    let more = [
      unlisted(rest, "row", in: "history --flips"),
      report.missing,
    ].compactMap(\.self)
    guard !rows.isEmpty || !more.isEmpty else { return nil }
    return PageModel.Outages(rows: Array(rows.prefix(Self.outageLimit)), more: more)
  }

  private func axis(_ frame: ChartFrame) -> TimeAxis {
    TimeAxis(bins: contents.bins, frame: frame, time: page.time)
  }

  /// Maximum number of call sites, of reasons and of rows of outages on the page; a line below them names the command that lists
  /// all.
  private static let callSiteLimit = 30, reasonLimit = 24, outageLimit = 60
  /// Width in cells to which a call site or reason is truncated.
  private static let textLimit = 240

  /// The line below a list that lacks some things; nil if it lacks none.
  private func unlisted(_ rest: Int, _ thing: String, in verb: String) -> String? {
    rest > 0 ? "\(Words.count(rest, "more \(thing)")); run \(page.command(verb)) to list them." : nil
  }

  private var unbalanced: PageModel.Unbalanced? {
    let links = links
    let count = summary.callSites.reduce(0) { $0.addingClamping($1.count) }
    guard count > 0 else { return nil }
    let rows = summary.callSites.prefix(Self.callSiteLimit).map { entry in
      PageModel.Unbalanced.Row(
        count: Words.count(entry.count), kind: entry.kind.summary,
        feed: .init(name: page.feed(entry.feed), target: entry.feed.flatMap(links.target)),
        callSite: page.fitted(
          page.callSite(entry.callSite, isLikely: entry.isLikely), to: Self.textLimit, .start),
        last: page.time.dayMinute(entry.last, near: summary.generated))
    }
    let rest = summary.callSites.count - rows.count
    return PageModel.Unbalanced(
      heading: "\(Words.count(count)) unbalanced, by call site", rows: rows,
      more: unlisted(rest, "call site", in: "unbalanced"))
  }

  private func attention(_ rows: [FeedRow]) -> PageModel.Attention? {
    let reasons = StatusReasons(rows: rows, summary: summary).reasons(page)
    guard !reasons.isEmpty else { return nil }
    let links = links
    let shown = reasons.prefix(Self.reasonLimit).map { reason in
      PageModel.Attention.Row(
        status: PageModel.Status(style: reason.mark.ink.style, glyph: reason.mark.text, word: reason.word),
        feed: .init(name: page.feed(reason.status.feed), target: links.target(reason.status.feed)),
        reason: page.fitted(reason.text, to: Self.textLimit),
        callSite: page.fitted(reason.callSite, to: Self.textLimit, .start))
    }
    let rest = reasons.count - shown.count
    return PageModel.Attention(rows: shown, more: unlisted(rest, "reason", in: "status"))
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

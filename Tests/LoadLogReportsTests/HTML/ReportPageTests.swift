import LoadLogCore
@testable import LoadLogReports
import LoadLogTestSupport
import ReportExamples
import Testing

@Suite struct ReportPageTests {
  /// Data of the screens, with a week of days and some loads of the last day.
  private static let screens = contents(since: nil)

  private static func contents(since: Int64?) -> ReportContents {
    var status = Screens.status
    status.since = since
    return ReportContents(
      status, store: Screens.store,
      days: { first, last, _ in
        (max(first.number, last.number - 6)...last.number).flatMap { number in
          ([nil] + Screens.feeds.map(\.feed)).map { feed in
            var day = DayNumbers(feed: feed, day: UTCDay(number: number))
            for _ in 0..<(feed == nil ? Screens.feeds.count : 1) {
              day.numbers.loads += 10
              day.numbers.failed += number % 4 == 0 ? 1 : 0
              for seconds in [0.8, 1.2, 3.9] { day.succeeded.add(Screens.seconds(seconds)) }
            }
            return day
          }
        }
      },
      hours: { _ in [] },
      successes: { _ in ["images": [1, 2, 3, 4].map { Screens.now - $0 * 1_000_000_000 }] },
      loads: { feed, _ in
        let loads = Screens.history.loads.filter { $0.feed == feed }
        return LoadPage(loads: loads, total: feed == "reviews" ? 1303 : loads.count)
      },
      failures: { feed in Screens.history.loads.filter { $0.feed == feed && $0.state == .failed } },
      busy: { _ in Screens.busy })
  }

  @Test func thePageHasTheExpectedText() {
    #expect(Snapshot("report.txt").difference(from: PageText(Self.screens).words) == nil)
  }

  @Test func outagesAreListedByMonth() {
    var contents = Self.screens
    #expect(!PageText(contents).words.contains("Outages"))
    let start = Screens.now - 3_600_000_000
    contents.flips = [
      FeedFlip(feed: "reviews", at: start, from: .fine, to: .failing, since: start, reason: "exit 2"),
      FeedFlip(feed: "<images>", at: start, from: .fine, to: .late, since: start),
      FeedFlip(
        feed: "<images>", at: Screens.now, from: .late, to: .fine, since: Screens.now,
        down: Screens.seconds(600)),
    ]
    let words = PageText(contents).words.replacing("\n", with: " ")
    #expect(words.ranges(of: " Outages ").count == 2, "a heading, and the head of a column")
    #expect(
      words.contains("<images> 2026-11 1 10 m 00 s") && words.contains("reviews 2026-11 1 1 h 0 m +"),
      "\(words)")
    contents.flips.removeFirst(2)
    let missing = PageText(contents).words.replacing("\n", with: " ")
    #expect(
      missing.contains(
        " Outages Outages before 2026-12 may be missing: changes of <images> were deleted. "), "\(missing)")
  }

  @Test func outagesAreThoseOfTheMonthsThatTheWindowTouches() {
    func words(since: Int64?) -> String {
      var contents = Self.contents(since: since)
      contents.flips = Screens.flips
      return PageText(contents).words.replacing("\n", with: " ")
    }
    let (all, week) = (words(since: nil), words(since: Screens.now - 7 * UTCDay.length))
    #expect(all.contains("archive 2026-11 1 ") && week.contains("archive 2026-11 1 "), "\(week)")
    #expect(all.contains("feeds/news 2026-10 ") && !week.contains("feeds/news 2026-10 "), "\(week)")
    #expect(all.contains("may be missing: changes of mirror") && !week.contains("may be missing"), "\(week)")
  }

  @Test func whatIsWrongWithTheHostsOfAFleetIsAtTheTop() throws {
    var contents = Self.screens
    contents.hosts = ["1 of 3 hosts silent: <web-2>", "2 of 3 hosts with a wrong clock: a, b"]
    let words = PageText(contents).words
    let lines = try #require(words.firstRange(of: contents.hosts.map { "\n\($0)" }.joined() + "\n"))
    let sites = try #require(words.firstRange(of: "by call site"))
    #expect(lines.upperBound < sites.lowerBound)
  }

  @Test func equalContentsGiveEqualPages() {
    #expect(PageText(Self.screens).html == PageText(Self.screens).html)
  }

  @Test func rowsAreSortedByStatusAndNameIt() throws {
    let page = PageText(Self.screens)
    let table = try #require(page.markup.firstRange(of: "<tbody>\n<tr><td class=\"s ")).upperBound
    var last = table
    let report = StatusReport(Screens.status, store: Screens.store)
    for row in report.rows {
      let cells = StatusTable(rows: report.rows, summary: Screens.status).cells(row, Screens.page())
      let name = try #require(page.markup[last...].firstRange(of: "<bdi>\(row.status.feed.name)</bdi>"))
      last = name.upperBound
      let end = page.markup[last...].firstIndex(of: "\n") ?? page.markup.endIndex
      for cell in cells[2...8] { #expect(page.markup[last..<end].contains("<td>\(cell.text)")) }
    }
  }

  @Test func imbalancesComeFirstIfThereAreAny() throws {
    let page = PageText(Self.screens)
    let unbalanced = try #require(page.position("7 unbalanced, by call site"))
    for later in ["Why feeds are marked", "Loads per", "id=\"feeds\"", "id=\"charted\""] {
      #expect(unbalanced < (try #require(page.position(later))))
    }
    #expect(PageText(ExamplePages.young()).position("by call site") == nil)
  }

  @Test func anEmptyStoreGivesAPageThatSaysSo() {
    let page = PageText(ExamplePages.empty())
    #expect(
      page.words.contains("There is nothing to show yet Record a first load: loadlog run FEED -- COMMAND\n"))
    for part in ["<table", "<figure", "<section class=\"charted\""] { #expect(page.count(part) == 0) }
    #expect(page.html.hasSuffix("</html>\n"))
  }

  @Test func aHundredFeedsAreShownInFullAndTheOthersInATable() {
    let contents = ExamplePages.thousand()
    let page = PageText(contents)
    #expect(page.count("<th scope=row><a href") == 100 && page.count("<article ") == 100)
    #expect(page.count("\n<tr><td>shop-") == 900)
    #expect(page.words.contains("The other 900 feeds"))
    // Feeds in trouble come first: of 208 of them, 112 fail.
    let rows = StatusReport(contents.summary, store: "x").rows
    #expect(contents.full.map(\.status.feed) == rows.prefix(100).map(\.status.feed))
    #expect(page.words.contains("90 more call sites; run loadlog unbalanced to list them."))
    #expect(page.words.contains("88 more reasons; run loadlog status to list them."))
    #expect(page.words.contains("newest 2,000 of the day’s 4,321 loads"))
  }

  @Test func commandsOnThePageAreForItsStoreOrFleet() {
    var contents = ExamplePages.thousand()
    contents.flips = (0..<61).map { number in
      let start = Screens.now - 3_600_000_000
      return FeedFlip(feed: "f\(number)", at: start, from: .fine, to: .failing, since: start)
    }
    for (page, options) in [
      (PageText(contents, hintedStore: "/srv/x.db"), "--db /srv/x.db"),
      (PageText(contents, fleetOptions: "--fleet --host web"), "--fleet --host web"),
    ] {
      for command in ["unbalanced", "status", "history --flips"] {
        #expect(page.words.contains("; run loadlog \(command) \(options) to list them."))
      }
    }
    let first = "Record a first load: loadlog run FEED"
    let empty = ExamplePages.empty()
    #expect(
      PageText(empty, hintedStore: "/srv/x.db").words.contains("\(first) --db /srv/x.db -- COMMAND\n"))
    #expect(PageText(empty, fleetOptions: "--fleet").words.contains("\(first) -- COMMAND\n"))
  }

  @Test func tenThousandFeedsFitIntoAMegabyte() {
    let contents = ExamplePages.tenThousand()
    let page = PageText(contents)
    #expect(page.html.utf8.count < 1_000_000, "\(page.html.utf8.count)")
    #expect(page.count("<article ") == 100 && page.count("\n<tr><td>sync/") == 9900)
  }

  @Test func feedsInTroubleAreShownInFullAndThenTheBusiest() {
    var summary = Screens.status
    summary.feeds = (0..<150).map { number in
      Screens.feed("f\(1000 + number)", loads: number, failed: 0, Screens.statistics(1, 2, 3)) {
        // The quietest feed fails.
        if number == 0 { $0.dates.lastVerdict = .failed }
      }
    }
    let full = ReportContents(
      summary, store: "x", days: { _, _, _ in [] }, hours: { _ in [] }, successes: { _ in [:] },
      loads: { _, _ in LoadPage(loads: [], total: 0) }, failures: { _ in [] }, busy: { _ in BusySummary() }
    ).full.map(\.status.feed.name)
    #expect(full == ["f1000"] + (51..<150).map { "f\(1000 + $0)" })
  }

  @Test func reasonsAndCallSitesLinkToTheirFeed() throws {
    let page = PageText(Self.screens)
    let anchor = try #require(
      page.markup.firstMatch(
        of: /<article class="card" id="([^"]*)"[^>]*>\s*<header>\s*<h3[^>]*><bdi>archive</)
    ).1
    #expect(
      page.markup.contains(
        "<b><a href=\"#\(anchor)\"><bdi>archive</bdi></a></b> <span dir=\"auto\">never succeeded"))
    #expect(page.markup.contains("pushed, never popped</td><td><a href=\"#feed-"))
  }

  @Test func eachFeedHasItsSuccessRateAndLastFailures() {
    let words = PageText(Self.screens).words
    #expect(words.contains("Failed 3\nSucceeded 96 %\n"))
    #expect(
      words.contains("Last 1 of 3 failures\n21 Nov 02:10 d3047aa exit 2: pg_dump: connection refused\n"))
    // Only pushed and popped: nothing is known to have succeeded or failed.
    #expect(words.contains("Failed –\nSucceeded –\n"))
  }

  @Test(arguments: [(47, false, true), (72, false, false), (47, true, false)])
  func chartsOfLessThanThreeDaysShowHours(hours: Int64, isPruned: Bool, isHourly: Bool) {
    var summary = Screens.status
    summary.since = Screens.now - hours * HourNumbers.length
    let contents = ReportContents(
      summary, store: "x",
      days: { first, _, _ in
        var day = DayNumbers(feed: nil, day: first)
        day.numbers.isApproximate = isPruned
        day.numbers.loads = 7
        return [day]
      },
      hours: { span in
        var hour = HourNumbers(feed: "images", containing: span.upperBound - 1)
        hour.count(.failed, duration: 5)
        return [hour]
      },
      successes: { _ in [:] }, loads: { _, _ in LoadPage(loads: [], total: 0) }, failures: { _ in [] },
      busy: { _ in BusySummary() })
    #expect(contents.bins.isHourly == isHourly)
    #expect(contents.total.loads.reduce(0, +) == (isHourly ? 1 : 7))
    #expect(contents.total.failed.last == (isHourly ? 1 : 0))
    let words = PageText(contents).words
    #expect(words.contains("Loads per hour, all feeds") == isHourly)
    #expect(
      words.contains("Whole hours, 19 Nov 2026 10:00 to 21 Nov 2026 10:00; hours are in CET.") == isHourly)
  }

  @Test func aPageMakesNoNetworkRequests() {
    for contents in [Self.screens, ExamplePages.thousand()] {
      let page = PageText(contents)
      #expect(page.html.ranges(of: "http").count == page.html.ranges(of: "http-equiv").count)
      #expect(!page.html.contains("url("))
      #expect(page.html.contains("default-src 'none'"))
    }
  }

  @Test func everyChartHasATitleAndADescription() {
    let page = PageText(Self.screens)
    #expect(page.count("<figure>") == 4 * 7 + 1)
    #expect(
      page.html.matches(of: #/<svg [^>]*role="img" aria-label="[^"]+ [^"]+\."/#).count
        == page.count("role=\"img\""))
    #expect(page.count("<details>") == 7)
  }

  @Test func chartsByDayShowTheDaysOfTheWindow() {
    var summary = Screens.status
    summary.since = Screens.at("2026-11-16T15:00")
    summary.until = Screens.at("2026-11-20T00:30")
    var asked: [(UTCDay, UTCDay)] = []
    var windows: [Range<Int64>] = []
    let contents = ReportContents(
      summary, store: "x",
      days: { first, last, _ in
        asked.append((first, last)); return []
      }, hours: { _ in [] }, successes: { _ in [:] },
      loads: {
        windows.append($1); return LoadPage(loads: [], total: 0)
      }, failures: { _ in [] }, busy: { _ in BusySummary() })
    #expect(asked.count == 1)
    #expect(asked.first?.0.start == Screens.at("2026-11-16T01:00"))
    // The window ends on the 20th in local time and on the 19th in UTC.
    #expect(asked.first?.1.end == Screens.at("2026-11-20T01:00"))
    #expect(Set(windows) == [Screens.at("2026-11-19T00:30")..<Screens.at("2026-11-20T00:30")])
    let days = "Whole UTC days, 16 Nov 2026 to 19 Nov 2026; hours are in CET."
    let words = PageText(contents).words
    #expect(
      words.contains(
        "\(days) Bars and curves show these days; figures and quantiles cover the exact window."))
  }

  @Test(arguments: [(366, false), (367, true)])
  func aPageOfMoreThanAYearSaysThatItsChartsShowLess(days: Int64, isLess: Bool) {
    var summary = Screens.status
    (summary.since, summary.until) = (nil, nil)
    summary.firstStart = UTCDay(number: UTCDay(of: summary.generated).number - days + 1).start
    let contents = ReportContents(
      summary, store: "x", days: { _, _, _ in [] }, hours: { _ in [] }, successes: { _ in [:] },
      loads: { _, _ in LoadPage(loads: [], total: 0) }, failures: { _ in [] }, busy: { _ in BusySummary() })
    let words = PageText(contents).words
    #expect(words.contains("figures and quantiles cover all time.") == isLess)
    #expect(words.contains("; hours are in CET."))
  }

  @Test func loadsOfTheFutureAreMissingInTheCharts() {
    var summary = Screens.status
    func words() -> String {
      PageText(
        ReportContents(
          summary, store: "x", days: { _, _, _ in [] }, hours: { _ in [] }, successes: { _ in [:] },
          loads: { _, _ in LoadPage(loads: [], total: 0) }, failures: { _ in [] },
          busy: { _ in BusySummary() })
      ).words
    }
    #expect(!words().contains("figures and quantiles cover"))
    summary.feeds[0].dates.lastAttempted = summary.generated + 1
    #expect(words().contains("figures and quantiles cover all time."))
    summary.until = summary.generated
    #expect(!words().contains("figures and quantiles cover"))
  }

  @Test(arguments: [(25, 7), (26, 1)])
  func aLivePageOfManyFeedsShowsAsManyDaysAsPoints(feeds: Int, daysPerPoint: Int64) {
    var summary = Screens.status
    (summary.since, summary.until) = (nil, nil)
    summary.firstStart = summary.generated - 365 * UTCDay.length
    summary.feeds = (0..<feeds).map {
      Screens.feed("f\($0)", loads: 1, failed: 0, Screens.statistics(1, 2, 3))
    }
    let bins = ReportContents(
      summary, store: "x", limits: .live, days: { _, _, _ in [] }, hours: { _ in [] },
      successes: { _ in [:] },
      loads: { _, _ in LoadPage(loads: [], total: 0) }, failures: { _ in [] }, busy: { _ in BusySummary() }
    ).bins
    #expect(bins.count == ChartBins.limit && bins.unitsPerBin == daysPerPoint)
  }
}

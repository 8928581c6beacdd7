import LoadLogCore
@testable import LoadLogReports
import LoadLogTestSupport
import ReportExamples
import Synchronization
import Testing

@Suite struct ReportPageTests {
  /// Data of the screens, with a week of days and some loads of the last day.
  private let screens: ReportContents

  init() throws { screens = try Self.contents(since: nil) }

  private static func contents(
    since: Int64?, _ limits: ReportContents.Limits = .report
  ) throws -> ReportContents {
    var status = Screens.status
    status.since = since
    let reader = ExampleReader(
      status,
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
      successes: { $0 == "images" ? [1, 2, 3, 4].map { Screens.now - $0 * 1_000_000_000 } : [] },
      history: { filter in
        let loads = Screens.history.loads.filter {
          filter.admits($0.feed) && (filter.states.isEmpty || filter.states.contains($0.shownState))
        }
        return LoadPage(loads: loads, total: filter.admits("reviews") ? 1303 : loads.count)
      }, busy: Screens.busy)
    return try ReportContents(reading: reader, LoadFilter(), store: Screens.store, limits: limits)
  }

  @Test func busyTimeIsReadOfTheFirstFeedsWithinTheLimit() throws {
    func busy(_ limit: Int) throws -> [Bool] {
      let limits = ReportContents.Limits(full: 100, charted: 100, busyLoads: limit)
      return try Self.contents(since: nil, limits).full.map { $0.status.numbers.busy != nil }
    }
    let loads = screens.full.map(\.status.numbers.loads)
    #expect(try busy(loads.reduce(0, +)).allSatisfy { $0 })
    #expect(try busy(loads[0] - 1).allSatisfy { !$0 })
  }

  @Test func thePageHasTheExpectedText() {
    #expect(Snapshot("report.txt").difference(from: PageText(screens).words) == nil)
  }

  @Test func outagesAreListedByMonth() {
    var contents = screens
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

  @Test func outagesAreThoseOfTheMonthsThatTheWindowTouches() throws {
    func words(since: Int64?) throws -> String {
      var contents = try Self.contents(since: since)
      contents.flips = Screens.flips
      return PageText(contents).words.replacing("\n", with: " ")
    }
    let (all, week) = try (words(since: nil), words(since: Screens.now - 7 * UTCDay.length))
    #expect(all.contains("archive 2026-11 1 ") && week.contains("archive 2026-11 1 "), "\(week)")
    #expect(all.contains("feeds/news 2026-10 ") && !week.contains("feeds/news 2026-10 "), "\(week)")
    #expect(all.contains("may be missing: changes of mirror") && !week.contains("may be missing"), "\(week)")
  }

  @Test func whatIsWrongWithTheHostsOfAFleetIsAtTheTop() throws {
    var contents = screens
    contents.hosts = ["1 of 3 hosts silent: <web-2>", "2 of 3 hosts with a wrong clock: a, b"]
    let words = PageText(contents).words
    let lines = try #require(words.firstRange(of: contents.hosts.map { "\n\($0)" }.joined() + "\n"))
    let sites = try #require(words.firstRange(of: "by call site"))
    #expect(lines.upperBound < sites.lowerBound)
  }

  @Test func equalContentsGiveEqualPages() {
    #expect(PageText(screens).html == PageText(screens).html)
  }

  @Test func rowsAreSortedByStatusAndNameIt() throws {
    let page = PageText(screens)
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
    let page = PageText(screens)
    let unbalanced = try #require(page.position("7 unbalanced, by call site"))
    for later in ["Why feeds are marked", "Loads per", "id=\"feeds\"", "id=\"charted\""] {
      #expect(unbalanced < (try #require(page.position(later))))
    }
    #expect(PageText(try ExamplePages.young()).position("by call site") == nil)
  }

  @Test func anEmptyStoreGivesAPageThatSaysSo() throws {
    let page = PageText(try ExamplePages.empty())
    #expect(
      page.words.contains("There is nothing to show yet Record a first load: loadlog run FEED -- COMMAND\n"))
    for part in ["<table", "<figure", "<section class=\"charted\""] { #expect(page.count(part) == 0) }
    #expect(page.html.hasSuffix("</html>\n"))
  }

  @Test func aHundredFeedsAreShownInFullAndTheOthersInATable() throws {
    let contents = try ExamplePages.thousand()
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

  @Test func commandsOnThePageAreForItsStoreOrFleet() throws {
    var contents = try ExamplePages.thousand()
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
    let empty = try ExamplePages.empty()
    #expect(
      PageText(empty, hintedStore: "/srv/x.db").words.contains("\(first) --db /srv/x.db -- COMMAND\n"))
    #expect(PageText(empty, fleetOptions: "--fleet").words.contains("\(first) -- COMMAND\n"))
  }

  @Test func tenThousandFeedsFitIntoAMegabyte() throws {
    let contents = try ExamplePages.tenThousand()
    let page = PageText(contents)
    #expect(page.html.utf8.count < 1_000_000, "\(page.html.utf8.count)")
    #expect(page.count("<article ") == 100 && page.count("\n<tr><td>sync/") == 9900)
  }

  @Test func feedsInTroubleAreShownInFullAndThenTheBusiest() throws {
    var summary = Screens.status
    summary.feeds = (0..<150).map { number in
      Screens.feed("f\(1000 + number)", loads: number, failed: 0, Screens.statistics(1, 2, 3)) {
        // The quietest feed fails.
        if number == 0 { $0.dates.lastVerdict = .failed }
      }
    }
    let contents = try ReportContents(reading: ExampleReader(summary), LoadFilter(), store: "x")
    #expect(contents.full.map(\.status.feed.name) == ["f1000"] + (51..<150).map { "f\(1000 + $0)" })
  }

  @Test func reasonsAndCallSitesLinkToTheirFeed() throws {
    let page = PageText(screens)
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
    let words = PageText(screens).words
    #expect(words.contains("Failed 3\nSucceeded 96 %\n"))
    #expect(
      words.contains("Last 1 of 3 failures\n21 Nov 02:10 d3047aa exit 2: pg_dump: connection refused\n"))
    // Only pushed and popped: nothing is known to have succeeded or failed.
    #expect(words.contains("Failed –\nSucceeded –\n"))
  }

  @Test(arguments: [(47, false, true), (72, false, false), (47, true, false)])
  func chartsOfLessThanThreeDaysShowHours(hours: Int64, isPruned: Bool, isHourly: Bool) throws {
    var summary = Screens.status
    summary.since = Screens.now - hours * HourNumbers.length
    let reader = ExampleReader(
      summary,
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
      })
    let contents = try ReportContents(reading: reader, LoadFilter(), store: "x")
    #expect(contents.bins.isHourly == isHourly)
    #expect(contents.total.loads.reduce(0, +) == (isHourly ? 1 : 7))
    #expect(contents.total.failed.last == (isHourly ? 1 : 0))
    let words = PageText(contents).words
    #expect(words.contains("Loads per hour, all feeds") == isHourly)
    #expect(
      words.contains("Whole hours, 19 Nov 2026 10:00 to 21 Nov 2026 10:00; hours are in CET.") == isHourly)
  }

  @Test func aPageMakesNoNetworkRequests() throws {
    for contents in [screens, try ExamplePages.thousand()] {
      let page = PageText(contents)
      #expect(page.html.ranges(of: "http").count == page.html.ranges(of: "http-equiv").count)
      #expect(!page.html.contains("url("))
      #expect(page.html.contains("default-src 'none'"))
    }
  }

  @Test func everyChartHasATitleAndADescription() {
    let page = PageText(screens)
    #expect(page.count("<figure>") == 4 * 7 + 1)
    #expect(
      page.html.matches(of: #/<svg [^>]*role="img" aria-label="[^"]+ [^"]+\."/#).count
        == page.count("role=\"img\""))
    #expect(page.count("<details>") == 7)
  }

  @Test func chartsByDayShowTheDaysOfTheWindow() throws {
    var summary = Screens.status
    summary.since = Screens.at("2026-11-16T15:00")
    summary.until = Screens.at("2026-11-20T00:30")
    let days = Mutex<[Range<Int64>]>([])
    let windows = Mutex<Set<[Int64?]>>([])
    let reader = ExampleReader(
      summary,
      days: { first, last, _ in
        days.withLock { $0.append(first.start..<last.end) }
        return []
      },
      history: { filter in
        if filter.states.isEmpty { _ = windows.withLock { $0.insert([filter.since, filter.until]) } }
        return LoadPage(loads: [], total: 0)
      })
    let contents = try ReportContents(reading: reader, LoadFilter(), store: "x")
    // The window ends on the 20th in local time and on the 19th in UTC.
    #expect(days.withLock { $0 } == [Screens.at("2026-11-16T01:00")..<Screens.at("2026-11-20T01:00")])
    #expect(windows.withLock { $0 } == [[Screens.at("2026-11-19T00:30"), Screens.at("2026-11-20T00:30")]])
    let span = "Whole UTC days, 16 Nov 2026 to 19 Nov 2026; hours are in CET."
    let words = PageText(contents).words
    #expect(
      words.contains(
        "\(span) Bars and curves show these days; figures and quantiles cover the exact window."))
  }

  @Test(arguments: [(366, false), (367, true)])
  func aPageOfMoreThanAYearSaysThatItsChartsShowLess(days: Int64, isLess: Bool) throws {
    var summary = Screens.status
    (summary.since, summary.until) = (nil, nil)
    summary.firstStart = UTCDay(number: UTCDay(of: summary.generated).number - days + 1).start
    let contents = try ReportContents(reading: ExampleReader(summary), LoadFilter(), store: "x")
    let words = PageText(contents).words
    #expect(words.contains("figures and quantiles cover all time.") == isLess)
    #expect(words.contains("; hours are in CET."))
  }

  @Test func loadsOfTheFutureAreMissingInTheCharts() throws {
    var summary = Screens.status
    func words() throws -> String {
      PageText(try ReportContents(reading: ExampleReader(summary), LoadFilter(), store: "x")).words
    }
    #expect(try !words().contains("figures and quantiles cover"))
    summary.feeds[0].dates.lastAttempted = summary.generated + 1
    #expect(try words().contains("figures and quantiles cover all time."))
    summary.until = summary.generated
    #expect(try !words().contains("figures and quantiles cover"))
  }

  @Test(arguments: [(25, 7), (26, 1)])
  func aLivePageOfManyFeedsShowsAsManyDaysAsPoints(feeds: Int, daysPerPoint: Int64) throws {
    var summary = Screens.status
    (summary.since, summary.until) = (nil, nil)
    summary.firstStart = summary.generated - 365 * UTCDay.length
    summary.feeds = (0..<feeds).map {
      Screens.feed("f\($0)", loads: 1, failed: 0, Screens.statistics(1, 2, 3))
    }
    let bins = try ReportContents(
      reading: ExampleReader(summary), LoadFilter(), store: "x", limits: .live
    ).bins
    #expect(bins.count == ChartBins.limit && bins.unitsPerBin == daysPerPoint)
  }
}

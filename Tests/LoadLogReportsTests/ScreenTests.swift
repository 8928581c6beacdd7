import LoadLogCore
import LoadLogReports
import LoadLogTestSupport
import ReportExamples
import Testing

@Suite struct ScreenTests {
  private let head = JSONHead(generated: Screens.now, store: Screens.store)

  @Test(arguments: [40, 60, 80, 89, 100, 120])
  func statusFitsItsWidth(width: Int) {
    let text = StatusReport(Screens.status, store: Screens.store).text(Screens.page(width))
    #expect(Snapshot("status-\(width).txt").difference(from: text) == nil)
  }

  private var screens: [(PageStyle) -> String] {
    [
      StatusReport(Screens.status, store: Screens.store).text,
      HistoryReport(Screens.history, head: head).text,
      UnbalancedReport(Screens.imbalances, store: Screens.store).text,
      LoadReport(Screens.context, head: head).text,
      FlipReport(Screens.flips, head: head, zone: Screens.cet).text,
    ]
  }

  @Test(arguments: 40...120)
  func everyScreenFitsItsWidth(width: Int) {
    for screen in screens {
      for line in screen(Screens.page(width)).split(separator: "\n") {
        // A command is never cut; the longest is 50 wide.
        let isCommand = line.hasPrefix("  loadlog ")
        #expect(DisplayWidth.of(String(line)) <= (isCommand ? max(width, 56) : width), "\(line)")
      }
    }
  }

  @Test(arguments: [(89, "MAX"), (79, "P95"), (69, "MEDIAN"), (61, "LOADS")])
  func aColumnLeavesBelowItsWidth(width: Int, title: String) throws {
    var summary = Screens.status
    summary.feeds = [Screens.feed("f", loads: 1, failed: 0, Screens.statistics(1, 1, 1))]
    func titles(_ width: Int) -> String {
      let text = StatusReport(summary, store: Screens.store).text(Screens.page(width))
      return text.split(separator: "\n").first { $0.contains("FEED ") }.map { "\($0)" } ?? text
    }
    #expect(titles(width + 1).contains(title) && !titles(width).contains(title))
    for kept in ["FEED", "UPDATED", "NOW", "FAILED", "UNBAL."] { #expect(titles(width).contains(kept)) }
  }

  @Test(arguments: [40, 80, 100])
  func flipsMatchTheirSnapshot(width: Int) {
    let text = FlipReport(Screens.flips, head: head, zone: Screens.cet).text(Screens.page(width))
    #expect(Snapshot("flips-\(width).txt").difference(from: text) == nil)
  }

  /// A damaged store may hold any time.
  @Test(arguments: [(Int64.min, Int64.max - 1), (.max - 1, .max - 1), (.min, .min)])
  func anOutageAtAnImpossibleTimeIsListed(since: Int64, until: Int64) {
    for down in [nil, Int64.min, .max] {
      var end = FeedFlip(feed: "f", at: until, from: .late, to: .fine, since: until)
      end.down = down
      let flips = [
        FeedFlip(feed: "f", at: since, from: .fine, to: .late, since: since), end,
        FeedFlip(feed: "g", at: since, from: .fine, to: .late, since: since),
        FeedFlip(feed: "h", at: since, from: .late, to: .fine, since: since),
      ]
      let text = FlipReport(flips, head: head, zone: Screens.cet).text(Screens.page(80))
      #expect(text.contains("late") && text.contains("changes of h were deleted"))
    }
  }

  @Test func outputToAPipeIsNeitherCutNorFolded() {
    let long = String(repeating: "long/", count: 30)
    var summary = Screens.status
    summary.feeds[0].feed = Feed(long)
    summary.feeds[0].dates.lastFailure = long
    var imbalances = Screens.imbalances
    imbalances.imbalances[0].evidence = long
    imbalances.imbalances[0].callSite = long
    var page = Screens.history
    page.loads[1].reason = long
    let pipe = Screens.pipe
    let texts = [
      StatusReport(summary, store: Screens.store).text(pipe), HistoryReport(page, head: head).text(pipe),
      UnbalancedReport(imbalances, store: Screens.store).text(pipe),
    ]
    for text in texts {
      #expect(text.contains(long) && !text.replacing("Loading reviews…", with: "").contains("…"), "\(text)")
    }
    #expect(texts[0].contains("never succeeded in 2 tries (\(long))\n") && texts[0].contains("MAX"))
    #expect(
      texts[2].hasPrefix("7 unbalanced (5 pushes never popped, 2 pops never pushed) · none acknowledged "))
  }

  @Test func hintsNameTheStoreAndTheWorst() {
    var summary = Screens.status
    let path = "/tmp/it's here.db"
    let page = PageStyle(width: 160, hasHints: true, hintedStore: path, zone: Screens.cet)
    let store = " --db '/tmp/it'\\''s here.db'"
    func hints() -> String {
      StatusReport(summary, store: path).text(page).split(separator: "Look closer:").last.map { "\($0)" }
        ?? ""
    }
    #expect(hints().contains("  loadlog unbalanced\(store)\n  loadlog show 81be07d\(store)\n"))
    summary.feeds.removeAll { $0.feed == "reviews" }
    #expect(hints().contains("  loadlog history archive --state failed\(store)\n"))
    summary.feeds = [
      Screens.feed("-dash", loads: 1, failed: 1, Screens.statistics(1, 1, 1)) {
        $0.dates.lastVerdict = .failed
      }
    ]
    #expect(hints().contains("history --at") && !hints().contains("dash"), "it would be an option")
    summary.feeds = Screens.feeds.filter { $0.feed == "archive" }
    let history = HistoryReport(Screens.history, head: head).text(page)
    #expect(history.contains("loadlog show 41b6c1e\(store)\n"), "the abandoned one")
    var failed = Screens.history
    failed.loads.removeLast()
    #expect(HistoryReport(failed, head: head).text(page).contains("loadlog show d3047aa\(store)\n"))
    #expect(UnbalancedReport(Screens.imbalances, store: path).text(page).contains("--ack 41b6c1e\(store) -m"))
  }

  @Test(arguments: [80, 100, 120])
  func statusWithBusyTimeFitsItsWidth(width: Int) {
    var summary = Screens.status
    summary.add(Screens.busy)
    let text = StatusReport(summary, store: Screens.store).text(Screens.page(width))
    #expect(Snapshot("status-busy-\(width).txt").difference(from: text) == nil)
    for line in text.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= width, "\(line)") }
  }

  @Test(arguments: 60...100)
  func aReasonIsNotCut(width: Int) {
    var status = FeedStatus(feed: "a")
    status.numbers.unknown = 1
    var summary = Screens.status
    summary.feeds = [status]
    let text = StatusReport(summary, store: Screens.store).text(Screens.page(width))
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("its owner cannot be seen from here"), "\(text)")
  }

  @Test func statusWithoutUTF8IsASCII() {
    let text = StatusReport(Screens.status, store: Screens.store)
      .text(Screens.page(glyphs: .ascii))
    #expect(Snapshot("status-ascii.txt").difference(from: text) == nil)
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test func coloursDoNotChangeTheTextOfStatus() {
    let report = StatusReport(Screens.status, store: Screens.store)
    let page = PageStyle(width: 100, hasColor: true, hasHints: true, zone: Screens.cet)
    let text = report.text(page)
    #expect(text.contains("\u{1B}[31m✗\u{1B}[0m"))
    #expect(text.replacing(/\u{1B}\[\d+m/, with: "") == report.text(Screens.page()))
  }

  @Test func statusJSONMatchesItsSnapshot() {
    let text = StatusReport(Screens.status, store: Screens.store).json().text()
    #expect(Snapshot("status.json").difference(from: text + "\n") == nil)
  }

  @Test func statusOfAnEmptyStoreMatchesItsSnapshot() {
    let empty = StatusSummary(
      generated: Screens.now, since: nil, until: nil, feeds: [], totals: LoadNumbers(), callSites: [],
      firstStart: nil)
    let text = StatusReport(empty, store: Screens.store).text(Screens.page())
    #expect(Snapshot("status-empty.txt").difference(from: text) == nil)
  }

  @Test func statusOfFinishesAloneShowsThem() {
    var totals = LoadNumbers()
    totals.unbalanced.add(.unmatchedFinish(.orphanFinish), acknowledged: false)
    let summary = StatusSummary(
      generated: Screens.now, since: nil, until: nil, feeds: [], totals: totals, callSites: [],
      firstStart: nil)
    let text = StatusReport(summary, store: Screens.store).text(Screens.page())
    #expect(text.contains("UNBAL.\n") && text.firstMatch(of: /\n +all +idle .* 1\n/) != nil, "\(text)")
    #expect(text.contains("loadlog unbalanced") && !text.contains("first load"))
  }

  @Test(arguments: [Glyphs.unicode, .ascii]) func feedsOfAnyHostAreNamed(glyphs: Glyphs) {
    let expected = FeedExpectation(
      pattern: "f*", expectation: Expectation(.every(60_000_000_000), anywhere: true), since: 0)
    var summary = Screens.status
    summary.feeds = (1...5).map {
      Screens.feed("f\($0)", loads: 1, failed: 0, Screens.statistics(1, 1, 1))
        .judged(at: Screens.now, expecting: expected)
    }
    let page = PageStyle(isFitted: false, glyphs: glyphs, hintedStore: "x.db", zone: Screens.cet)
    let text = StatusReport(summary, store: "x.db").text(page)
    let line =
      "A success on any host is enough for 5 feeds: f1, f2, f3 and 2 more. Only loadlog status --fleet says"
    #expect(text.contains("\n\(line) if they are late.\n"), "\(text)")
  }

  @Test func historyMatchesItsSnapshots() {
    let report = HistoryReport(Screens.history, head: head)
    #expect(Snapshot("history.txt").difference(from: report.text(Screens.page())) == nil)
    #expect(Snapshot("history-80.txt").difference(from: report.text(Screens.page(80, hints: false))) == nil)
    #expect(Snapshot("history-40.txt").difference(from: report.text(Screens.page(40))) == nil)
    #expect(Snapshot("history.json").difference(from: report.json().text() + "\n") == nil)
  }

  @Test func unbalancedMatchesItsSnapshots() {
    let report = UnbalancedReport(Screens.imbalances, store: Screens.store)
    #expect(Snapshot("unbalanced.txt").difference(from: report.text(Screens.page())) == nil)
    #expect(Snapshot("unbalanced-80.txt").difference(from: report.text(Screens.page(80))) == nil)
    #expect(Snapshot("unbalanced-40.txt").difference(from: report.text(Screens.page(40))) == nil)
    #expect(Snapshot("unbalanced.json").difference(from: report.json().text() + "\n") == nil)
  }

  @Test func unbalancedSaysWhatALimitLeavesOut() {
    var summary = Screens.imbalances
    let overrunning = summary.overrunning.count
    (summary.missing, summary.missingOverrunning) = (1_000, 2)
    let text = UnbalancedReport(summary, store: Screens.store).text(Screens.page())
    #expect(text.hasPrefix("the newest 7 of 1,007 unbalanced (5 pushes never popped, 2 pops never pushed)"))
    #expect(text.contains("\n  the newest \(overrunning) of \(overrunning + 2)\n"))
    #expect(!text.contains("none acknowledged"), "those that are left out may be")
  }

  @Test func acknowledgedImbalancesHaveTheirOwnSection() {
    var summary = Screens.imbalances
    summary.overrunning = []
    summary.imbalances = Array(summary.imbalances.prefix(2))
    summary.imbalances[0].acknowledgement = Acknowledgement(
      at: Screens.now, by: "ada", note: "fixed in 2.3")
    let text = UnbalancedReport(summary, store: Screens.store).text(Screens.page())
    #expect(Snapshot("unbalanced-acknowledged.txt").difference(from: text) == nil)
  }

  @Test func showMatchesItsSnapshots() {
    let report = LoadReport(Screens.context, head: head)
    #expect(Snapshot("show.txt").difference(from: report.text(Screens.page())) == nil)
    #expect(Snapshot("show-40.txt").difference(from: report.text(Screens.page(40))) == nil)
    #expect(Snapshot("show.json").difference(from: report.json().text() + "\n") == nil)
  }

  @Test(
    arguments: [
      (1_200_000_000, 0, "1.20 s of 1.40 s"), (0, 1, "never; 1 show suppressed by the grace time"),
      (0, 3, "never; 3 shows suppressed by the grace time"), (0, 0, "0 s of 1.40 s"),
      (1_200_000_000, 1, "1.20 s of 1.40 s; 1 show suppressed by the grace time"),
    ] as [(Int64, Int, String)])
  func showSaysHowLongTheLoadWasVisible(visible: Int64, suppressed: Int, words: String) {
    var load = Screens.load("1234567", "reviews", "2026-11-20T14:05:11", .succeeded, 1.4)
    #expect(!LoadReport(LoadContext(load: load), head: head).text(Screens.page()).contains("shown "))
    (load.visibleTime, load.suppressedShows) = (visible, suppressed)
    let report = LoadReport(LoadContext(load: load), head: head)
    #expect(report.text(Screens.page()).contains("  shown       \(words)\n"))
    #expect(report.json().text().contains("\"suppressed_shows\": \(suppressed)"))
  }

  @Test func aLoadWithoutAStartTookAnUnknownTime() {
    var context = Screens.context
    #expect(LoadReport(context, head: head).text(Screens.page()).contains(", usually "))
    context.load = Screens.load("1234567", "reviews", "2026-11-20T14:05:11", .succeeded, 1.4)
    (context.load.duration, context.load.openAtLeast) = (nil, 0)
    let text = LoadReport(context, head: head).text(Screens.page())
    #expect(text.contains("took an unknown time\n") && !text.contains("usually"), "\(text)")
  }

  @Test func aNextSuccessOnAnotherDayHasItsDate() throws {
    var context = Screens.context
    let next = try #require(context.nextSuccess?.finished)
    context.nextSuccess?.finished = next + 3 * UTCDay.length
    let text = LoadReport(context, head: head).text(Screens.page())
    #expect(text.contains("next success 23 Nov 21:14:03, 3 d 7 h later"), "\(text)")
  }

  @Test func markWordAndActivityOfAFeedAgree() {
    var status = Screens.feed("f", loads: 2, failed: 1, Screens.statistics(1, 1, 1))
    func row(_ change: (inout FeedStatus) -> Void) -> [String] {
      var status = status
      change(&status)
      var summary = Screens.status
      summary.feeds = [status.judged(at: Screens.now)]
      let text = StatusReport(summary, store: Screens.store).text(Screens.page())
      return text.split(separator: "\n").filter { $0.dropFirst().hasPrefix(" f ") }.map {
        "\($0)"
      }
    }
    status.dates.lastVerdict = .failed
    status.dates.lastFailed = Screens.now
    let crashed = Screens.load("41b6c1e", "f", "2026-11-20T14:05:11", .crashed, 0)
    #expect(row { _ in }.allSatisfy { $0.hasPrefix("✗ f") })
    // Also after a load that was cancelled.
    for after in [0, 1] as [Int64] {
      let lost = row {
        $0.lostLoad = crashed
        $0.dates.lastAttempted = crashed.started.wall + after
        $0.dates.lastVerdict = nil
      }
      #expect(lost.count == 2 && lost.allSatisfy { $0.hasPrefix("✗ f") }, "\(lost)")
      #expect(lost[0].contains("last crashed") && lost[1].contains("never finished"), "\(lost)")
    }
    #expect(row { $0.dates.lastFailed = nil }[1].contains("1 load never finished"))
    let unknown = row {
      $0.dates.lastVerdict = nil
      $0.numbers.unknown = 1
    }
    #expect(unknown.count == 2 && unknown.allSatisfy { $0.hasPrefix("? f") }, "\(unknown)")
    #expect(unknown[1].contains("1 load may be running: its owner cannot be seen"))
    for change in [
      { (status: inout FeedStatus) in status.numbers.cancelled = 2 },
      { $0.numbers.unbalanced.add(.unfinishedStart(.crashed), acknowledged: true) },
    ] {
      let none = row {
        $0.dates.lastVerdict = nil
        change(&$0)
      }
      #expect(none.count == 1 && none[0].hasPrefix("– f"), "\(none)")
    }
  }

  /// A fleet may not show the load that never finished.
  @Test func aFailureThatASuccessHasClearedIsNotTheReason() {
    var status = Screens.feed("f", loads: 3, failed: 1, Screens.statistics(1, 1, 1))
    (status.dates.lastVerdict, status.dates.lastUpdated) = (.succeeded, Screens.now)
    (status.dates.lastFailed, status.dates.lastFailure) = (Screens.now, "exit 7")
    (status.failures, status.problems) = (1, [.failing])
    var summary = Screens.status
    summary.feeds = [status]
    let text = StatusReport(summary, store: Screens.store).text(Screens.page())
    #expect(text.contains("1 load never finished") && !text.contains("exit 7"), "\(text)")
  }

  @Test func theTotalsSayThatLoadsMayBeRunning() throws {
    var summary = Screens.status
    (summary.totals.running, summary.totals.unknown) = (0, 23)
    let text = StatusReport(summary, store: Screens.store).text(Screens.page())
    let totals = try #require(text.split(separator: "\n").first { $0.hasPrefix("  all ") }, "\(text)")
    #expect(totals.contains(" 23 unknown "), "\(totals)")
  }

  @Test func aLoadBeyondAGivenLimitIsNotFarBeyondUsual() throws {
    var summary = Screens.imbalances
    (summary.overrunning[0].limit, summary.overrunning[0].usualMaximum) = (Screens.seconds(3600), nil)
    let text = UnbalancedReport(summary, store: Screens.store).text(Screens.page())
    #expect(text.contains("STILL RUNNING, BEYOND THE LIMIT (not counted"), "\(text)")
    #expect(text.contains("for 3 h 12 m, the limit is 1 h; Reader"), "\(text)")
  }

  @Test func onlyLoadsThatReportedAFailureOrNeverFinishedAreFailedTries() {
    var status = Screens.feed("f", loads: 5_002, failed: 1, Screens.statistics(1, 1, 1), unbalanced: 1)
    (status.numbers.succeeded, status.numbers.ended, status.numbers.cancelled) = (0, 4_999, 1)
    (status.dates.lastVerdict, status.dates.lastFailed) = (.failed, Screens.now)
    var summary = Screens.status
    summary.feeds = [status.judged(at: Screens.now)]
    let text = StatusReport(summary, store: Screens.store).text(Screens.page())
    #expect(text.contains("never succeeded in 2 tries"), "\(text)")
  }

  @Test func aWindowDoesNotCountTheTriesOfAllTime() {
    var summary = Screens.status
    summary.since = Screens.at("2026-11-20T00:00:00Z")
    let text = StatusReport(summary, store: Screens.store).text(Screens.page())
    #expect(text.contains("archive     never succeeded (timed out after 30.0 s)"), "\(text)")
  }

  @Test func hostileTextNeverReachesTheTerminal() {
    let evil = "a\u{1B}[2J\nb\u{202E}c"
    var load = Screens.load("1234567", Feed(evil), "2026-11-20T14:05:11", .failed, 1, message: evil)
    (load.reason, load.evidence, load.callSite, load.tag) = (evil, evil, evil, evil)
    load.owner.owner.app = evil
    var status = Screens.feed(evil, loads: 1, failed: 1, Screens.statistics(1, 1, 1), unbalanced: 1)
    status.dates.lastVerdict = .failed
    status.dates.lastFailure = evil
    status.oldestRunning = load
    status.numbers.overrunning = 1
    var summary = Screens.status
    summary.feeds = [status.judged(at: Screens.now)]
    summary.callSites = [
      CallSiteCount(
        feed: Feed(evil), callSite: evil, isLikely: true, kind: .unfinishedStart(.crashed), count: 1, last: 0)
    ]
    let imbalance = Screens.imbalance("1", .unfinishedStart(.crashed), Feed(evil), "2026-11-20", evil, evil)
    let pages = [
      StatusReport(summary, store: evil).text(Screens.page()),
      HistoryReport(LoadPage(loads: [load], total: 1), head: head).text(Screens.page()),
      LoadReport(LoadContext(load: load), head: head).text(Screens.page()),
      UnbalancedReport(
        ImbalanceSummary(
          generated: 0, since: nil, until: nil, imbalances: [imbalance],
          overrunning: [.init(load: load, limit: 1, usualMaximum: nil)]), store: evil
      ).text(Screens.page()),
      LoadReport(LoadContext(load: load), head: head).json().text(),
    ]
    for page in pages {
      #expect(!page.unicodeScalars.contains { $0 != "\n" && VisibleText.mustShow($0) })
    }
  }

  @Test func aSlowerFeedIsRemarkedAndNoAlarm() {
    var (earlier, recent) = (DurationTally(), DurationTally())
    for _ in 0..<20 {
      earlier.add(340_000_000)
      recent.add(610_000_000)
    }
    var slower = Screens.feed("search", loads: 40, failed: 0, Screens.statistics(1, 2, 3))
    slower.trend = DurationTrend(recent: recent, earlier: earlier)
    var summary = Screens.status
    summary.feeds = [Screens.feed("a", loads: 1, failed: 0, Screens.statistics(1, 2, 3)), slower]
    let text = StatusReport(summary, store: "s").text(Screens.page())
    let lines = text.split(separator: "\n").map(String.init)
    #expect(text.contains("search  1.8 × as long as before: median ~610 ms, was ~340 ms"), "\(text)")
    let rows = lines.filter { $0.hasPrefix("✓ search") || $0.contains(" a ") }
    #expect(rows.first?.contains("search") == true, "it comes before feeds that are as usual")
    let json = StatusReport(summary, store: "s").json().flat
    #expect(json.contains("\"ratio\": 1.79") && json.contains("\"slower\": true"), "\(json)")
  }
}

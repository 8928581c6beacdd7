import LoadLogCore
@testable import LoadLogReports
import LoadLogText
import ReportExamples
import Testing

@Suite struct StatusCheckTests {
  private static let screens = ExampleReader(
    Screens.status, history: { _ in Screens.history }, imbalances: Screens.imbalances.imbalances)

  private func offenders(_ check: StatusCheck, _ reader: ExampleReader = screens) throws -> [String] {
    try check.findings(in: reader, LoadFilter(), zone: Screens.cet).findings.map(\.line)
  }

  @Test func aloneItFindsEveryProblem() throws {
    #expect(
      try offenders(StatusCheck()) == [
        "archive: failing: never succeeded in 2 tries (timed out after 30.0 s)",
        "backup/db: failing: last run failed 02:10 (exit 2: pg_dump: connection refused)",
        "backup/db: 1 unbalanced, not acknowledged", "network: 3 unbalanced, not acknowledged",
        "reviews: overrunning: running since 06:29; 99 % take under 8.80 s",
        "reviews: 3 unbalanced, not acknowledged",
      ])
  }

  @Test(arguments: FeedProblem.allCases) func aNamedProblemIsTheOnlyOne(problem: FeedProblem) throws {
    let findings = try StatusCheck([problem]).findings(in: Self.screens, LoadFilter(), zone: Screens.cet)
      .findings
    let feeds: [FeedProblem: [Feed]] = [
      .overrunning: ["reviews"], .failing: ["archive", "backup/db"], .late: [],
      .unbalanced: ["backup/db", "network", "reviews"],
    ]
    #expect(findings.compactMap(\.feed) == feeds[problem])
    #expect(findings.allSatisfy { $0.problem == problem.rawValue })
  }

  /// A backup that is due every night at 02:10; its last success was the night before.
  private static func nightly(_ change: (inout FeedExpectation) -> Void = { _ in }) -> FeedStatus {
    var expected = FeedExpectation(
      pattern: "backup/db", expectation: Expectation(.every(86_400_000_000_000), grace: 3_600_000_000_000),
      since: 0)
    change(&expected)
    return Screens.feed("backup/db", loads: 9, failed: 0, Screens.statistics(1, 2, 3)) {
      $0.dates.lastUpdated = Screens.at("2026-11-20T02:14:00")
      $0.dates.lastSuccessStarted = Screens.at("2026-11-20T02:10:00")
    }.judged(at: Screens.now, expecting: expected)
  }

  @Test func aLateFeedSaysWhenItWasDue() throws {
    var reader = Self.screens
    reader.summary.feeds = [Self.nightly()]
    reader.summary.totals.unbalanced = ImbalanceCounts()
    let found = try StatusCheck().findings(in: reader, LoadFilter(), zone: Screens.cet)
    let late = try #require(found.findings.first)
    #expect(found.findings.count == 1 && found.generated == Screens.now)
    #expect(late.line == "backup/db: late: due 02:10, 1 h of grace; last success 1 d 7 h ago")
    #expect(late.since == Screens.at("2026-11-21T03:10:00"))
    let json = StatusCheck.json(found.findings, head: JSONHead(generated: 0, store: "x")).flat
    #expect(
      json.contains(
        #""problems": [{"feed": "backup/db", "problem": "late", "reason": "late: due 02:10, 1 h of grace; "#
          + #"last success 1 d 7 h ago", "since": "2026-11-21T02:10:00.000Z", "call_site": null}]"#))
    reader.summary.feeds = [Self.nightly { $0.since = Screens.at("2026-11-21T05:00:00") }]
    let new = try StatusCheck().findings(in: reader, LoadFilter(), zone: Screens.cet).findings
    #expect(new.map(\.since) == [Screens.at("2026-11-21T05:00:00")], "it was not expected before")
    reader.summary.feeds = [Self.nightly { $0.pause = .init(from: 0) }]
    #expect(try offenders(StatusCheck(maximumAge: 1), reader).isEmpty, "nothing is checked during a pause")
  }

  /// A minute does not say when 7 s of grace end.
  @Test func aShortGraceIsShownToTheSecond() throws {
    var reader = Self.screens
    let late = Self.nightly {
      $0.expectation = Expectation(.every(86_405_000_000_000), grace: 7_000_000_000)
    }
    reader.summary.feeds = [late]
    #expect(
      try offenders(StatusCheck([.late]), reader) == [
        "backup/db: late: due 02:10:05, 7 s of grace; last success 1 d 7 h ago"
      ])
    let due = try #require(late.dueTime)
    for (now, text) in [
      (due - 1_000_000, "next due 02:10:05"), (due, "due 02:10:05, late from 02:10:12"),
      (due + 7_000_000, "due 02:10:05, still running"),
    ] {
      var status = late
      status.problems = []
      #expect(ExpectationText.state(status, at: now, LocalTime(zone: Screens.cet)) == text)
    }
  }

  @Test func aNotifierThatRunsNoMoreIsNotSaidToTryAgain() {
    var summary = Screens.status
    func text(_ minutes: Int64, others: Int) -> String {
      summary.lastCheck = Screens.now
      let next = Screens.now - minutes * 60_000_000
      summary.undelivered = UndeliveredFlips(
        notifier: "dead", attempts: 1, nextAttempt: next, lastCheck: next - 60_000_000, others: others)
      return StatusReport(summary, store: "x").text(Screens.page()).replacing("\n", with: " ")
    }
    #expect(text(-1, others: 0).contains("dead has failed, and is tried again from 09:42. "))
    let gone = text(11, others: 1)
    #expect(
      gone.contains("The delivery of the notifier dead has failed; the notifier has not run since 09:29."))
    #expect(gone.contains("1 other notifier could not deliver either."), "\(gone)")
  }

  @Test func theScreenSaysWhyAFeedIsLateOrPaused() throws {
    var summary = Screens.status
    summary.feeds = Screens.feeds + [Self.nightly()]
    let late = StatusReport(summary, store: "x").text(Screens.page())
    #expect(late.contains("! backup/db   late: due 02:10, 1 h of grace; last success 1 d 7 h ago"), "\(late)")
    #expect(late.contains("! backup/db     1 d 7 h ago  late "))
    let order = ["overrunning", "failing", "failing", "late", "unbalanced", "running", "fine", "fine"]
    #expect(StatusReport(summary, store: "x").rows.map(\.word) == order)
    summary.feeds = [Self.nightly { $0.pause = .init(from: 0, until: Screens.now + 3_600_000_000) }]
    let paused = StatusReport(summary, store: "x").text(Screens.page())
    #expect(paused.contains("= backup/db  paused until 10:41") && !paused.contains("late"), "\(paused)")
    var context = Screens.context
    context.feed = Self.nightly()
    let show = LoadReport(context, head: JSONHead(generated: Screens.now, store: "x")).text(Screens.page())
    #expect(show.contains("expected    every 1 d, 1 h of grace; late; due 02:10"), "\(show)")
  }

  @Test func anExpectationListSaysHowItsFeedsStand() throws {
    var summary = Screens.status
    let nightly = Self.nightly()
    summary.feeds = [nightly]
    let expected = try #require(nightly.expectation)
    let other = FeedExpectation(
      pattern: "shop/*", expectation: Expectation(.every(60_000_000_000), grace: 120_000_000_000), since: 0)
    let report = ExpectationReport([expected, other], summary, store: "x")
    let lines = report.text(Screens.page()).split(separator: "\n").dropFirst()
    #expect(lines.first?.contains(/! backup\/db +late; due 02:10 +every 1 d +1 h$/) == true, "\(lines)")
    #expect(lines.last?.contains(/– shop\/\* +no feed matches +every 1 m +2 m$/) == true, "\(lines)")
    #expect(report.remarks.count == 1 && report.remarks.first?.contains("shop/*") == true)
  }

  @Test func aNarrowExpectationListCutsTheScheduleAndNotTheDueTime() throws {
    var summary = Screens.status
    let cron = try CronSchedule("10 2 1,3,5,7,9,11,13,15,17,19 * *", timezone: "Europe/Berlin")
    let nightly = Self.nightly {
      $0.expectation.schedule = .cron(cron)
      $0.expectation.note = "copies the database to the cellar"
    }
    summary.feeds = [nightly]
    let expected = try #require(nightly.expectation)
    let report = ExpectationReport([expected], summary, store: "x")
    let text = report.text(Screens.page(60))
    #expect(text.contains(/✓ backup\/db +next due 01 Dec 02:10 +10 2 1,3,/), "\(text)")
    for width in 40...120 {
      for line in report.text(Screens.page(width)).split(separator: "\n") {
        #expect(DisplayWidth.of(String(line)) <= width, "\(line)")
      }
    }
  }

  @Test func aLimitThatWasGivenIsNamed() throws {
    var reader = Self.screens
    let index = try #require(reader.summary.feeds.firstIndex { $0.feed == "reviews" })
    reader.summary.feeds[index].usualMaximum = nil
    reader.summary.feeds[index].runningLimit = Screens.seconds(3600)
    #expect(
      try offenders(StatusCheck([.overrunning]), reader) == [
        "reviews: overrunning: running since 06:29; the limit is 1 h"
      ])
  }

  @Test func orphansWithoutAFeedAreReported() throws {
    var reader = Self.screens
    reader.summary.feeds = []
    #expect(try offenders(StatusCheck(), reader) == ["(feed unknown): 7 unbalanced, not acknowledged"])
  }

  @Test func aLimitChecksOnlyItself() throws {
    let day = Screens.seconds(86_400)
    #expect(
      try offenders(StatusCheck(maximumAge: day)) == [
        "archive: never updated", "backup/db: updated 1 d 7 h ago; the limit is 1 d",
        "network: never updated",
      ])
  }

  @Test func anAgeNearItsLimitSaysByHowMuchItExceedsIt() throws {
    var reader = Self.screens
    reader.summary.feeds = [Screens.feeds[3]]
    reader.summary.feeds[0].dates.lastUpdated = Screens.now - 90_723 * 1_000_000
    #expect(
      try offenders(StatusCheck(maximumAge: Screens.seconds(90_000)), reader) == [
        "images: updated 1 d 1 h ago; the limit is 25 h, exceeded by 12 m 03 s"
      ])
  }

  @Test func anUpdateInTheFutureIsNoUpdate() throws {
    var reader = Self.screens
    reader.summary.feeds = [Screens.feeds[3]]
    let limit = StatusCheck(maximumAge: Screens.seconds(60))
    // The answer of a store that records at the same time may be a little older than its last update.
    reader.summary.feeds[0].dates.lastUpdated = Screens.now + 1_000_000
    #expect(try offenders(limit, reader).isEmpty)
    reader.summary.feeds[0].dates.lastUpdated = Screens.now + 3 * UTCDay.length
    #expect(
      try offenders(limit, reader) == [
        "images: last updated 24 Nov 09:41, which is in the future; check the clock"
      ])
    reader.summary.feeds[0].dates.lastUpdated = .max
    #expect(try offenders(limit, reader).count == 1)
  }

  @Test func lateIsNotGuessedFromPastSuccesses() throws {
    let times = [4000, 4001, 4002].map { Screens.now - $0 * 3_600_000_000 }
    let reader = ExampleReader(Screens.status, successes: { _ in times })
    #expect(try offenders(StatusCheck([.late]), reader).isEmpty)
  }

  @Test func feedsAndIdsAreLookedUp() throws {
    let reader = Self.screens
    #expect(throws: Never.self) { try reader.expectFeeds(["reviews", "back*"]) }
    #expect { try reader.expectFeeds(["revews"]) } throws: { error in
      "\(error)".contains("Did you mean \"reviews\"?")
    }
    #expect(try reader.load(matching: IDTail("41B6C1E")).id == Screens.dropped.id)
    #expect { try reader.load(matching: IDTail("ffff")) } throws: { ($0 as? LoadLogError)?.code == .notFound }
    #expect { try IDTail("b6e") } throws: { ($0 as? LoadLogError)?.code == .invalidInput }
    #expect { try IDTail("xyzzy") } throws: { ($0 as? LoadLogError)?.code == .invalidInput }
    #expect(try reader.imbalances(matching: [IDTail("b7f2e80")]).count == 1)
  }

  @Test(arguments: [
    ("revews", "reviews"), ("REVIEWS", "reviews"), ("backup", "backup/db"), ("db", nil), ("zzzzzz", nil),
    ("", nil),
    ("netwrok", "network"),
  ])
  func aSimilarNameIsSuggested(name: String, meant: String?) {
    #expect(SimilarName.of(name, among: ["backup/db", "network", "reviews"]) == meant)
  }
}

import Foundation
import LoadLog
import LoadLogPresentation
import LoadLogTestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct LastUpdatedTests {
  private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  private func date(_ text: String) throws -> Date {
    try #require(ISO8601DateFormatter().date(from: text))
  }

  private func text(
    _ form: LastUpdatedText.Form = .date, _ locale: String = "en_US", zone: TimeZone = berlin
  ) -> LastUpdatedText {
    LastUpdatedText(
      form: form, locale: Locale(identifier: locale), timeZone: zone,
      calendar: Calendar(identifier: .gregorian))
  }

  @Test(arguments: [
    ("en_US", "11/21/26, 9:41 AM"), ("de_DE", "21.11.26, 09:41"), ("ja_JP", "2026/11/21 9:41"),
    ("ar", "21/11/2026، 9:41 ص"),
  ])
  func dateIsInTheShortFormatOfTheLocale(locale: String, expected: String) throws {
    let line = text(.date, locale).text(for: try date("2026-11-21T08:41:07Z"), at: .now)
    // The kind of whitespace and the directional marks differ between versions of the locale data.
    let plain = String(
      line.unicodeScalars.filter { !$0.properties.isBidiControl }.map {
        $0.properties.isWhitespace ? " " : Character($0)
      }
    )
    #expect(plain == "Last Updated: " + expected)
  }

  @Test func dateIsInTheTimeZone() throws {
    let date = try date("2026-11-21T23:30:00Z")
    #expect(text(.date, "de_DE").text(for: date, at: .now) == "Last Updated: 22.11.26, 00:30")
    #expect(text(.date, "de_DE", zone: .gmt).text(for: date, at: .now) == "Last Updated: 21.11.26, 23:30")
  }

  @Test(arguments: [
    ("2026-11-21T09:41:06Z", "just now"), ("2026-11-21T09:40:08Z", "just now"),
    ("2026-11-21T09:40:07Z", "1 minute ago"), ("2026-11-21T09:39:00Z", "2 minutes ago"),
    ("2026-11-21T08:41:08Z", "59 minutes ago"), ("2026-11-21T08:41:07Z", "1 hour ago"),
    ("2026-11-20T23:05:00Z", "10 hours ago"), ("2026-11-20T22:55:00Z", "yesterday"),
    ("2026-11-19T23:00:00Z", "yesterday"), ("2026-11-19T22:59:00Z", "2 days ago"),
    ("2026-11-15T12:00:00Z", "6 days ago"), ("2026-11-14T12:00:00Z", "1 week ago"),
    ("2026-11-01T12:00:00Z", "2 weeks ago"), ("2026-10-25T12:00:00Z", "3 weeks ago"),
    // The same day of an earlier month or year.
    ("2026-10-21T09:00:00Z", "21.10.26, 11:00"), ("2025-11-20T09:00:00Z", "20.11.25, 10:00"),
    ("2026-10-20T09:00:00Z", "20.10.26, 11:00"),
    // After the clock was set back.
    ("2026-11-22T09:00:00Z", "just now"),
  ])
  func ageIsInMinutesThenHoursThenCalendarDays(moment: String, expected: String) throws {
    let line = text(.relative, "de_DE").text(for: try date(moment), at: try date("2026-11-21T09:41:07Z"))
    #expect(line == "Last Updated: " + expected)
  }

  @Test func hoursBeforeMidnightAreYesterdayButMinutesStayMinutes() throws {
    let now = try date("2026-11-21T23:10:00Z")
    #expect(
      text(.relative).text(for: try date("2026-11-21T22:50:00Z"), at: now).hasSuffix(": 20 minutes ago"))
    #expect(text(.relative).text(for: try date("2026-11-21T22:05:00Z"), at: now).hasSuffix(": yesterday"))
  }

  @Test func daysFollowTheCalendarWhenClocksChange() throws {
    // 25 October 2026 has 25 hours in Berlin.
    let now = try date("2026-10-25T22:30:00Z")
    #expect(text(.relative).text(for: try date("2026-10-24T22:15:00Z"), at: now).hasSuffix(": 24 hours ago"))
    #expect(text(.relative).text(for: try date("2026-10-24T21:45:00Z"), at: now).hasSuffix(": yesterday"))
  }

  /// A list can live as long as its app.
  @Test func placeAndLanguageFollowTheSettingsOfTheUser() {
    let text = LastUpdatedText()
    #expect(text.locale == .autoupdatingCurrent && text.timeZone == .autoupdatingCurrent)
    #expect(text.calendar == .autoupdatingCurrent)
  }

  @Test func allTextsCanBeTranslated() throws {
    var german = text(.relative, "de_DE")
    german.texts.line = { "Zuletzt aktualisiert: \($0)" }
    german.texts.never = "nie"
    german.texts.minutesAgo = { "vor \($0) min" }
    let now = try date("2026-11-21T09:41:07Z")
    #expect(german.text(for: nil, at: now) == "Zuletzt aktualisiert: nie")
    #expect(german.text(for: now - 120, at: now) == "Zuletzt aktualisiert: vor 2 min")
    #expect(LastUpdatedText().text(for: nil, at: now) == "Last Updated: Never")
    let pull = PullToRefresh(
      Bench().loads, feed: "reviews", texts: .init(pulling: "Ziehen", armed: "Loslassen", loading: "Lädt"))
    #expect(pull.statusText == "Ziehen")
    pull.beginRefreshing()
    #expect(pull.statusText == "Lädt")
  }

  @Test func dateSurvivesARelaunchAndFailuresDoNotChangeIt() async throws {
    let (place, clock) = (try TemporaryStore(), ManualClock())
    func open() throws -> LoadingController {
      try LoadingController(storeAt: place.url, options: Bench.options(clock))
    }
    let first = try open()
    let pull = PullToRefresh(first, feed: "reviews", dateText: text())
    #expect(pull.lastUpdatedText == nil, "not read yet")
    await pull.reloadLastUpdated()
    #expect(pull.lastUpdatedText == "Last Updated: Never")
    func refresh(_ outcome: Verdict) async {
      pull.beginRefreshing()
      pull.finish(outcome)
      while pull.state == .loading { await Task.yield() }
      await pull.reloadLastUpdated()
    }
    await refresh(.failed("no network"))
    #expect(pull.lastUpdated == nil)
    await refresh(.succeeded)
    let date = clock.now().date
    #expect(pull.lastUpdated == date)
    await clock.advance(by: .seconds(3600))
    for outcome: Verdict in [.failed("no network"), .cancelled, .ended] { await refresh(outcome) }
    #expect(pull.lastUpdated == date)
    try await first.close()
    let again = PullToRefresh(try open(), feed: "reviews", dateText: text(.relative))
    for _ in 0..<10_000 where again.lastUpdatedText == nil { await Task.yield() }
    await again.reloadLastUpdated()
    #expect(again.lastUpdated == date && again.lastUpdatedText == "Last Updated: 1 hour ago")
    await clock.advance(by: .seconds(60))
    #expect(again.lastUpdatedText == "Last Updated: 1 hour ago")
  }

  @Test func dateIsReadWhenTheControllerIsReopened() async throws {
    let loads = Bench().loads
    try await loads.close()
    let pull = PullToRefresh(loads, feed: "reviews", dateText: text())
    await pull.reloadLastUpdated()
    #expect(pull.lastUpdatedText == nil, "a closed controller answers no question")
    loads.reopen()
    // The controller answers one question after the other, that of the model first.
    for _ in 0..<100 where pull.lastUpdatedText == nil {
      await Task.yield()
      _ = try await loads.lastUpdated("reviews")
    }
    #expect(pull.lastUpdatedText == "Last Updated: Never")
  }

  @Test func loadByOtherCodeUpdatesTheDate() async throws {
    let bench = Bench()
    let pull = PullToRefresh(bench.loads, feed: "reviews")
    await bench.loads.loading("reviews") { await Task.yield() }
    // The model reads the date off the main actor without a call of reloadLastUpdated().
    while pull.lastUpdated == nil {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(pull.lastUpdated == bench.clock.now().date)
  }
}

import LoadLogCore
@testable import LoadLogReports
import Testing

@Suite struct TimeExpressionTests {
  private let expression = TimeExpression(now: Screens.now, zone: Screens.cet)

  @Test(arguments: [
    ("now", "2026-11-21T08:41:07.000Z"), ("today", "2026-11-20T23:00:00.000Z"),
    ("yesterday", "2026-11-19T23:00:00.000Z"), ("14:05", "2026-11-21T13:05:00.000Z"),
    ("14:05:30", "2026-11-21T13:05:30.000Z"), ("yesterday 14:05", "2026-11-20T13:05:00.000Z"),
    ("today 14:05", "2026-11-21T13:05:00.000Z"), ("24h", "2026-11-20T08:41:07.000Z"),
    ("7d", "2026-11-14T08:41:07.000Z"), ("2w", "2026-11-07T08:41:07.000Z"),
    ("90s", "2026-11-21T08:39:37.000Z"), ("1h30m", "2026-11-21T07:11:07.000Z"),
    ("1.5s", "2026-11-21T08:41:05.500Z"), ("2026-11-21", "2026-11-20T23:00:00.000Z"),
    ("2024-02-29", "2024-02-28T23:00:00.000Z"), ("2026-11-21T14:05:00Z", "2026-11-21T14:05:00.000Z"),
    ("2026-11-21t14:05:00.1234567z", "2026-11-21T14:05:00.123Z"),
    ("2026-11-21T14:05:00-03:30", "2026-11-21T17:35:00.000Z"),
    ("2026-11-21 14:05:00 +0100", "2026-11-21T13:05:00.000Z"),
    ("13 Oct 2026 22:01 -03:30", "2026-10-14T01:31:00.000Z"),
    ("2026-11-21 14:05", "2026-11-21T13:05:00.000Z"),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
    ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"),
    ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z"),
    ("13 Oct 22:01", "2026-10-13T21:01:00.000Z"), ("3 october", "2026-10-02T23:00:00.000Z"),
    ("22 Nov", "2025-11-21T23:00:00.000Z"), ("29 Feb", "2024-02-28T23:00:00.000Z"),
    ("Sat", "2026-11-20T23:00:00.000Z"), ("monday", "2026-11-15T23:00:00.000Z"),
    ("Sunday 14:05", "2026-11-15T13:05:00.000Z"), ("Fri 20 Nov 2026 22:58:40", "2026-11-20T21:58:40.000Z"),
    ("Sat 21 Nov 2026 09:41:07 UTC", "2026-11-21T09:41:07.000Z"),
    ("Sat 21 Nov 2026, CET", "2026-11-20T23:00:00.000Z"), ("1795250467", "2026-11-21T08:41:07.000Z"),
    ("1 h 7 m", "2026-11-21T07:34:07.000Z"), ("20 h ago", "2026-11-20T12:41:07.000Z"),
    ("2 days ago", "2026-11-19T08:41:07.000Z"), ("1 week", "2026-11-14T08:41:07.000Z"),
    ("104 ms", "2026-11-21T08:41:06.896Z"),
  ])
  func validTimesAreUnderstood(text: String, expected: String) throws {
    #expect(UTCTime.text(try expression.microseconds(text)) == expected)
  }

  @Test(arguments: [
    "", " ", "tomorrow", "2026-02-30", "2026-13-01", "2026-00-10", "2025-02-29", "0000-01-01", "24:00",
    "14:60",
    "14:05:60", "2026-11-21T14:05:00+25:00", "2026-11-21T", "2026-11-21x", "today 25:00", "todayx", "-5m",
    "5",
    "5x", "m", "1m1h", "1m1m", "1.5h30m", "1.s", ".5s", "1.1234567890s", "99999999999999999999s", "15250284w",
    "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00", "0001-01-01", "1e3s",
    "31 Feb", "0 Oct", "13 Oct 22:01x", "13 Oct 22", "Oct 13", "Fri 21 Nov 2026", "21 Nov 2026 09:41 PST",
    "mo", "monday 25:00", "13 Okt", "202611211405", "20 h ago ", "20 h  ago", "1 m 1 h", "12345678",
    "1.5 h 7 m", "ago",
    "5 agos",
    "14:05 CET", "14:05 +0100", "2026-11-21 14:05 +0100x", "2026-11-21 14:05 +25:00", "2026-11-21 14:05  Z",
    "14:05 ", "\u{0661}d", "14:05Z", "5m\u{0}", "2026-11-21T14:05:00.Z",
  ])
  func invalidTimesAreRefused(text: String) {
    #expect {
      try expression.microseconds(text)
    } throws: { error in
      let error = error as? LoadLogError
      return error?.code == .invalidInput && error?.description.contains("Examples: ") == true
        && error?.description.contains("\n") == false
    }
  }

  @Test func aWindowMustNotBeEmpty() throws {
    let window = try expression.window(since: "yesterday", until: "today")
    #expect(window.since == Screens.at("2026-11-20") && window.until == Screens.at("2026-11-21"))
    #expect(throws: LoadLogError.self) { try expression.window(since: "today", until: "today") }
    #expect(throws: LoadLogError.self) { try expression.window(since: "1h", until: "2h") }
  }

  @Test func durationsAreReadExactly() throws {
    #expect(try DurationExpression.nanoseconds("1h30m") == 5_400_000_000_000)
    #expect(try DurationExpression.nanoseconds("1.000000001s") == 1_000_000_001)
    #expect(try DurationExpression.nanoseconds("0.5d") == 43_200_000_000_000)
    #expect(throws: LoadLogError.self) { try DurationExpression.nanoseconds("15251w") }
  }

  /// Central European time in 2026: summer time from 29 March to 25 October, both at 01:00 UTC.
  private let europe = LocalZone { seconds in
    let isSummer = (1_774_746_000..<1_792_890_000).contains(seconds)
    return LocalZone.Offset(seconds: isSummer ? 7200 : 3600, abbreviation: isSummer ? "CEST" : "CET")
  }

  @Test(arguments: [
    ("2026-03-29 01:59", "2026-03-29T00:59:00.000Z"), ("2026-03-29 02:30", "2026-03-29T01:30:00.000Z"),
    ("2026-03-29 03:00", "2026-03-29T01:00:00.000Z"), ("2026-10-25 02:30", "2026-10-25T00:30:00.000Z"),
    ("2026-10-25 03:00", "2026-10-25T02:00:00.000Z"), ("2026-10-25", "2026-10-24T22:00:00.000Z"),
  ])
  func localTimesAreReadAcrossClockChanges(text: String, expected: String) throws {
    let moment = try TimeExpression(now: Screens.now, zone: europe).microseconds(text)
    #expect(UTCTime.text(moment) == expected)
  }

  @Test func datesHaveWeekdayMonthAndZone() {
    let time = LocalTime(zone: Screens.cet)
    #expect(time.full(Screens.now) == "Sat 21 Nov 2026 09:41:07 CET")
    #expect(time.day(0) == "Thu 01 Jan 1970")
    #expect(time.day(-86_400_000_000 * 2) == "Tue 30 Dec 1969")
    #expect(time.minute(Screens.now - 86_400_000_000, near: Screens.now) == "20 Nov 09:41")
    #expect(time.minute(0, near: Screens.now) == "01 Jan 1970 01:00")
  }
}

import Foundation
import LoadLogCore
import Testing

/// Due times of cron expressions. The script cron_peers.py compares many more with other programs.
@Suite struct CronTests {
  /// A wall time in microseconds of a date such as "2026-03-29T02:30:00+01:00".
  private func wall(_ text: String) throws -> Int64 {
    Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1_000_000
  }

  /// The due times of an expression after a date, as UTC texts.
  private func dues(
    _ expression: String, _ zone: String, after start: String, _ count: Int
  ) throws -> [String] {
    let schedule = try CronSchedule(expression, timezone: zone)
    var (time, dues) = (try wall(start), [String]())
    for _ in 0..<count {
      time = try #require(schedule.next(after: time))
      dues.append(Date(timeIntervalSince1970: Double(time) / 1e6).formatted(.iso8601))
    }
    return dues
  }

  @Test(arguments: [
    ("10 2 * * *", ["2026-11-23T02:10:00Z", "2026-11-24T02:10:00Z"]),
    ("*/20 * * * *", ["2026-11-22T22:20:00Z", "2026-11-22T22:40:00Z", "2026-11-22T23:00:00Z"]),
    (
      "5-10/2,30 23 * * *",
      ["2026-11-22T23:05:00Z", "2026-11-22T23:07:00Z", "2026-11-22T23:09:00Z", "2026-11-22T23:30:00Z"]
    ),
    ("0 0 1 jan *", ["2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"]),
    (
      "0 12 * * Mon-wed",
      ["2026-11-23T12:00:00Z", "2026-11-24T12:00:00Z", "2026-11-25T12:00:00Z", "2026-11-30T12:00:00Z"]
    ),
    ("0 12 * * 7", ["2026-11-29T12:00:00Z"]), ("0 12 * * 0", ["2026-11-29T12:00:00Z"]),
    ("0 12 * * 5-7", ["2026-11-27T12:00:00Z", "2026-11-28T12:00:00Z", "2026-11-29T12:00:00Z"]),
    ("0 0 29 2 *", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]),
    (
      "30/10 6 * * *",
      ["2026-11-23T06:30:00Z", "2026-11-23T06:40:00Z", "2026-11-23T06:50:00Z", "2026-11-24T06:30:00Z"]
    ),
    // One of two days is enough, unless one begins with a star.
    ("0 0 25 * fri", ["2026-11-25T00:00:00Z", "2026-11-27T00:00:00Z", "2026-12-04T00:00:00Z"]),
    ("0 0 */13 * fri", ["2026-11-27T00:00:00Z", "2027-01-01T00:00:00Z"]),
    ("@hourly", ["2026-11-22T23:00:00Z"]), ("@daily", ["2026-11-23T00:00:00Z"]),
    ("@midnight", ["2026-11-23T00:00:00Z"]), ("@weekly", ["2026-11-29T00:00:00Z"]),
    ("@Monthly", ["2026-12-01T00:00:00Z"]), ("@yearly", ["2027-01-01T00:00:00Z"]),
    ("@annually", ["2027-01-01T00:00:00Z"]),
  ])
  func anExpressionIsDueWhenAllFieldsMatch(_ expression: String, _ expected: [String]) throws {
    #expect(try dues(expression, "UTC", after: "2026-11-22T22:00:00Z", expected.count) == expected)
  }

  @Test func fixedTimesInAGapAreDueAtItsEnd() throws {
    // Clocks in Berlin went from 02:00 to 03:00 on 29 March 2026, at 01:00 UTC.
    #expect(
      try dues("15,30 2 * * *", "Europe/Berlin", after: "2026-03-28T12:00:00Z", 4) == [
        "2026-03-29T01:00:00Z", "2026-03-30T00:15:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:15:00Z",
      ])
    #expect(
      try dues("*/30 2 * * *", "Europe/Berlin", after: "2026-03-28T12:00:00Z", 1) == ["2026-03-30T00:00:00Z"],
      "a wildcard does not catch up")
  }

  @Test func fixedTimesThatOccurTwiceAreDueOnce() throws {
    // Clocks in Berlin went from 03:00 back to 02:00 on 25 October 2026, at 01:00 UTC.
    #expect(
      try dues("30 2 * * *", "Europe/Berlin", after: "2026-10-24T12:00:00Z", 2) == [
        "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z",
      ])
    #expect(
      try dues("30 * * * *", "Europe/Berlin", after: "2026-10-25T00:00:00Z", 3) == [
        "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z",
      ], "a wildcard is due each time")
  }

  @Test func aDayThatAZoneSkippedHasNoDueTime() throws {
    // Samoa went from the end of 29 December 2011 to 31 December.
    #expect(
      try dues("0 12 * * *", "Pacific/Apia", after: "2011-12-29T20:00:00Z", 2) == [
        "2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z",
      ])
  }

  @Test(arguments: [
    ("* * * *", "it has 4 fields"), ("", "it has 0 fields"), ("0 10 2 * * *", "it has 6 fields"),
    ("10 2 L * *", "L in day of the month \"L\" is an extension that cron does not have"),
    ("0 0 15W * *", "W in day of the month \"15W\""), ("0 0 * * 5#2", "# in day of the week \"5#2\""),
    ("0 0 ? * 1", "? in day of the month"), ("60 * * * *", "minute 60 is not between 0 and 59"),
    ("* 24 * * *", "hour 24 is not between 0 and 23"), ("* * 0 * *", "day of the month 0"),
    ("* * * 13 *", "month 13"), ("* * * * 8", "day of the week 8"), ("*/0 * * * *", "no step of 1 or more"),
    ("*/ * * * *", "no step"), ("1- * * * *", "is not a number or name"), ("5,, * * * *", "is not a number"),
    ("-5 * * * *", "is not a number"), ("* * * foo *", "month \"foo\" is not a number or name"),
    ("10-5 * * * *", "ends before it begins"), ("0 0 * * sat-sun", "ends before it begins"),
    ("0 0 30 2 *", "it is never due"), ("0 0 31 4,6 *", "it is never due"), ("@reboot", "has no due times"),
    ("@often", "the words are @hourly"), ("@daily 5", "nothing may follow @daily"),
    ("99999999999999999999 * * * *", "is not a number"), ("１ * * * *", "is not a number"),
  ])
  func anInvalidExpressionIsRefused(_ expression: String, _ why: String) throws {
    let error = try #require(throws: LoadLogError.self) { try CronSchedule(expression, timezone: "UTC") }
    #expect(error.code == .invalidInput && error.value == expression)
    #expect(error.why.contains(why), "\(error.why)")
  }

  @Test(arguments: ["", "Europe/Atlantis", "../etc/passwd", "CEST+99"])
  func aZoneMustExist(_ zone: String) throws {
    let error = try #require(throws: LoadLogError.self) { try CronSchedule("@daily", timezone: zone) }
    #expect(error.what == "time zone" && error.value == zone)
  }
}

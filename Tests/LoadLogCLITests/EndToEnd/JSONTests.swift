import Foundation
import Testing

/// JSON output: keys in the order of the contract, times in UTC, null for unknown values.
@Suite struct JSONTests {
  private static let head = ["schema_version", "generated_at", "store"]
  private static let window = ["since", "until"]
  private static let imbalances = [
    "crashed", "rebooted", "abandoned", "orphan_finish", "duplicate_finish", "extra_pop", "total",
    "unacknowledged",
  ]
  private static let duration = [
    "count", "sum", "min", "mean", "p50", "p90", "p95", "p99", "max", "quantiles",
  ]
  private static let numbers =
    [
      "running", "running_since", "unknown", "overrunning", "peak_depth", "loads", "succeeded", "unchanged",
      "failed",
      "cancelled", "ended", "unbalanced",
    ] + imbalances + ["pops_after_reset", "duration"] + duration + ["duration_succeeded"] + duration
    + ["busy", "approximate"]
  private static let load = [
    "id", "feed", "message", "tag", "anonymous", "state", "finished_after_verdict", "started", "finished",
    "duration", "duration_source", "clock_jump", "owner", "pid", "host", "app", "inferred", "remote",
    "call_site", "reason", "run",
  ]
  /// The keys of `run`, for a load that `run` recorded.
  private static let facts = ["attempt", "retried", "user_time", "system_time", "max_memory"]
  private static let imbalance = [
    "id", "kind", "feed", "load", "at", "evidence", "call_site", "likely", "acknowledged",
  ]

  private let place: Place

  /// A feed with a success, a failure, a crash and a running load.
  init() throws {
    place = try Place()
    try place.loadlog("run", "f", "--", "true")
    try place.loadlog("run", "f", "--", "false")
    try place.loadlog("start", "f", "--owner-pid", "999999999", "--call-site", "job.sh:12")
    _ = try place.begin("f")
  }

  @Test func statusHasTheKeysOfTheContract() throws {
    let feed = [
      "feed", "last_updated", "last_changed", "last_attempted", "last_failed", "last_failure", "overlaps",
    ]
    let sites = ["feed", "call_site", "likely", "kind", "count", "last"]
    let expected =
      Self.head + Self.window + ["whole_days", "last_check", "undelivered", "feeds"] + feed + Self.numbers
      + ["failures", "problems", "expectation", "trend"] + ["totals"] + Self.numbers
      + ["call_sites"] + sites
    #expect(try keys("status") == expected)
    let status = try place.ask("status")
    let first = status["feeds"][0]
    #expect(first["feed"].text == "f")
    #expect(first["loads"].int == 4)
    #expect(first["running"].int == 1)
    #expect(first["unbalanced"]["crashed"].int == 1)
    #expect(first["last_failure"].text == "exit 1")
    #expect(first["overrunning"].isNull, "too few loads to say")
    #expect(first["duration"]["count"].int == 2)
    #expect(first["duration_succeeded"]["count"].int == 1)
    #expect(first["approximate"].bool == false)
    let site = status["call_sites"][0]
    #expect(site["call_site"].text == "job.sh:12" && site["kind"].text == "crashed")
    for time in ["last_updated", "last_changed", "last_attempted", "last_failed", "running_since"] {
      #expect(Instant.isUTC(try #require(first[time].text, "\(time)")))
    }
    #expect(Instant.isUTC(try #require(status["generated_at"].text)))
    #expect(
      status["store"].text == (try place.shell("realpath \(place.store)")).output.dropLast().description)
  }

  @Test func aFeedWithoutFinishesHasNulls() throws {
    _ = try place.begin("new")
    let new = try place.status("new")
    for key in [
      "last_updated", "last_changed", "last_failed", "last_failure", "duration", "duration_succeeded",
    ] {
      #expect(new[key].isNull, "\(key)")
    }
    #expect(new["unbalanced"]["total"].int == 0)
    let idle = try place.status("f")
    #expect(idle["busy"].isNull && idle["peak_depth"].isNull, "only for --busy")
    // A selection of feeds cannot say how long the store was busy.
    let busy = try place.ask("status", "f", "--busy")
    #expect(busy["totals"]["busy"].isNull && busy["totals"]["peak_depth"].isNull)
    #expect(busy["feeds"][0]["busy"].number != nil && busy["feeds"][0]["peak_depth"].int != nil)
  }

  @Test func historyAndShowHaveTheKeysOfALoad() throws {
    let history = try keys("history")
    #expect(
      history
        == Self.head + Self.window + ["total", "missing", "pruned", "loads"]
        + Self.load + Self.load + Self.load + Self.facts + Self.load + Self.facts)
    let loads = try place.ask("history")["loads"]
    #expect(loads.all.map(\.["state"].text) == ["running", "crashed", "failed", "succeeded"])
    for load in loads.all {
      #expect(load["id"].text?.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
      #expect(Instant.isUTC(try #require(load["started"].text)))
      let isFinished = ["failed", "succeeded"].contains(load["state"].text)
      #expect(load["finished"].isNull == !isFinished)
      #expect(load["duration"].isNull == !isFinished)
      #expect(load["clock_jump"].isNull && load["tag"].isNull && load["message"].isNull)
    }
    let id = try #require(loads[0]["id"].text)
    let shown = try keys("show", id)
    #expect(Array(shown.prefix(4 + Self.load.count)) == Self.head + ["load"] + Self.load)
  }

  @Test func unbalancedHasTheKeysOfARow() throws {
    let expected =
      Self.head + Self.window + ["missing", "unbalanced"] + Self.imbalance
      + ["missing_overrunning", "overrunning"]
    #expect(try keys("unbalanced") == expected)
    let before = try place.ask("unbalanced")["unbalanced"][0]
    #expect(before["acknowledged"].isNull)
    #expect(Instant.isUTC(try #require(before["at"].text)))
    let id = try #require(before["id"].text)
    #expect(try place.loadlog("unbalanced", "--ack", id, "-m", "fixed").output == "1 acknowledged\n")
    let after = try place.ask("unbalanced")["unbalanced"][0]["acknowledged"]
    #expect(after["note"].text == "fixed")
    #expect(Instant.isUTC(try #require(after["at"].text)))
    let numbers = try place.status("f")["unbalanced"]
    #expect(numbers["total"].int == 1 && numbers["unacknowledged"].int == 0)
    #expect(
      try place.loadlog("status", "--check", "--unbalanced") == Finished(code: 0, output: "", errors: ""))
  }

  @Test func anExpectationHasTheKeysOfTheContract() throws {
    try place.loadlog("expect", "f", "--cron", "10 2 * * *", "--timezone", "Europe/Berlin", "--grace", "1h")
    let expected = try place.status("f")["expectation"]
    #expect(expected["grace"].number == 3600 && expected["paused"].bool == false && expected["every"].isNull)
    #expect(Instant.isUTC(try #require(expected["due"].text)))
    let own = [
      "pattern", "glob", "every", "cron", "timezone", "grace", "max_running", "max_failures", "anywhere",
      "note", "since", "paused_at", "paused_until", "fault", "paused", "feeds", "feed", "state", "due",
      "grace",
    ]
    #expect(try keys("expect") == Self.head + ["expectations"] + own)
    let problem = ["problems", "feed", "problem", "reason", "since", "call_site"]
    #expect(try keys("status", "--check", "--failed") == Self.head + Self.window + problem)
  }

  @Test func otherVerbsPrintObjects() throws {
    #expect(try keys("last-updated", "f") == Self.head + ["feed", "last_updated"])
    #expect(try keys("doctor").starts(with: Self.head + ["findings", "severity", "topic", "text", "advice"]))
  }

  @Test(arguments: [["status"], ["history"], ["unbalanced"], ["last-updated", "f"], ["doctor"]])
  func anAnswerEndsInOneLineFeedAndHasTheWindow(verb: [String]) throws {
    let answer = try place.loadlog(verb + ["--json"])
    #expect(answer.output.hasSuffix("}\n") && !answer.output.hasSuffix("}\n\n"))
    #expect(try Answer(answer.output)["schema_version"].int == 1)
    guard ["status", "history", "unbalanced"].contains(verb[0]) else { return }
    let window = try place.ask(
      verb[0], "--since", "2026-01-01T00:00:00Z", "--until", "2099-01-01T01:00:00+01:00")
    #expect(window["since"].text == "2026-01-01T00:00:00.000Z")
    #expect(window["until"].text == "2099-01-01T00:00:00.000Z")
  }

  /// The keys of an answer, in the order in which it was printed.
  private func keys(_ arguments: String...) throws -> [String] {
    let answer = try place.loadlog(arguments + ["--json"])
    _ = try Answer(answer.output)
    // A quotation mark inside a text has a backslash before it.
    return answer.output.matches(of: /"([a-z0-9_]+)":/).map { String($0.output.1) }
  }
}

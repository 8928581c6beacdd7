import Foundation
import TestProcesses
import Testing

/// `notify`: what its command is told, and how often.
@Suite struct NotifyTests {
  private let place: Place
  private var told: String { place.folder.path + "/told" }

  init() throws { place = try Place() }

  /// Checks once, with a command that appends its line and its input to a file.
  @discardableResult
  private func notifyOnce(_ options: String..., then end: String = "", name: String = "a") throws -> Finished
  {
    let command = "echo \"$LOADLOG_SUMMARY\" >> \(told); cat > \(told).json; \(end)"
    return try place.loadlog(["notify", "--once", "--name", name, "--on-change", command] + options)
  }

  /// The lines that commands have appended.
  private func lines() -> [String] {
    ((try? String(contentsOfFile: told, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  /// Moves everything that notifiers have written some time into the past, as if it had passed.
  private func age(seconds: Int) throws {
    try place.sqlite(
      """
      UPDATE notified SET at = at - \(seconds)000000;
      UPDATE notifier SET last_check = last_check - \(seconds)000000, next_attempt = next_attempt - \(seconds)000000;
      """)
  }

  @Test func theFirstCheckReportsWhatIsWrongAlreadyInOneBatch() throws {
    try place.loadlog("run", "good", "--", "true")
    try place.loadlog("run", "bad", "--", "sh", "-c", "exit 3")
    try place.loadlog("pop", "leak", "--call-site", "a.sh:7")
    #expect(try notifyOnce() == Finished(code: 0, output: "", errors: ""))
    #expect(lines() == ["2 feeds: bad failing, leak unbalanced"])
    let message = try Answer(String(contentsOfFile: told + ".json", encoding: .utf8))
    let flips = message["flips"]
    #expect(flips.all.map(\.["feed"].text) == ["bad", "leak"])
    #expect(flips[0]["from"].text == "fine" && flips[0]["to"].text == "failing")
    #expect(flips[0]["reason"].text == "failing: never succeeded in 1 try (exit 3)")
    #expect(flips[1]["call_site"].text == "a.sh:7")
    let leaks = try place.ask("status", "leak")["call_sites"].all
    #expect(leaks.count == 1 && flips[1]["since"].text == leaks[0]["last"].text, "\(flips[1])")
    #expect(flips[0]["status"]["failed"].int == 1 && flips[0]["status"]["problems"][0].text == "failing")
    #expect(try notifyOnce().code == 0)
    #expect(lines().count == 1, "what was delivered is not delivered again")
  }

  @Test func theTextHasALineForEachFlip() throws {
    let command = "echo \"$LOADLOG_TEXT\" >> \(told)"
    func notify() throws { try place.loadlog("notify", "--once", "--on-change", command) }
    try place.loadlog("run", "bad", "--", "sh", "-c", "exit 3")
    try notify()
    try place.loadlog("pop", "leak", "--call-site", "a.sh:7")
    try place.loadlog("run", "worse", "--", "sh", "-c", "exit 4")
    try notify()
    #expect(
      lines() == [
        "bad: failing: never succeeded in 1 try (exit 3)", "leak: 1 unbalanced, not acknowledged",
        "worse: failing: never succeeded in 1 try (exit 4)",
      ])
  }

  /// A text that is longer than what a system takes as a variable would prevent the command.
  @Test func aLongTextSaysHowManyMoreThereAre() throws {
    let names = (100..<250).map { "\($0)" + String(repeating: "n", count: 197) }
    try place.shell(names.map { "loadlog pop \($0)" }.joined(separator: "\n"))
    try place.loadlog("notify", "--once", "--on-change", "echo \"$LOADLOG_TEXT\" >> \(told)")
    let more = try #require(lines().last)
    #expect(more == "and \(names.count - lines().count + 1) more" && lines()[0].hasPrefix("\(names[0]): "))
  }

  /// A failure that a success has cleared is neither the reason of an outage nor its beginning.
  @Test(
    arguments: [
      "loadlog start f --owner-pid \(getpid())", "loadlog finish $(loadlog start f) --cancelled",
      "loadlog push f; loadlog pop f",
    ])
  func aCrashIsTheReasonWhateverFollowsItButAResult(next: String) throws {
    try place.loadlog("run", "f", "--", "sh", "-c", "exit 7")
    try place.loadlog("run", "f", "--", "true")
    try place.shell("loadlog start f --owner-pid $$ --call-site a.sh:7")
    try place.shell(next)
    try notifyOnce()
    let crash = try place.ask("history", "f", "--state", "crashed")["loads"][0]
    let flip = try place.ask("history", "f", "--flips")["flips"][0]
    let started = try #require(crash["started"].text)
    #expect(flip["since"].text == started && flip["call_site"].text == "a.sh:7")
    #expect(try #require(flip["reason"].text).hasPrefix("failing: started "), "\(flip)")
    let status = try place.loadlog("status").output
    #expect(status.contains(", never finished: pid ") && !status.contains("exit 7"), "\(status)")
  }

  @Test func aLoadThatWasSeenRunningIsNoOutageUntilThen() throws {
    let owner = try place.start(["sleep", "10000"])
    try place.loadlog("start", "f", "--owner-pid", "\(owner.pid)")
    try notifyOnce()
    let checked = try place.sqlite("SELECT last_check FROM notifier")
    try owner.killAndReap()
    try notifyOnce()
    #expect(lines().count == 1 && lines()[0].hasPrefix("f: failing: started "), "\(lines())")
    #expect(try place.sqlite("SELECT since FROM feed_flip") == checked)
  }

  @Test func aReturnSaysHowLongTheFeedWasDown() throws {
    try place.loadlog("expect", "f", "--every", "1d")
    try place.loadlog("run", "f", "--", "false")
    try notifyOnce()
    try place.loadlog("run", "f", "--", "true")
    try notifyOnce()
    #expect(lines().count == 1, "a feed is reported at most once in 5 minutes")
    try age(seconds: 301)
    try notifyOnce()
    #expect(lines()[1].wholeMatch(of: /f: fine again after .*s/) != nil, "\(lines())")
    let flip = try Answer(String(contentsOfFile: told + ".json", encoding: .utf8))["flips"][0]
    #expect(flip["from"].text == "failing" && flip["to"].text == "fine" && flip["missed"].int == 0)
    #expect(try #require(flip["down"].number) > 0)
  }

  /// Each change is noticed within 5 minutes after the first report.
  @Test(
    arguments: [
      (["run f -- true", "unbalanced --ack --all f"], "fine", "f: fine again after "),
      (["unbalanced --ack --all f", "run f -- true", "pop f"], "unbalanced", "f: no longer failing after "),
    ])
  func aReturnSaysHowLongTheFeedWasDownWhateverFollowsIt(_ changes: [String], _ state: String, _ line: String)
    throws
  {
    let owner = try place.start(["sleep", "10000"])
    try place.loadlog("start", "f", "--owner-pid", "\(owner.pid)")
    try owner.killAndReap()
    try notifyOnce()
    for change in changes {
      try place.shell("loadlog \(change)")
      try notifyOnce()
    }
    #expect(lines().count == 1, "\(lines())")
    try age(seconds: 301)
    try notifyOnce()
    #expect(lines().count == 2 && lines()[1].hasPrefix(line), "\(lines())")
    let flip = try Answer(String(contentsOfFile: told + ".json", encoding: .utf8))["flips"][0]
    #expect(flip["from"].text == "failing" && flip["to"].text == state, "\(flip)")
    #expect(try #require(flip["down"].number) > 0)
    #expect(try place.sqlite("SELECT count(down) FROM flip") == "1\n", "the outage is counted once")
  }

  @Test func aHostDoesNotCountWhatAnotherMayHaveMet() throws {
    try place.loadlog("expect", "f", "--every", "1d", "--anywhere")
    try place.loadlog("run", "f", "--", "false")
    try notifyOnce()
    try place.loadlog("run", "f", "--", "true")
    try age(seconds: 301)
    try notifyOnce()
    let flip = try Answer(String(contentsOfFile: told + ".json", encoding: .utf8))["flips"][0]
    #expect(flip["to"].text == "fine" && flip["missed"].isNull, "\(flip)")
  }

  /// A feed that no load was recorded of disappears with its expectation.
  @Test(arguments: [
    (["--clear"], "no longer checked; it was down for"), (["--every", "1w"], "fine again after"),
  ])
  func anOutageMayEndWithoutASuccess(change: [String], words: String) throws {
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    try place.sqlite("UPDATE expected SET since = since - 10800000000")
    try notifyOnce()
    #expect(lines().count == 1)
    try place.loadlog(["expect", "f"] + change)
    try age(seconds: 301)
    try notifyOnce()
    #expect(lines().count == 2 && lines()[1].hasPrefix("f: \(words) 2 h 0"), "\(lines())")
    #expect(try notifyOnce("f").errors == "", "it is known by its flips")
    #expect(try place.sqlite("SELECT \"to\", down >= 7200 FROM flip") == "late|\nfine|1\n")
    #expect(try place.ask("history", "f", "--flips")["flips"].all.count == 2)
  }

  @Test func anImbalanceHidesNoReturn() throws {
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    try place.sqlite("UPDATE expected SET since = since - 7200000000")
    try place.loadlog("pop", "f")
    try notifyOnce()
    try place.loadlog("run", "f", "--", "true")
    try age(seconds: 301)
    try notifyOnce()
    let outage = /1 h \d+ m, 2 due times missed/
    let imbalance = "; 1 unbalanced, not acknowledged"
    #expect(lines().count == 2 && lines()[1].firstMatch(of: outage) != nil, "\(lines())")
    #expect(lines()[1].hasPrefix("f: no longer late after ") && lines()[1].hasSuffix(imbalance), "\(lines())")
    let list = try place.loadlog("history", "f", "--flips").output
    #expect(list.contains("  down for ") && list.contains(imbalance), "\(list)")
    #expect(list.firstMatch(of: outage) != nil, "\(list)")
    try place.loadlog("unbalanced", "--ack", "--all", "f")
    try age(seconds: 301)
    try notifyOnce()
    #expect(lines()[2] == "f: fine again", "\(lines())")
  }

  /// Nothing was expected during the pause.
  @Test func anOutageBeginsWithTheEndOfAPause() throws {
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    try place.loadlog("expect", "f", "--pause")
    try place.sqlite("UPDATE expected SET since = since - 14400000000, paused_at = paused_at - 10800000000")
    try notifyOnce()
    try place.loadlog("expect", "f", "--resume")
    try notifyOnce()
    try place.loadlog("run", "f", "--", "true")
    try age(seconds: 301)
    try notifyOnce()
    #expect(lines().count == 2 && !lines()[1].contains("missed"), "\(lines())")
    let answer = try place.ask("history", "f", "--flips")
    let (flips, outages) = (answer["flips"], answer["outages"])
    #expect(flips.all.map(\.["to"].text) == ["fine", "late", "paused"] && flips[0]["missed"].int == 0)
    #expect(try #require(flips[0]["down"].number) < 3600, "\(flips)")
    #expect(outages.all.count == 1 && outages[0]["down"].number == flips[0]["down"].number, "\(answer)")
  }

  /// A changed expectation may find that the feed has been late since before it was late last. The first check of a notifier
  /// knows of no check that did not find it late.
  @Test func anOutageBeginsAfterTheOneBeforeIt() throws {
    for name in ["a", "b"] {
      try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
      try place.sqlite("UPDATE expected SET since = since - 10800000000")
      try notifyOnce(name: name)
      try place.loadlog("expect", "f", "--clear")
      try notifyOnce(name: name)
    }
    let answer = try place.ask("history", "f", "--flips")
    let down = answer["flips"].all.compactMap(\.["down"].number)
    #expect(down.count == 2 && down[1] >= 7200 && down[0] < 3600, "\(down)")
    let months = answer["outages"].all.compactMap(\.["down"].number)
    #expect(abs(months.reduce(0, +) - down.reduce(0, +)) < 0.001, "\(answer)")
  }

  /// The last success has nothing to do with the end of a problem that it did not end.
  @Test func aFeedIsFineSinceThatWasNoticedUnlessASuccessEndedItsOutage() throws {
    try place.loadlog("run", "f", "--", "true")
    try place.loadlog("pop", "f")
    try notifyOnce()
    try place.loadlog("unbalanced", "--ack", "--all", "f")
    try notifyOnce()
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    try place.sqlite(
      """
      UPDATE feed SET last_updated = last_updated - 7200000000,
        last_success_started = last_success_started - 7200000000
      """)
    try place.sqlite("UPDATE expected SET since = since - 7200000000")
    try notifyOnce()
    try place.loadlog("expect", "f", "--clear")
    try notifyOnce()
    #expect(
      try place.sqlite("SELECT \"to\", since = at FROM flip") == "unbalanced|0\nfine|1\nlate|0\nfine|1\n")
  }

  @Test func aChangeFromOneProblemToAnotherEndsNoOutage() throws {
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    try place.sqlite("UPDATE expected SET since = since - 7200000000")
    try notifyOnce()
    try place.loadlog("run", "f", "--", "false")
    try notifyOnce()
    #expect(try place.sqlite("SELECT \"to\", down FROM flip") == "late|\nfailing|\n")
  }

  @Test func whatFlipsBackWithinFiveMinutesIsRecordedAndNotReported() throws {
    for code in ["true", "false"] {
      try place.loadlog("run", "f", "--", code)
      try notifyOnce()
    }
    let told = "f: failing: last run failed \(try minute()) (exit 1)"
    for code in ["true", "false", "true"] {
      try place.loadlog("run", "f", "--", code)
      try notifyOnce()
    }
    #expect(lines() == [told])
    try age(seconds: 301)
    try notifyOnce()
    #expect(lines().count == 2 && lines()[1].hasPrefix("f: fine again after "))
    #expect(try place.sqlite("SELECT count(*) FROM flip") == "4\n")
  }

  /// The minute of the last failure, as screens show it.
  private func minute() throws -> String {
    let date = try #require(try place.status("f")["last_failed"].text)
    return String(date.dropFirst(11).prefix(5))
  }

  @Test func aFailedDeliveryIsTriedAgainAfterOneFiveAndTwentyFiveMinutes() throws {
    try place.loadlog("run", "f", "--", "false")
    for (count, minutes) in [1, 5, 25, 60, 60].enumerated() {
      let answer = try notifyOnce(then: "exit 4")
      #expect(
        answer.code == 1
          && answer.errors.hasPrefix("loadlog: --on-change: exit 4. It will be tried again at "))
      #expect(lines().count == count + 1)
      try age(seconds: minutes * 60 - 30)
      #expect(try notifyOnce().code == 1, "it is not time yet")
      #expect(lines().count == count + 1)
      try age(seconds: 30)
    }
    #expect(try notifyOnce().code == 0)
    #expect(lines().count == 6)
    try age(seconds: 100_000)
    #expect(try notifyOnce().code == 0)
    #expect(lines().count == 6)
  }

  @Test func aFailedDeliveryDoesNotWaitForTheNextInterval() throws {
    try place.loadlog("run", "f", "--", "false")
    #expect(try notifyOnce(then: "exit 4").code == 1)
    // The minute passes but for a moment.
    try age(seconds: 58)
    let command = "echo \"$LOADLOG_SUMMARY\" >> \(told)"
    let notify = try place.start(
      ["loadlog", "notify", "--name", "a", "--interval", "6h", "--on-change", command])
    try Wait.until("a delivery") { lines().count == 2 }
    notify.signal(SIGTERM)
    #expect(try notify.wait().code == 0)
  }

  @Test func aFailedDeliveryIsForgottenWhenNothingIsLeftToDeliver() throws {
    try place.loadlog("run", "f", "--", "false")
    #expect(try notifyOnce(then: "exit 4").code == 1)
    try place.loadlog("run", "f", "--", "true")
    #expect(try notifyOnce() == Finished(code: 0, output: "", errors: ""))
    try place.loadlog("run", "g", "--", "false")
    #expect(try notifyOnce().code == 0)
    #expect(lines().count == 2 && lines()[1].hasPrefix("g: failing: "))
  }

  /// The gap that such a check found lies in the future, and so does its time.
  @Test func aCheckByAClockThatWasAheadHoldsNothingBack() throws {
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    try notifyOnce()
    try place.sqlite(
      """
      UPDATE notifier SET gap_from = last_check - 10800000000, gap_until = last_check + 86400000000,
        last_check = last_check + 86400000000
      """)
    #expect(try place.loadlog("status").output.contains("No notifier has run"))
    try place.sqlite("UPDATE expected SET since = since - 7200000000")
    #expect(try notifyOnce().errors == "")
    #expect(lines().count == 1)
    #expect(try !place.loadlog("status").output.contains("No notifier has run"))
  }

  @Test func aClockThatWasAheadSilencesNoFeed() throws {
    try place.loadlog("run", "f", "--", "false")
    try notifyOnce()
    try place.sqlite("UPDATE notified SET at = at + 34560000000000")
    try place.loadlog("run", "f", "--", "true")
    try notifyOnce()
    #expect(lines().count == 2)
    try place.loadlog("run", "g", "--", "false")
    #expect(try notifyOnce(then: "exit 4").code == 1)
    try place.sqlite("UPDATE notifier SET next_attempt = next_attempt + 34560000000000")
    #expect(try notifyOnce().code == 0)
    #expect(lines().count == 4)
  }

  /// It writes the reason of a load as it is, and none for lateness.
  @Test func whatAnAlarmInAnAppNoticedIsReportedOnOneLineInWords() throws {
    try place.loadlog("run", "f", "--", "false")
    try place.loadlog("expect", "g", "--every", "1h", "--grace", "0s")
    try place.sqlite("UPDATE expected SET since = since - 7200000000")
    let now = Date.now.formatted(.iso8601)
    let flips = [("f", "failing", #","reason":"HTTP\u001b 503""#), ("g", "late", "")].map {
      #"{"event":"flip","at":"\#(now)","feed":"\#($0)","from":"fine","to":"\#($1)","since":"\#(now)"\#($2)}"#
    }
    for flip in flips { try place.loadlog("import", "-", "--format", "ndjson", input: .text(flip + "\n")) }
    try notifyOnce("f")
    try notifyOnce("g", name: "b")
    #expect(lines().count == 2 && lines()[0] == #"f: failing: HTTP\u{1B} 503"#, "\(lines())")
    #expect(lines()[1].hasPrefix("g: late: due ") && lines()[1].hasSuffix("never succeeded"), "\(lines())")
    #expect(try place.sqlite("SELECT count(*) FROM flip") == "2\n")
  }

  @Test func eachNameGetsEachFlip() throws {
    try place.loadlog("run", "f", "--", "false")
    for name in ["a", "b", "a", "b"] { try notifyOnce(name: name) }
    #expect(lines().count == 2)
    #expect(try place.sqlite("SELECT count(*) FROM flip") == "1\n")
  }

  @Test func aPauseIsNoNewsAndItsEndReportsTheStateOfThen() throws {
    try place.loadlog("expect", "f", "--every", "1d")
    try place.loadlog("run", "f", "--", "false")
    try notifyOnce()
    try place.loadlog("expect", "f", "--pause")
    try notifyOnce()
    try place.loadlog("run", "f", "--", "true")
    try place.loadlog("run", "f", "--", "false")
    try notifyOnce()
    #expect(lines().count == 1)
    try place.loadlog("expect", "f", "--resume")
    try notifyOnce()
    try notifyOnce()
    #expect(lines().count == 2 && lines()[1].hasPrefix("f: failing: "))
  }

  @Test func chosenFeedsAreReportedAlone() throws {
    try place.loadlog("run", "a/x", "--", "false")
    try place.loadlog("run", "b", "--", "false")
    try notifyOnce("a/*")
    #expect(lines().count == 1 && lines()[0].hasPrefix("a/x: failing"))
  }

  @Test func aStormOfFeedsIsOneBatch() throws {
    var text = ""
    for number in 1...1000 {
      let id = UUID().uuidString.lowercased()
      text += #"{"event":"start","at":"2026-11-20T09:00:00Z","feed":"f\#(number)","id":"\#(id)"}"# + "\n"
      text += #"{"event":"finish","at":"2026-11-20T09:00:05Z","id":"\#(id)","verdict":"failed"}"# + "\n"
    }
    try place.loadlog("import", "-", input: .text(text))
    #expect(try notifyOnce().code == 0)
    #expect(lines().count == 1 && lines()[0].hasPrefix("1,000 feeds: f1 failing, "))
    let flips = try Answer(String(contentsOfFile: told + ".json", encoding: .utf8))["flips"]
    #expect(flips.all.count == 1000)
  }

  @Test func latenessThatAroseWithoutChecksWaits() throws {
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    try notifyOnce()
    // Three hours pass without a check.
    try place.sqlite("UPDATE expected SET since = since - 10800000000")
    try age(seconds: 10_800)
    let beats = "echo beat >> \(told)-beats"
    let words = [
      "notify", "--once", "--name", "a", "--heartbeat", beats, "--on-change",
      "echo \"$LOADLOG_SUMMARY\" >> \(told)",
    ]
    let notify = try place.start(["loadlog"] + words)
    try Wait.until("its remark") { notify.errors.contains("waiting 2 minutes, in case they succeed") }
    notify.signal(SIGTERM)
    #expect(try notify.wait().code == 143)
    #expect(lines().isEmpty)
    // Two minutes pass.
    try place.sqlite("UPDATE notifier SET gap_from = gap_from - 121000000, gap_until = gap_until - 121000000")
    try age(seconds: 121)
    #expect(try place.loadlog(words).code == 0)
    #expect(try String(contentsOfFile: told + "-beats", encoding: .utf8) == "beat\n")
    #expect(lines().count == 1 && lines()[0].contains("; nothing was checked from "), "\(lines())")
    let grace = "SELECT feed_flip.since - expected.since FROM feed_flip, expected"
    #expect(try place.sqlite(grace) == "3600000000\n", "it is late since it was due")
  }

  @Test func whatWasLateBeforeAGapDoesNotWait() throws {
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    try place.sqlite("UPDATE expected SET since = since - 7200000000")
    try notifyOnce()
    // Three hours pass without a check.
    try place.sqlite("UPDATE expected SET since = since - 10800000000")
    try age(seconds: 10_800)
    #expect(try notifyOnce() == Finished(code: 0, output: "", errors: ""))
    #expect(lines().count == 1)
  }

  /// What receives heartbeats raises an alarm when they stop.
  @Test func lateWaitsAndHeartbeatsDoNot() throws {
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    try notifyOnce()
    // Three hours pass without a check.
    try place.sqlite("UPDATE expected SET since = since - 10800000000")
    try age(seconds: 10_800)
    let notify = try place.start([
      "loadlog", "notify", "--interval", "1s", "--name", "a", "--heartbeat", "echo beat >> \(told)-beats",
      "--on-change", "echo \"$LOADLOG_SUMMARY\" >> \(told)",
    ])
    try Wait.until("two heartbeats") {
      (try? String(contentsOfFile: told + "-beats", encoding: .utf8))?.hasPrefix("beat\nbeat\n") == true
    }
    notify.signal(SIGTERM)
    #expect(try notify.wait().errors.contains("waiting 2 minutes, in case they succeed"))
    #expect(lines().isEmpty)
  }

  /// The next check is at a time of the boot clock, which goes on in a suspend, and a wait for it does not.
  @Test(.enabled("needs a C compiler and a preloading linker") { MovedClocks.canBe })
  func aCheckThatIsDueInASuspendFollowsTheResume() throws {
    try place.loadlog("run", "f", "--", "true")
    let clocks = try MovedClocks(place)
    let beat = "echo beat >> \(told)"
    let notify = try place.start(
      ["loadlog", "notify", "--interval", "1h", "--on-change", "true", "--heartbeat", beat])
    try Wait.until("the first check") { lines().count == 1 }
    // It may not wait yet, so the machine sleeps more than once.
    var hours = 0
    try Wait.until("the second check", pause: 100_000) {
      hours += 2
      try clocks.move(wall: hours * 3600, boot: hours * 3600)
      return lines().count > 1
    }
    notify.signal(SIGTERM)
    #expect(try notify.wait().code == 0)
  }

  /// When it became unreadable is unknown; the last success has nothing to do with it.
  @Test func anUnreadableScheduleIsLateSinceItWasSet() throws {
    try place.loadlog("run", "f", "--", "true")
    try place.loadlog("expect", "f", "--cron", "10 2 * * *", "--timezone", "UTC")
    try place.sqlite("UPDATE expected SET timezone = 'No/Where'")
    try notifyOnce()
    #expect(lines().count == 1 && lines()[0].hasPrefix("f: late: "), "\(lines())")
    #expect(try place.sqlite("SELECT since FROM feed_flip") == place.sqlite("SELECT since FROM expected"))
  }

  /// A notifier that checks often writes the time of few checks to the store.
  @Test func betweenTheChecksOfOneNotifierIsNoGap() throws {
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    let command = "echo \"$LOADLOG_SUMMARY\" >> \(told)"
    let notify = try place.start(
      ["loadlog", "notify", "--name", "a", "--interval", "1s", "--on-change", command])
    try Wait.until("a check") { try place.sqlite("SELECT count(*) FROM notifier") == "1\n" }
    // Its newest check in the store is 100 s ago, and f is late since 50 s.
    try place.sqlite(
      """
      BEGIN IMMEDIATE;
      UPDATE expected SET since = since - 3650000000;
      UPDATE notifier SET last_check = last_check - 100000000;
      COMMIT;
      """)
    try Wait.until("a delivery") { lines().count == 1 || notify.errors.contains("waiting 2 minutes") }
    notify.signal(SIGTERM)
    #expect(try notify.wait() == Finished(code: 0, output: "", errors: ""))
    #expect(lines().count == 1 && !lines()[0].contains("nothing was checked"), "\(lines())")
  }

  /// Its last check may not be in the store yet when it ends.
  @Test func aRestartIsNoGap() throws {
    try place.loadlog("expect", "f", "--every", "1h", "--grace", "0s")
    let words = [
      "loadlog", "notify", "--name", "a", "--interval", "1s", "--on-change",
      "echo \"$LOADLOG_SUMMARY\" >> \(told)",
    ]
    let first = try place.start(words)
    try Wait.until("a check") { try place.sqlite("SELECT count(*) FROM notifier") == "1\n" }
    // Its newest check in the store is 100 s ago.
    try place.sqlite("UPDATE notifier SET last_check = last_check - 100000000")
    first.signal(SIGTERM)
    #expect(try first.wait() == Finished(code: 0, output: "", errors: ""))
    // f is late since 50 s.
    try place.sqlite("UPDATE expected SET since = since - 3650000000")
    let second = try place.start(words)
    try Wait.until("a delivery") { lines().count == 1 || second.errors.contains("waiting 2 minutes") }
    second.signal(SIGTERM)
    #expect(try second.wait() == Finished(code: 0, output: "", errors: ""))
    #expect(lines().count == 1 && !lines()[0].contains("nothing was checked"), "\(lines())")
  }

  @Test(
    arguments: [
      (["--on-change", "nosuchcommand x"], "there is no command \"nosuchcommand\""),
      (["--on-change", "/no/such -x"], "there is no command \"/no/such\""),
      (["--on-change", ""], "it is empty"),
      (["--on-change", "true", "--heartbeat", "nosuch"], "--heartbeat \"nosuch\""),
      (["--on-change", "true", "--interval", "10ms"], "it is too short"),
      (["--on-change", "true", "--interval", "100000d"], "it is too long"),
      (["--on-change", "true", "--interval", "5s", "--once"], "cannot be combined"),
      (["--on-change", "true", "--name", ""], "must not be empty"), ([], "--on-change"),
    ])
  func wrongUsageIsRefusedInOneLine(_ options: [String], _ text: String) throws {
    try place.loadlog("run", "f", "--", "false")
    let answer = try place.loadlog(["notify"] + options)
    #expect(answer.code == 2 && answer.errors.contains(text), "\(answer.errors)")
    #expect(answer.errors.split(separator: "\n").count == 1)
    #expect(try place.sqlite("SELECT count(*) FROM notifier") == "0\n")
  }

  @Test func aCommandThatFailsIsReported() throws {
    try place.loadlog("run", "f", "--", "false")
    #expect(try notifyOnce(then: "exit 3").errors.contains("It will be tried again at "))
    let text = try place.loadlog("status").output
    #expect(text.contains("The delivery of the notifier a has failed, and is tried again from "), "\(text)")
    let undelivered = try place.ask("status")["undelivered"]
    #expect(undelivered["notifier"].text == "a" && undelivered["attempts"].int == 1)
    let again = try notifyOnce()
    #expect(again.code == 1 && again.errors.contains("the last delivery failed; it will be tried again at "))
    try age(seconds: 61)
    try notifyOnce()
    #expect(try place.ask("status")["undelivered"].isNull)
    #expect(try !place.loadlog("status").output.contains("The delivery"))
  }

  @Test func betweenItsAttemptsAFailureIsNotReportedAgain() throws {
    try place.loadlog("run", "f", "--", "false")
    let beat = "echo beat >> \(told)"
    let notify = try place.start(
      ["loadlog", "notify", "--interval", "1s", "--heartbeat", beat, "--on-change", "exit 3"])
    try Wait.until("three checks") { lines().count == 3 }
    notify.signal(SIGTERM)
    let errors = try notify.wait().errors
    #expect(errors.contains("It will be tried again at "), "\(errors)")
    #expect(!errors.contains("the last delivery"), "\(errors)")
  }

  @Test func aNotifierThatRunsNoMoreIsNamedForAWeek() throws {
    try place.loadlog("run", "f", "--", "false")
    for name in ["a", "b"] { try notifyOnce(then: "exit 3", name: name) }
    let undelivered = try place.ask("status")["undelivered"]
    #expect(undelivered["notifier"].text == "a" && undelivered["others"].int == 1)
    try age(seconds: 7 * 86_400)
    #expect(try place.ask("status")["undelivered"]["notifier"].text == "a")
    try age(seconds: 61)
    #expect(try place.ask("status")["undelivered"].isNull)
  }

  @Test func aFlipOfAClockThatWasAheadSilencesNoFeed() throws {
    try place.loadlog("run", "f", "--", "false")
    try notifyOnce()
    let line =
      #"{"event":"flip","at":"2099-01-01T00:00:00Z","feed":"f","from":"failing","to":"fine","since":"2099-01-01T00:00:00Z"}"#
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(line + "\n"))
    try age(seconds: 301)
    try notifyOnce()
    for _ in 1...3 { try notifyOnce() }
    #expect(try place.sqlite("SELECT count(*) FROM flip") == "3\n", "it is noticed once")
    try place.loadlog("run", "f", "--", "true")
    try age(seconds: 301)
    try notifyOnce()
    #expect(lines().count == 2 && lines()[1].hasPrefix("f: fine again"), "\(lines())")
  }

  @Test func oneCommandForTwoFeedsIsTwoNotifiers() throws {
    for feed in ["a", "b"] { try place.loadlog("run", feed, "--", "false") }
    let command = "echo \"$LOADLOG_SUMMARY\" >> \(told)"
    let first = try place.start(["loadlog", "notify", "a", "--interval", "1s", "--on-change", command])
    try Wait.until("a delivery") { lines().count == 1 }
    #expect(try place.loadlog("notify", "b", "--once", "--on-change", command).errors == "")
    #expect(lines().map { $0.prefix(2) } == ["a:", "b:"])
    first.signal(SIGTERM)
    #expect(try first.wait().code == 0)
  }

  @Test func aLinkToTheStoreIsTheSameStore() throws {
    try place.loadlog("run", "f", "--", "false")
    try place.shell("ln -s \(place.store) \(place.folder.path)/link.db")
    let command = "echo told >> \(told)"
    let words = ["notify", "--interval", "1s", "--name", "n", "--on-change", command]
    let first = try place.start(["loadlog"] + words)
    try Wait.until("a delivery") { lines().count == 1 }
    let second = try place.start(
      [
        "loadlog", "notify", "--once", "-v", "--name", "n", "--on-change", command, "--db",
        "\(place.folder.path)/link.db",
      ])
    try Wait.until("its remark") { second.errors.contains("another notifier named n is at work") }
    first.signal(SIGTERM)
    #expect(try first.wait().code == 0)
    #expect(try second.wait().code == 0)
  }

  @Test(arguments: ["2>/dev/null cat", ">>got cat", "f() { cat; }; f", "f () { cat; }; f", "X=1 cat"])
  func whatTheShellUnderstandsIsRun(command: String) throws {
    try place.loadlog("run", "f", "--", "false")
    let answer = try place.shell("cd $HOME; TMPDIR=/missing loadlog notify --once --on-change '\(command)'")
    #expect(answer.code == 0 && answer.errors == "", "\(answer)")
  }

  /// A process that the command leaves in the background may even have its files open.
  @Test func whatTheCommandLeavesBehindIsNotAwaited() throws {
    try place.loadlog("run", "f", "--", "false")
    let answer = try notifyOnce(then: "sleep 1000 & echo $! > \(told).pid")
    let pid = try String(contentsOfFile: told + ".pid", encoding: .utf8)
    defer { kill(pid_t(pid.trimmingCharacters(in: .newlines)) ?? 0, SIGKILL) }
    #expect(answer == Finished(code: 0, output: "", errors: ""))
    try notifyOnce()
    #expect(lines().count == 1)
  }

  @Test func aLineNamesTwentyFeeds() throws {
    let pops = (1...5000).map {
      #"{"event":"pop","at":"2026-10-01T00:00:00Z","feed":"a-rather-long-name/\#($0)"}"#
    }
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(pops.joined(separator: "\n") + "\n"))
    #expect(try notifyOnce() == Finished(code: 0, output: "", errors: ""))
    #expect(lines()[0].hasPrefix("5,000 feeds: a-rather-long-name/1 unbalanced, "), "\(lines())")
    #expect(lines()[0].hasSuffix(" and 4,980 more"), "\(lines())")
    #expect(
      try Answer(String(contentsOf: URL(fileURLWithPath: told + ".json"), encoding: .utf8))["flips"].all.count
        == 5000)
  }

  @Test func whatItDoesIsPrintedOnRequest() throws {
    try place.loadlog("run", "f", "--", "false")
    #expect(try notifyOnce("-v").errors.contains("delivered: f: failing: "))
    #expect(try notifyOnce("-v").errors.contains("nothing has changed"))
    try place.loadlog("run", "f", "--", "true")
    #expect(try notifyOnce("-v").errors.contains("nothing is due: each feed is "))
    let unknown = try notifyOnce("f", "fee*", "g")
    #expect(
      unknown
        == Finished(
          code: 0, output: "",
          errors: """
            loadlog: no feed is named "fee*" yet, so it is not checked.
            loadlog: no feed is named "g" yet, so it is not checked.

            """))
  }

  @Test func withoutAStoreOnceFailsAndOtherwiseItWaits() throws {
    #expect(try notifyOnce().code == 3)
    let command = "echo \"$LOADLOG_SUMMARY\" >> \(told)"
    let notify = try place.start(["loadlog", "notify", "--interval", "1s", "--on-change", command])
    try Wait.until("its remark") { notify.errors.contains("yet; waiting for it") }
    try place.loadlog("run", "f", "--", "false")
    try Wait.until("a delivery") { lines().count == 1 }
    notify.signal(SIGTERM)
    #expect(try notify.wait().code == 0)
  }

  @Test func oneNotifierOfANameWorksAtATime() throws {
    try place.loadlog("run", "f", "--", "false")
    let command = "echo told >> \(told)"
    let arguments = ["loadlog", "notify", "--interval", "1s", "--name", "n", "--on-change", command]
    let first = try place.start(arguments)
    try Wait.until("a delivery") { lines().count == 1 }
    let second = try place.start(arguments)
    try Wait.until("its remark") { second.errors.contains("another notifier named n is at work") }
    first.signal(SIGKILL)
    _ = try first.wait()
    try place.loadlog("run", "g", "--", "false")
    try Wait.until("its delivery") { lines().count == 2 }
    second.signal(SIGTERM)
    #expect(try second.wait().code == 0)
  }

  @Test func aSignalEndsASingleCheckBeforeItIsDone() throws {
    try place.loadlog("run", "f", "--", "false")
    let words = ["loadlog", "notify", "--name", "n", "--on-change", "echo told >> \(told)"]
    let first = try place.start(words)
    try Wait.until("a delivery") { lines().count == 1 }
    let second = try place.start(words + ["--once", "-v"])
    try Wait.until("its remark") { second.errors.contains("another notifier named n is at work") }
    second.signal(SIGTERM)
    #expect(try second.wait().code == 143)
    first.signal(SIGTERM)
    #expect(try first.wait() == Finished(code: 0, output: "", errors: ""), "its work ends by a signal")
  }

  /// The first one may have looked already when the second begins.
  @Test func aSingleCheckWaitsForAnotherOne() throws {
    try place.loadlog("run", "f", "--", "false")
    let words = ["loadlog", "notify", "--once", "-v", "--name", "n", "--on-change"]
    let end = "\(place.folder.path)/end"
    let first = try place.start(words + ["echo told >> \(told); until [ -e \(end) ]; do sleep 0.1; done"])
    try Wait.until("a delivery") { lines().count == 1 }
    try place.loadlog("run", "g", "--", "false")
    let second = try place.start(words + ["echo told >> \(told)"])
    try Wait.until("its remark") { second.errors.contains("another notifier named n is at work") }
    try place.shell("touch \(end)")
    #expect(try first.wait().code == 0 && second.wait().code == 0)
    #expect(lines().count == 2)
  }

  @Test func aHeartbeatFollowsEachCompletedCheck() throws {
    try place.loadlog("run", "f", "--", "true")
    for _ in 0..<2 { try notifyOnce("--heartbeat", "echo beat >> \(told)") }
    #expect(lines() == ["beat", "beat"])
  }

  /// Some supervisors ignore the ends of their children, and these inherit that.
  @Test func theCallerMayIgnoreSIGCHLD() throws {
    let ignoring = ["env", "--ignore-signal=CHLD", "loadlog"]
    #expect(try place.start(ignoring + ["run", "f", "--", "sh", "-c", "exit 3"]).wait().code == 3)
    let answer = try place.start(ignoring + ["notify", "--once", "--on-change", "true"]).wait()
    #expect(answer == Finished(code: 0, output: "", errors: ""))
  }

  @Test func aCommandNeedNotReadItsInputAndMayWriteMuch() throws {
    try place.loadlog("run", "f", "--", "false")
    let answer = try place.loadlog(
      "notify", "--once", "--on-change", "exec <&-; head -c 3000000 /dev/zero | tr '\\0' x; echo; exit 0")
    #expect(answer.code == 0 && answer.output.count == 3_000_001)
  }

  @Test(arguments: [["--every", "1d"], ["--max-running", "10m"]])
  func statusSaysThatNoNotifierRuns(expected: [String]) throws {
    try place.loadlog(["expect", "f"] + expected)
    let warning = "No notifier has run"
    #expect(try place.loadlog("status").output.contains("\(warning), so problems are only shown here."))
    try notifyOnce()
    #expect(try !place.loadlog("status").output.contains(warning))
    #expect(Instant.isUTC(try #require(try place.ask("status")["last_check"].text)))
    try age(seconds: 601)
    let old = try place.loadlog("status").output
    #expect(old.contains("\(warning) since ") && old.contains("newer problems are only shown here"))
  }
}

import Foundation
import Testing

/// `expect` sets, lists, pauses and removes expectations.
@Suite struct ExpectTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func anExpectationCreatesTheStoreAndMakesTheFeedKnown() throws {
    let set = try place.loadlog(
      "expect", "backup/db", "--cron", "10 2 * * *", "--timezone", "Europe/Berlin", "--grace", "1h")
    #expect(set.code == 0 && set.errors == "")
    #expect(set.output.contains("10 2 * * * Europe/Berlin") && set.output.contains("next due"))
    for verb in [["status", "backup/db"], ["last-updated", "backup/db"], ["history", "backup/db"]] {
      #expect(try place.loadlog(verb).code == 0, "\(verb)")
    }
    #expect(try place.loadlog("status").output.contains("never"))
    #expect(try place.loadlog("expect", "backup/db", "--note", "ask Ann").output.contains("1 h"))
    let all = try place.loadlog("expect")
    #expect(all.code == 0 && all.output.contains("ask Ann") && all.output.contains("Europe/Berlin"))
    #expect(try place.loadlog("expect", "backup/db", "--clear") == Finished(code: 0, output: "", errors: ""))
    #expect(try place.loadlog("status", "backup/db").code == 1, "no such feed any more")
  }

  @Test func aNameThatMayBeATypingErrorIsNoted() throws {
    try place.loadlog("run", "hello", "--", "true")
    func note(_ words: String...) throws -> Substring? {
      let answer = try place.loadlog(["expect", "--every", "1d"] + words)
      #expect(answer.code == 0 && answer.output.contains("every 1 d"), "\(answer)")
      return answer.errors.split(separator: "\n").first { $0.contains("no loads yet") }
    }
    #expect(try note("helo", "-v") == "loadlog: \"helo\" has no loads yet. Did you mean \"hello\"?")
    #expect(try note("helo") == nil, "without a terminal")
    #expect(try note("helo", "-v", "--anywhere") == nil, "another host may run it")
    for name in ["hello", "hel*", "backup"] { #expect(try note(name, "-v") == nil, "\(name)") }
    try place.loadlog("run", "helo", "--", "true")
    #expect(try note("helo", "-v") == nil)
  }

  @Test func scheduleAndZoneAreChangedApart() throws {
    func schedule(_ words: String...) throws -> String {
      let answer = try place.loadlog(["expect", "f"] + words)
      return answer.output.contains("Europe/Berlin")
        ? "Berlin" : answer.output.contains("UTC") ? "UTC" : answer.errors
    }
    #expect(try schedule("--cron", "10 2 * * *", "--timezone", "Europe/Berlin") == "Berlin")
    #expect(try schedule("--cron", "20 2 * * *") == "Berlin")
    #expect(try schedule("--timezone", "UTC") == "UTC")
    #expect(try place.ask("expect")["expectations"][0]["cron"].text == "20 2 * * *")
    #expect(try place.loadlog("expect", "g", "--timezone", "UTC").errors.contains("--timezone needs --cron"))
  }

  @Test func aFeedOrPatternIsListedAlone() throws {
    for feed in ["f", "g", "w/*"] { try place.loadlog("expect", feed, "--every", "1h") }
    let one = try place.loadlog("expect", "f", "--json")
    #expect(try Answer(one.output)["expectations"].all.map(\.["pattern"].text) == ["f"])
    #expect(try place.loadlog("expect", "w/*").output.contains("w/*"))
    try place.loadlog("run", "w/a", "--", "true")
    for change in [[], ["--pause"]] {
      let answer = try place.loadlog(["expect", "w/a"] + change)
      #expect(answer.code == 1 && answer.errors.contains(#"that of the pattern "w/*""#), "\(answer)")
    }
  }

  /// File names on macOS are decomposed, and so is what a shell completes there.
  @Test func aPatternIsTheSameInBothEncodings() throws {
    try place.loadlog("run", "caf\u{E9}/menu", "--", "true")
    try place.loadlog("expect", "caf\u{E9}/*", "--every", "1d")
    let list = try place.loadlog("expect", "cafe\u{301}/*", "--every", "2d").output
    #expect(list.contains("1 feed, ") && list.contains("every 2 d"), "\(list)")
    let line =
      #"{"event":"expectation","feed":"cafe\u0301/*","every_ns":3600000000000,"since":"2100-01-01T00:00:00Z"}"#
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(line + "\n"))
    let all = try place.ask("expect")["expectations"].all
    #expect(all.map(\.["every"].number) == [3600])
    #expect(try place.loadlog("status", "cafe\u{301}*").output.contains("caf\u{E9}/menu"))
  }

  @Test func limitsArePrintedInWords() throws {
    let answer = try place.loadlog(
      "expect", "f", "--every", "20m", "--max-failures", "3", "--max-running", "2m")
    #expect(answer.output.contains("running at most 2 m, failing after 3 failures"), "\(answer.output)")
    #expect(
      answer.output.contains("10 m"), "grace is at most half the interval, also while nothing is learned")
    try place.loadlog("run", "f", "--", "false")
    #expect(try place.loadlog("status").output.contains("✓ f "), "one failure is allowed")
    let exact = try place.loadlog(
      "expect", "g", "--every", "25h30m", "--grace", "100m30s", "--max-running", "6030s")
    #expect(
      exact.output.contains(#/every 1 d 1 h 30 m, running at most 1 h 40 m 30 s +1 h 40 m 30 s\n/#),
      "\(exact.output)")
  }

  @Test func aDueTimeIsInTheZoneOfItsSchedule() throws {
    let line =
      #"{"event":"expectation","feed":"f","cron":"10 2 * * *","timezone":"Asia/Kolkata","grace_ns":0,"since":"2026-10-01T00:00:00Z"}"#
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(line + "\n"))
    let here = try place.shell("TZ=:UTC loadlog status --check")
    #expect(here.code == 1 && here.output.contains("02:10 Asia/Kolkata, 0 s of grace"), "\(here)")
    let there = try place.shell("TZ=:Asia/Kolkata loadlog status --check")
    #expect(there.output.contains("02:10, 0 s of grace"), "\(there)")
    let list = try place.shell("TZ=:UTC loadlog expect; TZ=:Asia/Kolkata loadlog expect").output
    #expect(list.contains(#/late; due 02 Oct [0-9 ]*02:10 Asia/Kolkata +10 2 /#), "\(list)")
    #expect(list.contains(#/late; due 02 Oct [0-9 ]*02:10 +10 2 /#), "\(list)")
  }

  @Test func theLocalZoneIsKeptByName() throws {
    let set = try place.shell("TZ=:America/New_York loadlog expect f --cron '@daily'")
    #expect(set.output.contains("@daily America/New_York"), "\(set)")
    let files = try ["", "TZ=:/etc/localtime"].map { zone in
      try place.shell("unset TZ; \(zone) loadlog expect f --cron '@hourly'")
    }
    #expect(files[0].output.contains("@hourly") && files[0] == files[1], "\(files)")
  }

  @Test func aPauseEndsByItselfOrByResume() throws {
    try place.loadlog("expect", "f", "--every", "1d")
    #expect(try place.loadlog("expect", "f", "--pause", "2h").output.contains("paused until"))
    #expect(try place.loadlog("status").output.contains("paused"))
    #expect(try place.loadlog("expect", "--pause", "f").output.contains(/paused +every 1 d/))
    #expect(try !place.loadlog("expect", "f", "--resume").output.contains("paused"))
  }

  @Test(arguments: [
    "f --every 0.5s", "f --every 4000d", "f --every soon", "f --every 1d --cron '@daily'", "f --cron '1 2 3'",
    "f --cron '0 0 30 2 *'", "f --cron '@daily' --timezone Mars/Phobos", "f --timezone UTC", "f --grace=-1s",
    "f --max-failures 0", "f --max-failures x", "f --max-running 0s", "f --clear --resume", "f --pause 0s",
    "f --clear --every 1d", "f --every 1d --timezone UTC", "g --grace 1h", "--every 1d", "--clear", "--pause",
    "'' --every 1d", "g --anywhere",
  ])
  func badInputChangesNothing(line: String) throws {
    try place.loadlog("expect", "f", "--every", "1d")
    let before = try place.loadlog("expect", "--json").output.split(separator: "expectations").last
    let answer = try place.shell("loadlog expect \(line)")
    #expect(answer.code == 2 && answer.output == "", "\(answer)")
    #expect(answer.errors.split(separator: "\n").count == 1)
    #expect(try place.loadlog("expect", "--json").output.split(separator: "expectations").last == before)
  }

  /// As in a store that was copied from a machine that knows more time zones.
  @Test func aScheduleThatCannotBeReadHereIsOne() throws {
    try place.loadlog("expect", "f", "--cron", "@daily", "--timezone", "UTC")
    try place.sqlite("UPDATE expected SET timezone = 'Mars/Phobos'")
    let answer = try place.loadlog("expect", "f", "--grace", "5m", "--anywhere")
    #expect(answer.code == 0 && answer.errors == "", "\(answer)")
    #expect(
      try place.sqlite("SELECT cron, timezone, grace, anywhere FROM expected")
        == "@daily|Mars/Phobos|300000000000|1\n")
    let zone = try place.loadlog("expect", "f", "--timezone", "UTC")
    #expect(zone.code == 2 && zone.errors.contains("cannot be read here; give --cron"), "\(zone)")
  }

  @Test func aHostLeavesToTheFleetWhatAnyHostMayLoad() throws {
    let line =
      #"{"event":"expectation","feed":"invoices","every_ns":3600000000000,"grace_ns":0,"anywhere":true,"since":"2026-10-01T00:00:00Z"}"#
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(line + "\n"))
    #expect(try place.loadlog("status", "--check") == Finished(code: 0, output: "", errors: ""))
    let told = place.folder.path + "/told"
    #expect(try place.loadlog("notify", "--once", "--on-change", "cat > \(told)").code == 0)
    #expect(!FileManager.default.fileExists(atPath: told))
    #expect(try !place.loadlog("export", "--format", "prometheus").output.contains("loadlog_late{"))
    let list = try place.loadlog("expect").output
    #expect(list.contains("every 1 h on any host"), "\(list)")
    #expect(list.contains("fine here; the fleet says if it is late"), "\(list)")
    let status = try place.loadlog("status").output
    let remark = "A success on any host is enough for 1 feed: invoices. Only loadlog status --fleet says"
    #expect(status.contains(remark), "\(status)")
    let expected = try place.status("invoices")["expectation"]
    #expect(expected["anywhere"].bool == true && expected["due"].isNull && expected["grace"].isNull)
    try place.loadlog("run", "invoices", "--", "false")
    #expect(try place.loadlog("status", "--check").output.hasPrefix("invoices: failing"))
    try place.loadlog("expect", "invoices", "--note", "ask Ann")
    #expect(try place.ask("expect", "invoices")["expectations"][0]["anywhere"].bool == true)
    try place.loadlog("expect", "invoices", "--no-anywhere")
    #expect(try place.ask("expect", "invoices")["expectations"][0]["anywhere"].bool == false)
    let check = try place.loadlog("status", "--check", "--late")
    #expect(check.code == 1 && check.output.hasPrefix("invoices: late"), "\(check)")
  }

  @Test func anExpectationThatIsNotThereCannotBeChanged() throws {
    #expect(try place.loadlog("expect", "f", "--clear").code == 3)
    for pattern in ["b*", "b1"] { try place.loadlog("expect", pattern, "--every", "1d") }
    for change in ["--clear", "--pause", "--resume"] {
      #expect(try place.loadlog("expect", "b?", change).errors.contains("List them with loadlog expect"))
      let answer = try place.loadlog("expect", "f", change)
      #expect(answer.code == 1 && answer.errors.contains("there is none"))
      let named = try place.loadlog("expect", "f", change, "--db", place.store)
      #expect(named.errors.contains("List them with loadlog expect --db \(place.store)."), "\(named)")
    }
  }

  @Test func aGraceLongerThanTheIntervalIsAllowedAndSaid() throws {
    let answer = try place.loadlog("expect", "f", "--every", "10m", "--grace", "1h")
    #expect(answer.code == 0 && answer.errors.contains("longer than its interval"))
    #expect(try place.loadlog("expect", "f", "--every", "1d").errors == "")
  }

  @Test func anExpectationTravelsInNDJSON() throws {
    try place.loadlog("expect", "backup/db", "--cron", "10 2 * * *", "--timezone", "Europe/Berlin")
    try place.loadlog(
      "expect", "b*", "--every", "1h", "--grace", "5m", "--max-failures", "3", "--anywhere", "--note", "n")
    let export = try place.loadlog("export")
    #expect(export.output.contains(#""event":"expectation","feed":"backup/db","cron":"10 2 * * *""#))
    #expect(export.output.split(separator: "\n").count { $0.contains(#""anywhere":true"#) } == 1)
    let again = try place.shell(
      "cd $HOME; loadlog export > f; loadlog import f --db new.db; loadlog import f --db new.db; loadlog export --db new.db"
    )
    #expect(again.output.hasSuffix(export.output), "\(again)")
    let invalid =
      #"{"event":"expectation","feed":"f","cron":"0 0 30 2 *","timezone":"UTC","since":"2026-01-01T00:00:00Z"}"#
    let file = try place.write(
      #"{"event":"push","at":"2026-01-01T00:00:00Z","feed":"g"}"# + "\n" + invalid + "\n", to: "bad")
    let rejected = try place.loadlog("import", file)
    #expect(rejected.code == 1 && rejected.output.contains("rejected 1"))
    #expect(rejected.errors.contains("line 2") && rejected.errors.contains("never due"), "\(rejected)")
  }
}

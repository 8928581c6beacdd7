import Foundation
import LoadLogCore
import Testing

/// Texts that more than one screen of the built program shows.
@Suite struct ScreenTextTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test func theReasonOfAnAbandonedLoadHasTheDurationThatHistoryShows() throws {
    try place.loadlog("push", "f")
    try place.loadlog("reset", "f")
    let history = try place.loadlog("history").output
    let took = try #require(history.firstMatch(of: /≥ (\S+ \S+)/), "\(history)").1
    #expect(try place.loadlog("unbalanced").output.contains("count reset after \(took) "))
    #expect(try place.loadlog("show", lastID()).output.contains("open at least \(took)\n"))
  }

  @Test func aCrashWithoutAnySignOfLifeHasNoDuration() throws {
    try place.loadlog("start", "f", "--owner-pid", "999999999")
    let history = try place.loadlog("history").output
    #expect(history.contains(/f +–  ! crashed/), "\(history)")
    #expect(try place.loadlog("show", lastID()).output.contains("open for an unknown time\n"))
  }

  @Test(.enabled("script is not installed") { Place.hasScript })
  func hintsNameNoTimeBeforeTheFirstLoad() throws {
    func shown(_ verb: String) throws -> String {
      try place.start(["script", "-qec", "loadlog \(verb)", "/dev/null"], input: .nothing).wait().output
    }
    try place.loadlog("run", "f", "--", "true")
    #expect(try !shown("status").contains("Look closer"))
    #expect(try shown("history").contains("Next: loadlog show "))
    let line = #"{"event":"start","at":"2020-10-12T18:00:00Z","feed":"f"}"# + "\n"
    try place.loadlog("import", "-", input: .text(line))
    for verb in ["status", "history", "history --limit 1"] {
      #expect(try shown(verb).contains("--at \"yesterday 14:05\""), "\(verb)")
    }
  }

  /// The date of a success is that of its recording, which is later than the end of its command.
  @Test func theNewestSuccessIsNotFollowedByItself() throws {
    try place.loadlog("run", "f", "--", "true")
    let id = try lastID()
    for _ in 0..<2 {
      let shown = try place.loadlog("show", id).output
      #expect(shown.contains("  then        no success since\n"), "\(shown)")
      try place.loadlog("run", "f", "--", "false")
    }
  }

  @Test func theNewestSuccessIsFoundAmongManyThatWereOpenMeanwhile() throws {
    let ids = try (0..<8).map { _ in
      try place.loadlog("start", "f").output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    try place.loadlog("finish", ids[1])
    try place.loadlog("finish", ids[0], "--cancelled")
    // As if the success had been recorded late.
    try place.sqlite("UPDATE feed SET last_updated = last_updated + 60000000")
    let shown = try place.loadlog("show", ids[0]).output
    #expect(shown.contains("  then        no success since\n"), "\(shown)")
  }

  @Test func aLoadThatBeganWhenAnotherEndedWasNotOpenMeanwhile() throws {
    var lines = ""
    for (number, (start, end)) in [("00", "05"), ("05", "10"), ("10", "10")].enumerated() {
      let id = #""id":"00000000-0000-4000-8000-00000000000\#(number)""#
      lines += #"{"event":"start","at":"2026-10-12T09:00:\#(start)Z",\#(id),"feed":"f"}"# + "\n"
      lines += #"{"event":"finish","at":"2026-10-12T09:00:\#(end)Z",\#(id)}"# + "\n"
    }
    #expect(try place.loadlog("import", place.write(lines, to: "loads.ndjson")).code == 0)
    for (number, next) in [1, 2, nil].enumerated() {
      let answer = try place.ask("show", "00000000-0000-4000-8000-00000000000\(number)")
      #expect(answer["meanwhile_count"].int == 0, "\(answer)")
      #expect(answer["next_success"]["id"].text?.last == next.map { Character("\($0)") }, "\(answer)")
    }
  }

  /// An import may bring such loads.
  @Test func ofLoadsThatStartedInTheSameMicrosecondOneWasTheFirst() throws {
    var lines = ""
    for number in 1...2 {
      let id = "00000000-0000-4000-8000-00000000000\(number)"
      lines += #"{"event":"start","at":"2026-10-12T18:00:00Z","feed":"f","id":"\#(id)"}"# + "\n"
      lines += #"{"event":"finish","at":"2026-10-12T18:00:01Z","id":"\#(id)"}"# + "\n"
    }
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(lines))
    #expect(try place.loadlog("show", "0000001").output.contains("; it was the first\n"))
    let second = try place.loadlog("show", "0000002").output
    #expect(second.contains("; the one before it succeeded at "), "\(second)")
  }

  @Test func theTimeThatHistoryShowsFindsItsLoad() throws {
    // In a zone where it is noon: after midnight the time would be one of the day to come.
    let hour = Int(Date.now.timeIntervalSince1970) / 3600 % 24
    place.environment["TZ"] = "NOON\(hour - 12)"
    try place.loadlog("run", "f", "--", "true")
    let history = try place.loadlog("history").output
    let started = try #require(history.firstMatch(of: /(\d\d:\d\d:\d\d)\s+f\s/), "\(history)").1
    #expect(try place.ask("history", "--at", String(started))["loads"].all.count == 1)
    // Other screens show the minute.
    #expect(try place.ask("history", "--at", String(started.dropLast(3)))["loads"].all.count == 1)
  }

  @Test func theDurationThatHistoryShowsFindsItsLoad() throws {
    let id = #""at":"2026-10-12T18:00:00Z","id":"00000000-0000-4000-8000-000000000001""#
    let lines =
      #"{"event":"start",\#(id),"feed":"f"}"# + "\n"
      + #"{"event":"finish",\#(id),"duration_ns":1895100000}"# + "\n"
    #expect(try place.loadlog("import", place.write(lines, to: "load.ndjson")).code == 0)
    #expect(try place.loadlog("history").output.contains(" 1.90 s "))
    #expect(try place.ask("history", "--min-duration", "1.90 s")["loads"].all.count == 1)
    #expect(try place.ask("history", "--min-duration", "1.91 s")["loads"].all.count == 0)
  }

  @Test func showKnowsTheFinishesThatUnbalancedLists() throws {
    try place.loadlog("pop", "f")
    let id = try #require(place.ask("unbalanced")["unbalanced"][0]["id"].text)
    let shown = try place.loadlog("show", String(id.suffix(7)))
    #expect(shown.code == 0 && shown.errors == "")
    #expect(shown.output.contains("count already 0  ") && shown.output.contains(id.suffix(7)))
    #expect(try place.ask("show", id)["unbalanced"][0]["kind"].text == "extra_pop")
    #expect(try place.loadlog("show", "0000000").code == 1)
  }

  @Test func repairSaysWhatItRecorded() throws {
    try place.loadlog("start", "f", "--owner-pid", "999999999")
    let finding = "1 load without a verdict is crashed"
    #expect(try place.loadlog("doctor").output.contains(finding))
    #expect(try place.loadlog("doctor", "--repair").output.contains("repaired: \(finding)"))
    #expect(try !place.loadlog("doctor", "--repair").output.contains(finding))
  }

  /// No process holds a lock on the files of a user, nor on what a killed process has left.
  @Test func aRepairDeletesNoFileOfTheUser() throws {
    _ = try place.begin("a")
    let left = ["-loadlog-draft-a1B2c3", "-loadlog-draft-a1B2c3-journal", "-loadlog-draft-d4E5f6-wal"]
    let own = ["-loadlog-draft-of-mine", "-owner-notes.txt", "-owner-anna", "-owner-anna-wal", "-new-backup"]
    for end in left + own { try place.shell("cp '\(place.store)' '\(place.store)\(end)'") }
    #expect(try place.loadlog("doctor").output.contains("3 files left behind"))
    #expect(try place.loadlog("doctor", "--repair").output.contains("repaired: 3 files left behind"))
    func isThere(_ end: String) -> Bool { FileManager.default.fileExists(atPath: place.store + end) }
    #expect(left.filter(isThere) == [] && own.filter(isThere) == own)
    try place.expectRunning("a")
  }

  @Test func aRepairLeavesADraftThatIsBeingWritten() throws {
    _ = try place.begin("a")
    let draft = try DraftFile(for: place.store, what: "cannot write")
    for option in [[], ["--repair"]] {
      #expect(try place.loadlog(["doctor"] + option).output.contains("no locks or drafts left behind"))
    }
    #expect(FileManager.default.fileExists(atPath: draft.path))
    draft.discard()
  }

  /// The id of the newest load.
  private func lastID() throws -> String {
    try #require(place.ask("history", "--limit", "1")["loads"][0]["id"].text)
  }
}

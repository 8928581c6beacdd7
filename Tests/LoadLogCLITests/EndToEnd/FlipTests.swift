import Foundation
import Testing

/// `history --flips`, and flips in exports and imports.
@Suite struct FlipTests {
  private let place: Place

  init() throws {
    place = try Place()
    var lines = ""
    func flip(_ feed: String, _ at: String, _ from: String, _ to: String, _ more: String = "") {
      lines +=
        #"{"event":"flip","at":"\#(at)","feed":"\#(feed)","from":"\#(from)","to":"\#(to)","since":"\#(at)"\#(more)}"#
        + "\n"
    }
    flip(
      "db", "2026-09-30T23:00:00Z", "fine", "late",
      #","reason":"late: due 22:00","last_success":"2026-09-29T22:00:00Z""#)
    flip("db", "2026-10-01T01:00:00Z", "late", "fine", #","down_ns":7200000000000,"missed":1"#)
    flip(
      "db", "2026-10-05T00:00:00Z", "fine", "failing", #","reason":"failing: exit 2","call_site":"a.sh:3""#)
    flip("db", "2026-10-05T01:00:00Z", "failing", "overrunning")
    flip("db", "2026-10-05T02:00:00Z", "overrunning", "fine", #","down_ns":7200000000000,"missed":0"#)
    flip("ui", "2026-10-06T00:00:00Z", "fine", "unbalanced")
    let answer = try place.loadlog("import", "-", "--format", "ndjson", input: .text(lines))
    try #require(answer.output == "imported 0 loads and 6 flips; skipped 0, rejected 0\n", "\(answer)")
  }

  @Test func flipsAreListedNewestFirstWithOutagesByMonth() throws {
    let text = try place.loadlog("history", "--flips").output
    let lines = text.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
    #expect(lines[0] == ["NOTICED", "FEED", "FROM", "TO", "WHY"])
    #expect(lines[1].suffix(3) == ["ui", "fine", "unbalanced"])
    #expect(text.contains("overrunning  fine         down for 2 h 0 m"), "\(text)")
    #expect(text.contains("late         fine         down for 2 h 0 m, 1 due time missed"), "\(text)")
    #expect(
      lines.suffix(3).map { $0.joined(separator: " ") } == [
        "MONTH FEED OUTAGES DOWN", "2026-10 db 2 3 h 0 m", "2026-09 db 1 1 h 0 m",
      ])
  }

  @Test func outagesAreThoseOfAllTimeWhateverTheWindow() throws {
    func outages(_ window: String...) throws -> [[Double?]] {
      let answer = try place.loadlog(["history", "db", "--flips", "--json"] + window)
      return try Answer(answer.output)["outages"].all.map { [$0["outages"].number, $0["down"].number] }
    }
    try place.loadlog("run", "db", "--", "true")
    #expect(try outages() == [[2, 10_800], [1, 3600]])
    #expect(try outages("--since", "2026-10-05T00:30:00Z") == outages())
    #expect(try outages("--until", "2026-10-05T00:30:00Z") == outages())
  }

  @Test func anImportedFlipFromBeforeIsNotTheNewest() throws {
    try place.loadlog("run", "db", "--", "true")
    let line =
      #"{"event":"flip","at":"2026-10-05T01:30:00Z","feed":"db","from":"overrunning","to":"late","since":"2026-10-05T01:30:00Z"}"#
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(line + "\n"))
    try place.loadlog("notify", "--once", "--on-change", "cat > /dev/null", "db")
    #expect(try place.ask("history", "db", "--flips")["flips"].all.count == 6)
    #expect(try place.loadlog("status", "ui").code == 1, "a flip alone makes no feed known")
  }

  @Test func feedsAndWindowsSelectFlips() throws {
    for feed in ["db", "ui"] { try place.loadlog("run", feed, "--", "true") }
    #expect(try place.ask("history", "ui", "--flips")["flips"].all.count == 1)
    let some = try place.ask("history", "--flips", "--since", "2026-10-05T01:00:00Z", "--limit", "1")
    #expect(some["total"].int == 3 && some["flips"].all.map(\.["to"].text) == ["unbalanced"])
    #expect(
      try place.loadlog("history", "--flips", "--limit", "2").output.contains("2 of 6 flips, newest first."))
    let flip = try place.ask("history", "db", "--flips")["flips"][2]
    #expect(flip["call_site"].text == "a.sh:3" && flip["down"].isNull && flip["from"].text == "fine")
    #expect(try place.loadlog("history", "--flips", "--state", "failed").code == 2)
  }

  @Test func anOutageThatGoesOnIsCountedToNow() throws {
    try place.loadlog("run", "down", "--", "false")
    try place.loadlog("notify", "--once", "--on-change", "cat > /dev/null", "down")
    let outage = try place.ask("history", "down", "--flips")["outages"][0]
    #expect(outage["outages"].int == 1 && outage["open"].bool == true)
    #expect(try #require(outage["down"].number) > 0)
    #expect(try place.loadlog("history", "down", "--flips").output.hasSuffix(" +\n"))
  }

  @Test func flipsSurviveAnExportAndARepeatedImport() throws {
    let export = try place.loadlog("export").output
    #expect(export.split(separator: "\n").count { $0.contains(#""event":"flip""#) } == 6)
    let again = try place.shell(
      "cd $HOME; loadlog export > f; loadlog import f --db new.db; loadlog import f --db new.db; loadlog export --db new.db"
    )
    #expect(again.output.contains("skipped 6, rejected 0") && again.output.hasSuffix(export), "\(again)")
    #expect(try place.loadlog("doctor").code == 0)
  }

  @Test(
    arguments: [
      (#""from":"fine","to":"broken""#, #"to "broken" is not a state of a feed"#),
      (#""from":"fine","to":"fine""#, "from and to are the same"), (#""from":"fine""#, "to is missing"),
      (#""from":"fine","to":"late","down_ns":-1"#, "down_ns or missed is negative"),
    ])
  func anInvalidFlipIsRejectedWithItsLine(_ fields: String, _ text: String) throws {
    let line =
      #"{"event":"flip","at":"2026-10-06T00:00:00Z","feed":"x","since":"2026-10-06T00:00:00Z",\#(fields)}"#
    let answer = try place.loadlog("import", "-", "--format", "ndjson", input: .text(line + "\n"))
    #expect(
      answer.code == 1 && answer.errors.contains("line 1") && answer.errors.contains(text), "\(answer.errors)"
    )
  }

  @Test func withoutFlipsThereIsAHint() throws {
    try place.loadlog("run", "quiet", "--", "true")
    #expect(try place.loadlog("history", "quiet", "--flips").output == "no flips\n")
  }
}

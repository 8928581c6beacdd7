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
    let text = try place.loadlog("history", "--flips").output.withoutYears
    let lines = text.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
    #expect(lines[0] == ["NOTICED", "FEED", "FROM", "TO", "SINCE", "WHY"])
    #expect(lines[1].dropFirst(3).prefix(3) == ["ui", "fine", "unbalanced"])
    func ending(_ words: String) -> Bool { lines.contains { $0.joined(separator: " ").hasSuffix(words) } }
    #expect(ending("overrunning fine 05 Oct 02:00 down for 2 h 0 m"), "\(text)")
    #expect(ending("late fine 01 Oct 01:00 down for 2 h 0 m, 1 due time missed"), "\(text)")
    #expect(
      lines.suffix(3).map { $0.joined(separator: " ") } == [
        "MONTH FEED OUTAGES DOWN", "2026-10 db 2 3 h 0 m", "2026-09 db 1 1 h 0 m",
      ])
  }

  @Test func outagesAreThoseOfTheWholeMonthsThatTheWindowTouches() throws {
    func outages(_ window: String...) throws -> [[Double?]] {
      let answer = try place.loadlog(["history", "db", "--flips", "--json"] + window)
      return try Answer(answer.output)["outages"].all.map { [$0["outages"].number, $0["down"].number] }
    }
    try place.loadlog("run", "db", "--", "true")
    #expect(try outages() == [[2, 10_800], [1, 3600]])
    #expect(try outages("--since", "2026-10-05T00:30:00Z") == [[2, 10_800]])
    #expect(try outages("--until", "2026-10-05T00:30:00Z") == outages())
    #expect(try outages("--until", "2026-09-30T23:30:00Z") == [[1, 3600]])
    #expect(try outages("--since", "2026-11-01") == [])
  }

  /// A problem that returns after a change of its expectation keeps its old beginning.
  @Test func noMomentOfAnOutageCountsTwice() throws {
    var lines = ""
    for (day, from, to, since, down) in [
      (2, "fine", "late", 2, nil), (3, "late", "fine", 3, 1), (4, "fine", "late", 2, nil),
      (5, "late", "fine", 5, nil),
    ] as [(Int, String, String, Int, Int?)] {
      let rest = down.map { #","down_ns":\#($0 * 86_400)000000000"# } ?? ""
      lines +=
        #"{"event":"flip","at":"2026-11-0\#(day)T02:00:00Z","feed":"api","from":"\#(from)","to":"\#(to)","since":"2026-11-0\#(since)T02:00:00Z"\#(rest)}"#
        + "\n"
    }
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(lines))
    let outages = try place.ask("history", "--flips", "--since", "2026-11-01")["outages"]
    #expect(outages.all.count == 1 && outages[0]["outages"].int == 2, "\(outages)")
    #expect(outages[0]["down"].number == 259_200.0)
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
    let later = try place.loadlog("history", "down", "--flips", "--since", "now").output
    #expect(later.hasPrefix("no flips\n\nMONTH ") && later.hasSuffix(" +\n"), "\(later)")
  }

  @Test func anOutageOfMonthsKeepsItsBeginning() throws {
    func flip(_ days: Double, _ from: String, _ to: String) -> String {
      let at = Date.now.addingTimeInterval(-days * 86_400).formatted(.iso8601)
      return #"{"event":"flip","at":"\#(at)","feed":"api","from":"\#(from)","to":"\#(to)","since":"\#(at)"}"#
        + "\n"
    }
    let lines = flip(120, "fine", "failing") + flip(100, "failing", "late")
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(lines))
    for (feed, command) in [("other", "false"), ("api", "true")] {
      try place.loadlog("run", feed, "--", command)
      try place.loadlog("notify", "--once", "--on-change", "cat > /dev/null", feed)
    }
    let flip = try place.ask("history", "api", "--flips")["flips"][0]
    #expect(flip["to"].text == "fine")
    #expect(try #require(flip["down"].number) > 119 * 86_400)
  }

  /// An outage is kept or deleted as a whole; the months are those of the outages of which everything is kept.
  @Test(
    arguments: [
      (nil, ["api": 3, "edge": 3, "ui": 2], 1), ("30d", ["api": 3, "edge": 3, "ui": 2], 1),
      ("150d", ["api": 5, "edge": 4, "ui": 3], 2), ("all", ["api": 6, "edge": 4, "ui": 3], 3),
    ] as [(String?, [String: Int], Int)])
  func flipsAreKeptAsLongAsLoadsAndAtLeastNinetyDays(
    keep: String?, kept: [String: Int], days: Int
  ) throws {
    try place.sqlite("DELETE FROM feed_flip")
    let now = Date.now
    func flip(_ feed: String, _ days: Double, _ from: String, _ to: String) -> String {
      let at = now.addingTimeInterval(-days * 86_400).formatted(.iso8601)
      return
        #"{"event":"flip","at":"\#(at)","feed":"\#(feed)","from":"\#(from)","to":"\#(to)","since":"\#(at)"}"#
        + "\n"
    }
    func outage(_ feed: String, from start: Double, to end: Double) -> String {
      flip(feed, start, "fine", "late") + flip(feed, end, "late", "fine")
    }
    let lines =
      outage("api", from: 180, to: 179) + outage("api", from: 100, to: 99) + outage("api", from: 40, to: 39)
      + outage("edge", from: 120, to: 119) + outage("edge", from: 91, to: 89)
      + outage("ui", from: 130, to: 129) + flip("ui", 120, "fine", "unbalanced")
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(lines))
    if let keep { try place.loadlog("prune", "--keep", keep, "--by-default") }
    try place.loadlog("run", "other", "--", "false")
    try place.loadlog("notify", "--once", "--on-change", "cat > /dev/null", "other")
    let answer = try place.ask("history", "--flips", "--limit", "all")
    let feeds = answer["flips"].all.compactMap(\.["feed"].text)
    for (feed, count) in kept { #expect(feeds.count { $0 == feed } == count, "\(feed)") }
    let down = answer["outages"].all.filter { $0["feed"].text == "api" }.compactMap(\.["down"].number)
    #expect(down.reduce(0, +) == Double(days) * 86_400)
  }

  /// It does not look like a month without outages.
  @Test func aMonthOfWhichChangesWereDeletedIsLeftOut() throws {
    try place.sqlite("DELETE FROM feed_flip")
    var lines = ""
    for (feed, at, from, to) in [
      ("cut", "2026-08-03", "late", "fine"), ("cut", "2026-08-10", "fine", "late"),
      ("cut", "2026-08-11", "late", "fine"), ("cut", "2026-09-30", "fine", "late"),
      ("cut", "2026-10-02", "late", "fine"), ("within", "2026-08-20", "late", "failing"),
      ("within", "2026-09-02", "failing", "fine"),
    ] {
      let time = "\(at)T00:00:00Z"
      lines +=
        #"{"event":"flip","at":"\#(time)","feed":"\#(feed)","from":"\#(from)","to":"\#(to)","since":"\#(time)"}"#
        + "\n"
    }
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(lines))
    let answer = try place.ask("history", "--flips")
    let outages = answer["outages"].all
    #expect(outages.map(\.["month"].text) == ["2026-10", "2026-09", "2026-09"])
    #expect(outages.map(\.["feed"].text) == ["cut", "cut", "within"])
    #expect(outages.map(\.["down"].number) == [86_400, 86_400, 86_400])
    #expect(answer["incomplete"].all.map(\.["feed"].text) == ["cut", "within"])
    #expect(answer["incomplete"].all.map(\.["before"].text) == ["2026-09", "2026-09"])
    let missing = "\nOutages before 2026-09 may be missing: changes of cut and within were deleted.\n"
    for window in [[], ["--since", "2026-08-01", "--until", "2026-09-01"], ["--until", "2026-08-01"]] {
      let text = try place.loadlog(["history", "--flips"] + window).output
      #expect(text.hasSuffix(missing), "\(text)")
    }
    let known = try place.ask("history", "--flips", "--since", "2026-09-01")
    #expect(known["outages"].all.count == 3 && known["incomplete"].all.isEmpty)
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
      (#""from":"late","to":"fine","down_ns":9000000000000000000"#, "does not fit between 1970 and at"),
      (#""from":"late","to":"fine","missed":9000000000"#, "does not fit between 1970 and at"),
      (#""from":"fine","to":"late","missed":0"#, "down_ns or missed in a flip that ends no outage"),
      (#""from":"fine","to":"late","since":"2026-10-06T00:00:00.001Z""#, "since is later than at"),
    ])
  func anInvalidFlipIsRejectedWithItsLine(_ fields: String, _ text: String) throws {
    let since = fields.contains("since") ? "" : #","since":"2026-10-06T00:00:00Z""#
    let line = #"{"event":"flip","at":"2026-10-06T00:00:00Z","feed":"x"\#(since),\#(fields)}"#
    let answer = try place.loadlog("import", "-", "--format", "ndjson", input: .text(line + "\n"))
    #expect(
      answer.code == 1 && answer.errors.contains("line 1") && answer.errors.contains(text), "\(answer.errors)"
    )
  }

  @Test func onlyFlipsAreExportedOnRequest() throws {
    let lines = try place.loadlog("export", "--flips").output
    #expect(lines.split(separator: "\n").allSatisfy { $0.hasPrefix(#"{"event":"flip","#) })
    #expect(
      try place.loadlog("import", "-", "--db", "\(place.folder.path)/other.db", input: .text(lines)).output
        .contains("6 flips"))
    let table = try place.loadlog(
      "export", "--flips", "--since", "2026-10-05", "--until", "2026-10-05T01:30:00Z", "--format", "csv")
    #expect(
      table.output == """
        feed,at,from,to,since,reason,call_site,down,missed\r
        db,2026-10-05T00:00:00.000Z,fine,failing,2026-10-05T00:00:00.000Z,failing: exit 2,a.sh:3,,\r
        db,2026-10-05T01:00:00.000Z,failing,overrunning,2026-10-05T01:00:00.000Z,,,,\r

        """)
    let fine = try place.loadlog("export", "--flips", "--until", "2026-10-01T02:00:00Z", "--format", "csv")
    #expect(
      fine.output.hasSuffix("db,2026-10-01T01:00:00.000Z,late,fine,2026-10-01T01:00:00.000Z,,,7200,1\r\n"))
    let none = try place.loadlog("export", "--flips", "--until", "2001-01-01", "--format", "csv").output
    #expect(none == "feed,at,from,to,since,reason,call_site,down,missed\r\n")
    for format in ["otlp", "chrome-trace", "sqlite"] {
      #expect(try place.loadlog("export", "--flips", "--format", format, "-o", "x").code == 2)
    }
    #expect(try place.loadlog("export", "--flips", "--with-output").code == 2)
  }

  /// A feed without loads disappears with its expectation.
  @Test func theFlipsOfAFeedWithoutLoadsAreListedAndExported() throws {
    #expect(try place.ask("history", "db", "--flips")["flips"].all.count == 5)
    let export = try place.loadlog("export", "db", "--flips")
    #expect(export.code == 0 && export.output.split(separator: "\n").count == 5, "\(export)")
    for verb in ["history", "export"] {
      let answer = try place.loadlog(verb, "dc", "--flips")
      #expect(answer.code == 1 && answer.errors.contains("no feed with this name is recorded"), "\(answer)")
      let second = try place.loadlog(verb, "db", "dc", "--flips")
      #expect(second.code == 1 && second.errors.contains("feed \"dc\""), "\(second)")
    }
  }

  @Test func withoutFlipsThereIsAHint() throws {
    try place.loadlog("run", "quiet", "--", "true")
    #expect(try place.loadlog("history", "quiet", "--flips").output == "no flips\n")
  }
}

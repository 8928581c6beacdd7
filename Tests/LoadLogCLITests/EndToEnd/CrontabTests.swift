import Foundation
import TestProcesses
import Testing

/// Expectations read from a crontab, and those that the record suggests.
@Suite struct CrontabTests {
  private let place: Place

  init() throws { place = try Place() }

  /// The expectations in the store: feed, cron expression and zone.
  private func expected() throws -> [[String]] {
    try place.ask("expect")["expectations"].all.map {
      [$0["pattern"].text ?? "", $0["cron"].text ?? "", $0["timezone"].text ?? ""]
    }
  }

  @Test func schedulesOfRunLinesBecomeExpectations() throws {
    let file = try place.write(
      #"""
      # m h dom mon dow   command
      MAILTO=ops@example.org
      CRON_TZ = "America/New_York"
      10 2 * * *  root  /usr/local/bin/loadlog run 'backup/my db' --keep-stderr -- pg_dump app | gzip > /b/$(date +\%F).gz
      CRON_TZ=Europe/Berlin
      	@hourly   nice loadlog run -m "All; feeds" feeds/news -- fetch % loadlog run input
      */5 * * * * cd /srv && test -e on && loadlog run sync -- ./sync; true
      0 3 * * * pg_dump other # loadlog run comment
      0 4 * * * cat % loadlog run input
      -5 4 * * 0 loadlog run dump -- dump && loadlog run check -- check
      CRON_TZ=
      0 9 * * * loadlog run here -- x
      """#, to: "crontab")
    let answer = try place.loadlog("expect", "--crontab", file)
    #expect(answer.code == 0 && answer.errors == "")
    #expect(
      try expected() == [
        ["backup/my db", "10 2 * * *", "America/New_York"], ["check", "5 4 * * 0", "Europe/Berlin"],
        ["dump", "5 4 * * 0", "Europe/Berlin"], ["feeds/news", "@hourly", "Europe/Berlin"],
        ["here", "0 9 * * *", "UTC"], ["sync", "*/5 * * * *", "Europe/Berlin"],
      ])
  }

  @Test func linesThatOnlyTheShellUnderstandsAreLeftOut() throws {
    let crontab = """
      1 0 * * * LOADLOG_DB=$HOME/a.db loadlog run a -- x
      2 0 * * * loadlog run 'b*' -- x
      3 0 * * * loadlog run $C -- x
      4 0 * * * loadlog run d -- x && loadlog run d -- y

      """
    let answer = try place.loadlog("expect", "--crontab", "-", input: .text(crontab))
    #expect(
      answer.errors == """
        loadlog: line 1: the shell computes the path of the store "$HOME/a.db"; expect the feed yourself, with --db.
        loadlog: line 2: "b*" would be a pattern; expect takes no feed of this name.
        loadlog: line 3: the shell computes the name of the feed "$C"; expect it by its name yourself.

        """)
    #expect(try expected().map(\.[0]) == ["d"])
  }

  @Test func linesAreReadAsTheShellAndRunReadThem() throws {
    let crontab = #"""
      1 0 * * * loadlog run "a\b\"c" -- x
      2 0 * * * loadlog run --message= c -- x
      3 0 * * * loadlog run --help

      """#
    let answer = try place.loadlog("expect", "--crontab", "-", input: .text(crontab))
    #expect(answer.code == 0 && answer.errors == "", "\(answer.errors)")
    #expect(try expected().map(\.[0]) == [#"a\b"c"#, "c"])
  }

  @Test func linesThatRecordInAnotherStoreAreLeftOut() throws {
    let crontab = """
      1 0 * * * loadlog run a --db /srv/a.db -- x
      2 0 * * * LOADLOG_DB='/srv/b x.db' loadlog run b -- x
      3 0 * * * sh -c "loadlog run c -- x"
      LOADLOG_DB=/srv/d.db
      4 0 * * * loadlog run d -- x
      5 0 * * * loadlog run e --db \(place.store) -- x

      """
    let answer = try place.loadlog("expect", "--crontab", "-", input: .text(crontab))
    #expect(
      answer.errors == """
        loadlog: line 1: it records in another store; add --db /srv/a.db to read the crontab for that one.
        loadlog: line 2: it records in another store; add --db '/srv/b x.db' to read the crontab for that one.
        loadlog: line 3: a command within quotes calls loadlog run; set the expectation of its feed yourself.
        loadlog: line 5: it records in another store; add --db /srv/d.db to read the crontab for that one.

        """)
    #expect(try expected().map(\.[0]) == ["e"])
    let other = try place.loadlog(
      "expect", "--crontab", "-", "--dry-run", "--db", "/srv/a.db", input: .text(crontab))
    #expect(other.output == "loadlog expect a --cron '1 0 * * *' --timezone UTC --db /srv/a.db\n")
  }

  @Test func linesWhoseStoreHasNoNameAreLeftOut() throws {
    let crontab = """
      1 0 * * * loadlog run a --db '' -- x
      LOADLOG_DB=
      2 0 * * * loadlog run b -- x
      3 0 * * * loadlog run c --db \(place.store) -- x

      """
    let answer = try place.loadlog("expect", "--crontab", "-", input: .text(crontab))
    let why = "its store has no name, so it records nothing; name one in $LOADLOG_DB or --db."
    #expect(answer.errors == "loadlog: line 1: \(why)\nloadlog: line 3: \(why)\n")
    #expect(try expected().map(\.[0]) == ["c"])
  }

  @Test func aDryRunPrintsCommandsThatDoTheSame() throws {
    let crontab = "10 2 * * * loadlog run 'my db' --keep-output -- dump\n5 * * * * loadlog run sync -- sync\n"
    let dry = try place.loadlog("expect", "--crontab", "-", "--dry-run", input: .text(crontab))
    #expect(
      dry.output == """
        loadlog expect 'my db' --cron '10 2 * * *' --timezone UTC
        loadlog expect sync --cron '5 * * * *' --timezone UTC

        """)
    #expect(!FileManager.default.fileExists(atPath: place.store))
    #expect(try place.shell(dry.output).code == 0)
    let set = try expected()
    try place.loadlog("expect", "--crontab", "-", input: .text(crontab))
    #expect(try expected() == set && set.count == 2)
  }

  @Test(
    arguments: [
      ("@reboot loadlog run f -- x", "line 2: @reboot has no due times."),
      (
        "0 1 * * * loadlog run \"$FEED\" -- x",
        "line 2: the shell computes the name of the feed \"$FEED\"; expect it by its name yourself."
      ),
      (
        "0 1 * * * loadlog run sync -- x",
        "line 2: sync has the schedule of line 1; a feed can have only one."
      ),
      ("0 1 * * * loadlog run --bogus f -- x", "line 2: Unknown option '--bogus'"),
      ("0 0 L * * loadlog run f -- x", "line 2: cron expression \"0 0 L * *\""),
      ("0 0 31 2 * loadlog run f -- x", "line 2: cron expression \"0 0 31 2 *\": it is never due"),
      (
        "CRON_TZ=Mars/Olympus\n0 0 * * * loadlog run f -- x",
        "line 3: time zone \"Mars/Olympus\""
      ),
      ("0 0 * * * loadlog run ' f' -- x", "line 2: feed name \" f\""),
    ])
  func whatIsLeftOutIsSaid(_ line: String, _ text: String) throws {
    let crontab = "5 * * * * loadlog run sync -- sync\n\(line)\n"
    let answer = try place.loadlog("expect", "--crontab", "-", input: .text(crontab))
    #expect(
      answer.code == 0 && answer.errors.contains(text) && answer.errors.split(separator: "\n").count == 1,
      "\(answer.errors)")
    #expect(try expected() == [["sync", "5 * * * *", "UTC"]])
  }

  /// `run` records no load of such a feed, which would be late for ever.
  @Test func aFeedThatIsNotUTF8IsLeftOut() throws {
    let answer = try place.shell(
      #"printf '0 1 * * * loadlog run \377 -- x\n' | loadlog expect --crontab -"#)
    #expect(answer.code == 1 && answer.errors.contains("line 1: the feed"), "\(answer.errors)")
    #expect(!FileManager.default.fileExists(atPath: place.store))
  }

  @Test func aCrontabOfWhichNoLineCanBeUsedIsNotSaidToHaveNone() throws {
    let answer = try place.loadlog(
      "expect", "--crontab", "-", input: .text("0 0 L * * loadlog run f -- x\n"))
    #expect(answer.code == 1 && answer.errors.hasPrefix("loadlog: line 1: cron expression"))
    #expect(answer.errors.hasSuffix("\nloadlog: no expectation was set\n"), "\(answer.errors)")
  }

  @Test func aCrontabWithoutRunLinesIsSaidToHaveNone() throws {
    let answer = try place.loadlog("expect", "--crontab", "-", input: .text("0 3 * * * pg_dump other\n"))
    #expect(answer.code == 1 && answer.errors.contains("no line calls loadlog run"), "\(answer.errors)")
    let missing = try place.loadlog("expect", "--crontab", "\(place.folder.path)/none")
    #expect(missing.code == 2 && missing.errors.contains("No such file"), "\(missing.errors)")
  }

  @Test func learnedRhythmsAreSuggestedAsCommands() throws {
    // Nights with a burst of loads each, hourly loads by day, loads at any time, a feed with too few, and one whose name
    // is a pattern.
    var lines = ""
    func load(_ feed: String, _ time: String) {
      let id = UUID().uuidString.lowercased()
      lines += #"{"event":"start","at":"\#(time)","feed":"\#(feed)","id":"\#(id)"}"# + "\n"
      lines += #"{"event":"finish","at":"\#(time)","id":"\#(id)","verdict":"succeeded"}"# + "\n"
    }
    for day in 10...15 {
      for minute in 10...29 { load("night ly", "2026-11-\(day)T02:\(minute):00Z") }
      for hour in 10...22 { load("often", "2026-11-\(day)T\(hour):0\(hour % 3):00Z") }
      for feed in ["star*", "-dash"] { load(feed, "2026-11-\(day)T12:00:00Z") }
    }
    var dice = SplitMix64(seed: 7)
    for _ in 0..<200 {
      let minute = Int.random(in: 0..<6 * 24 * 60, using: &dice)
      let time = Date(timeIntervalSince1970: 1_794_268_800 + Double(60 * minute)).ISO8601Format()
      load("any time", time)
    }
    load("once", "2026-11-10T00:00:00Z")
    try place.loadlog("import", "--format", "ndjson", "-", input: .text(lines))
    let answer = try place.loadlog("expect", "--suggest")
    #expect(
      answer.output == """
        loadlog expect 'night ly' --every 1d
        loadlog expect often --every 1h

        """, "\(answer.errors)")
    let named = try place.loadlog("expect", "--suggest", "--db", place.store)
    // In a shell that has another store by default.
    #expect(try place.shell("export LOADLOG_DB=$HOME/other.db\n\(named.output)").code == 0, "\(named)")
    #expect(try place.loadlog("expect", "--suggest").output == "", "what has an expectation needs no other")
  }
}

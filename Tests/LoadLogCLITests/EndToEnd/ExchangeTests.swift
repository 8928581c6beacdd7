import Foundation
import TestProcesses
import Testing

/// `import` and `export`, run as programs.
@Suite struct ExchangeTests {
  private let place: Place

  init() throws { place = try Place() }

  @Test(arguments: RealInput.files)
  func realFilesHaveTheCountsOfAnIndependentScript(input: RealInput) throws {
    let file = try input.url().path
    let script =
      switch input.format {
      case "har": ["har_loads.py", file, "host"]
      case "otlp": ["otlp_loads.py", file, "name"]
      default: ["trace_loads.py", file, "0", "name"]
      }
    let path = TestPlaces.package.appending(path: "Tests/Scripts/\(script[0])").path
    let expected = try place.start(["python3", path] + script.dropFirst()).wait().output
      .split(separator: "\n").filter { $0.hasPrefix("count ") }
    #expect(try place.loadlog("import", file).code == 0)
    var counts: [String] = []
    for feed in try place.ask("status")["feeds"].all {
      for state in ["succeeded", "unchanged", "failed", "cancelled", "ended"] {
        if let count = feed[state].int, count > 0 {
          counts.append("count \(count) \(state) \(feed["feed"].text ?? "")")
        }
      }
      if let count = feed["unbalanced"]["abandoned"].int, count > 0 {
        counts.append("count \(count) abandoned \(feed["feed"].text ?? "")")
      }
    }
    #expect(!expected.isEmpty)
    #expect(Set(counts) == Set(expected.map(String.init)))
    let again = try place.loadlog("import", file)
    #expect(again.output.hasPrefix("imported 0 loads; skipped ") && again.output.hasSuffix(", rejected 0\n"))
    #expect(try place.loadlog("doctor").code == 0)
  }

  @Test
  func ndjsonComesBackFromAnotherStoreAsTheSameBytes() throws {
    // Choose the time that the trace's times count from: old enough to be pruned, young enough for the retention.
    let old = Date(timeIntervalSinceNow: -60 * 86400).ISO8601Format()
    for input in RealInput.files {
      let epoch = input.format == "chrome-trace" ? ["--epoch", old] : []
      #expect(try place.loadlog(["import", input.url().path] + epoch).code == 0)
    }
    try place.loadlog("start", "a b", "--detached", "-m", "line\nbreak \u{202E}")
    try place.loadlog("push", "net", "--detached")
    try place.loadlog("pop", "net")
    try place.loadlog("pop", "net")
    try place.loadlog("finish", "00000000-0000-4000-8000-000000000001")
    try place.loadlog("push", "reset", "--detached")
    try place.loadlog("push", "reset", "--detached")
    try place.loadlog("reset", "reset")
    try place.loadlog("pop", "reset")
    for feed in ["crashed", "late"] {
      let script = try place.script("loadlog start \(feed) --owner-pid $$; read -r end")
      let id = try script.line()
      try script.killAndReap()
      try place.loadlog("doctor", "--repair")
      if feed == "late" { #expect(try place.loadlog("finish", id, "--failed", "--reason", "late").code == 0) }
    }
    try place.loadlog("unbalanced", "--ack", "--all", "-m", "seen")
    let pruned = try place.loadlog("prune", "--older-than", "30d")
    #expect(pruned.code == 0 && !pruned.output.hasPrefix("Nothing"))
    _ = try place.begin("running", "-m", "running", "--tag", "t")
    let first = try place.loadlog("export")
    #expect(first.code == 0 && first.errors == "")
    for word in [
      #""verdict":"crashed""#, #""finished_after_verdict":true"#, #""event":"acknowledged""#,
      #""event":"sealed_day""#,
      #""kind":"extra_pop""#, #""kind":"orphan_finish""#, #""forgiven":true"#, #""kind":"pop_after_reset""#,
    ] { #expect(first.output.contains(word), "\(word) is not among the lines") }
    let file = try place.write(first.output, to: "first.ndjson")
    let copied = try place.loadlog("import", file, "--db", place.folder.path + "/copy.db")
    #expect(copied.code == 0 && copied.output.hasSuffix(" skipped 0, rejected 0\n"))
    #expect(try place.loadlog("export", "--db", place.folder.path + "/copy.db").output == first.output)
    let piped = try place.shell(
      "loadlog export | loadlog import - --format ndjson --db '\(place.folder.path)/piped.db' -q")
    #expect(piped.code == 0)
    #expect(try place.loadlog("export", "--db", place.folder.path + "/piped.db").output == first.output)
    let guessed = try place.shell("loadlog export | loadlog import - --db '\(place.folder.path)/guessed.db'")
    #expect(guessed.code == 0, "the first line tells the format")
    let copy = ["--db", place.folder.path + "/copy.db"]
    #expect(
      try place.loadlog(["pop", "reset"] + copy).code == 0, "the copy forgives what the store would have")
    #expect(try place.loadlog(["pop", "reset"] + copy).code == 1)
    #expect(try place.loadlog(["doctor"] + copy).code == 0)
  }

  @Test(arguments: ["chrome-trace", "otlp"])
  func tracesAndCSVHaveTheCountsOfTheStore(format: String) throws {
    for input in RealInput.files { try place.loadlog("import", input.url().path) }
    let loads = try place.ask("status")["totals"]["loads"].int
    let file = place.folder.path + "/out." + format
    #expect(
      try place.loadlog("export", "--format", format, "-o", file) == Finished(code: 0, output: "", errors: "")
    )
    let copy = place.folder.path + "/copy.db"
    #expect(try place.loadlog("import", file, "--db", copy).code == 0)
    let (mine, theirs) = (try place.ask("status")["totals"], try place.ask("status", "--db", copy)["totals"])
    for key in ["loads", "succeeded", "failed", "unchanged"] {
      #expect(mine[key].int == theirs[key].int, "\(key)")
    }
    #expect(mine["duration"]["count"].int == theirs["duration"]["count"].int)
    let sums = (try #require(mine["duration"]["sum"].number), try #require(theirs["duration"]["sum"].number))
    #expect(abs(sums.0 - sums.1) < 1e-6 * Double(loads ?? 0))
    let rows = try place.loadlog("export", "--format", "csv").output.split(whereSeparator: \.isNewline)
    #expect(rows.count == (loads ?? 0) + 1)
  }

  @Test(arguments: ["chrome-trace", "otlp"])
  func eachLoadComesBackFromATraceUnchanged(format: String) throws {
    let id = try place.begin("own", "-m", "m", "--tag", "t", "--call-site", "a.sh:1")
    try place.loadlog("finish", id, "--failed", "--reason", "r")
    try place.loadlog("run", "own", "--", "true")
    try place.loadlog("push", "own", "--detached")
    try place.loadlog("push", "own", "--detached")
    try place.loadlog("pop", "own")
    let script = try place.script("loadlog start own --owner-pid $$; read -r end")
    _ = try script.line()
    try script.killAndReap()
    for input in RealInput.files { try place.loadlog("import", input.url().path) }
    let file = place.folder.path + "/out." + format
    #expect(try place.loadlog("export", "--format", format, "-o", file).code == 0)
    #expect(try place.loadlog("import", file, "--db", place.folder.path + "/copy.db").code == 0)
    let (mine, theirs) = (try loads(), try loads("--db", place.folder.path + "/copy.db"))
    #expect(mine.count > 60 && mine.filter { $0.contains("crashed") }.count == 1)
    #expect(mine.subtracting(theirs) == [] && theirs.subtracting(mine) == [])
  }

  /// The fields that every format must keep: id, feed, state, start, duration and texts. A running load becomes unknown,
  /// because its owner is not in the file.
  private func loads(_ options: String...) throws -> Set<[String]> {
    let csv = try place.loadlog(["export", "--format", "csv"] + options).output
    let lines = csv.split(whereSeparator: \.isNewline).map(Self.fields)
    let names = try #require(lines.first)
    return Set(
      lines.dropFirst().map { line in
        var row = Dictionary(uniqueKeysWithValues: zip(names, line))
        if row["state"] == "running" { row["state"] = "unknown" }
        return ["id", "feed", "state", "started", "duration", "message", "tag", "call_site", "reason"]
          .map { row[$0] ?? "" }
      })
  }

  /// The fields of a line of CSV. A message may contain commas, but no line break.
  private static func fields(_ line: Substring) -> [String] {
    var fields = [""]
    var isQuoted = false
    for character in line {
      if character == "\"" { isQuoted.toggle() }
      if character == ",", !isQuoted { fields.append("") } else { fields[fields.count - 1].append(character) }
    }
    return fields
  }

  @Test
  func aCopyMadeDuringRecordingIsASoundStore() throws {
    let end = place.folder.path + "/end"
    let writers = try (0..<3).map { number in
      try place.script(
        """
        until [ -e '\(end)' ]; do
          loadlog push f\(number) --detached
          id=$(loadlog start r --detached) && loadlog finish "$id" --failed
          loadlog pop f\(number)
        done
        """)
    }
    for writer in writers { _ = try writer.line() }
    var last = 0
    for number in 0..<6 {
      let copy = place.folder.path + "/copy\(number).db"
      let answer = try place.loadlog("export", "--format", "sqlite", "-o", copy)
      #expect(answer == Finished(code: 0, output: "", errors: ""))
      let doctor = try place.loadlog("doctor", "--db", copy)
      #expect(doctor.code == 0, "\(doctor.output)")
      let loads = try #require(try place.ask("status", "--db", copy)["totals"]["loads"].int)
      #expect(loads >= last)
      last = loads
      try Wait.until("they record all the while") {
        try place.ask("status")["totals"]["loads"].int ?? 0 > last
      }
    }
    // The last program of a shell that is killed would make the store again after this test.
    try place.write("", to: "end")
    for writer in writers { _ = try writer.wait() }
  }

  @Test
  func feedsAndAWindowSelectWhatIsExported() throws {
    for feed in ["a/1", "a/2", "b"] { try place.loadlog("start", feed, "--detached") }
    let chosen = try place.loadlog("export", "a/*", "--format", "csv").output
    #expect(chosen.contains("a/1") && chosen.contains("a/2") && !chosen.contains(",b,"))
    #expect(
      try place.loadlog("export", "--until", "yesterday", "--format", "csv").output.split(
        whereSeparator: \.isNewline
      ).count == 1)
    #expect(
      try place.loadlog("export", "--since", "1h").output.split(separator: "\n").filter {
        $0.contains("\"start\"")
      }.count == 3)
    let unknown = try place.loadlog("export", "c")
    #expect(unknown.code == 1 && unknown.isOneComplaint)
  }

  @Test
  func aFileIsCompleteWhenItAppearsAndHasTheFormatOfItsName() throws {
    try place.loadlog("start", "a", "--detached")
    let out = place.folder.path + "/out"
    try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
    for name in ["x.csv", "x.ndjson", "x"] {
      let remark =
        name == "x" ? "loadlog: the format of \"\(out)/x\" is ndjson. To change it, add --format.\n" : ""
      #expect(
        try place.loadlog("export", "-o", "\(out)/\(name)") == Finished(code: 0, output: "", errors: remark))
    }
    for more in [["--format", "ndjson"], ["-q"]] {
      #expect(try place.loadlog(["export", "-o", out + "/x"] + more).errors == "")
    }
    #expect(
      try place.shell("head -c 3 \(out)/x.csv; head -c 9 \(out)/x.ndjson").output.hasSuffix("{\"event\":"))
    #expect(try String(contentsOfFile: out + "/x.csv", encoding: .utf8).contains(","))
    try place.write("old", to: "out/x")
    try FileManager.default.createSymbolicLink(atPath: out + "/link", withDestinationPath: out + "/x")
    #expect(try place.loadlog("export", "-o", out + "/link").code == 0)
    #expect(try place.shell("test -L \(out)/link && grep -c start \(out)/x").output == "1\n")
    #expect(try place.loadlog("export", "-o", "/dev/null").code == 0)
    #expect(try place.shell("test -c /dev/null").code == 0, "a device is written to, not replaced")
    for place in [out + "/missing/x", out] + (Place.hasFullDevice ? ["/dev/full"] : []) {
      let answer = try self.place.loadlog("export", "-o", place)
      #expect(answer.code == 5 && answer.isOneComplaint && answer.output == "", "\(place): \(answer)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: out)
    #expect(Set(names) == ["x.csv", "x.ndjson", "x", "link"], "no draft is left behind")
  }

  @Test(
    .enabled("script is not installed") { Place.hasScript },
    arguments: [
      ("-o x.ndjson", "x.ndjson", ", 1 load"), ("-o x.csv", "x.csv", ", 1 load"), ("-o x.db", "x.db", ""),
      ("-o x.prom", "x.prom", ""), ("--flips -o x.csv", "x.csv", ""),
    ])
  func aTerminalSaysWhatWasWritten(options: String, name: String, contents: String) throws {
    try place.loadlog("start", "a", "--detached")
    let line = "cd '\(place.folder.path)'; loadlog export \(options)"
    let answer = try place.shell("script -qec \"\(line)\" /dev/null").output
    let size = try #require(answer.firstMatch(of: /", ([0-9.]+ (?:bytes|kB))/)).1
    #expect(answer == "loadlog: wrote \"\(name)\", \(size)\(contents)\r\n")
    #expect(try place.shell("script -qec \"\(line) -q\" /dev/null").output == "")
    #expect(try place.shell(line).errors == "", "cron sends whatever is printed")
    #expect(try place.shell("\(line) -v").errors.contains("wrote \"\(name)\", "))
  }

  @Test
  func aCopyOfAStoreIsAStore() throws {
    let id = try place.begin("a")
    let copy = place.folder.path + "/copy.db"
    #expect(
      try place.loadlog("export", "-o", copy) == Finished(code: 0, output: "", errors: ""), "its name tells")
    #expect(try place.loadlog("doctor", "--db", copy).code == 0)
    #expect(try place.ask("history", "--db", copy)["loads"][0]["id"].text == id)
    #expect(try place.loadlog("finish", id, "--db", copy).code == 0)
    try place.expectRunning("a")
    for target in [place.store, place.folder.path, "/dev/null"] {
      let answer = try place.loadlog("export", "--format", "sqlite", "-o", target)
      #expect(answer.code == 2 && answer.isOneComplaint, "\(target): \(answer)")
    }
    let again = try place.loadlog("export", "--format", "sqlite", "-o", copy)
    #expect(again.code == 2 && again.errors.contains("may be in use"), "somebody has recorded in it")
  }

  @Test
  func importReportsInJSON() throws {
    let file = try place.write(
      "{\"event\":\"push\",\"at\":\"2026-11-20T09:00:00Z\",\"feed\":\"a\"}\n{}\n", to: "x.ndjson")
    let answer = try place.loadlog("import", file, "--json")
    #expect(answer.code == 1)
    let json = try Answer(answer.output)
    #expect(
      json.keys == [
        "schema_version", "generated_at", "store", "file", "format", "imported", "loads", "unmatched",
        "acknowledgements", "expectations", "flips", "sealed_days", "skipped", "rejected", "rejections",
        "others", "ignored_keys",
        "fault",
      ])
    #expect(json["imported"].int == 1 && json["rejected"].int == 1 && json["format"].text == "ndjson")
    #expect(json["rejections"][0]["line"].int == 2 && json["rejections"][0]["byte"].int == 56)
    #expect(json["fault"].isNull)
  }

  @Test
  func theClosingLineNamesWhatWasImported() throws {
    let lines = [
      #"{"event":"pop","at":"2026-11-20T09:00:00Z","feed":"a"}"#,
      #"{"event":"start","at":"2026-11-20T09:00:01Z","feed":"a"}"#,
      #"{"event":"finish","at":"2026-11-20T09:00:02Z","id":"00000000-0000-4000-8000-000000000001"}"#,
      #"{"event":"push","at":"2026-11-20T09:00:03Z","feed":"a"}"#,
      #"{"event":"pop","at":"2026-11-20T09:00:04Z","feed":"a"}"#,
    ]
    let file = try place.write(lines.joined(separator: "\n") + "\n", to: "x.ndjson")
    let first = try place.loadlog("import", file)
    #expect(first.output == "imported 2 loads and 2 unmatched finishes; skipped 0, rejected 0\n")
    #expect(try place.loadlog("import", file).output == "imported 0 loads; skipped 4, rejected 0\n")
    try place.loadlog("unbalanced", "--ack", "--all", "-m", "seen")
    let copy = place.folder.path + "/copy.db"
    let all = try place.shell("loadlog export | loadlog import - --db '\(copy)'").output
    #expect(all.hasPrefix("imported 2 loads, 2 unmatched finishes and "), "\(all)")
  }

  @Test
  func whatALaterVersionAddsIsSkippedAndCounted() throws {
    let lines = """
      {"event":"incident","at":"2026-11-20T09:00:00Z","feed":"a"}
      {"event":"push","at":"2026-11-20T09:00:00Z","feed":"a"}
      {"event":"flip","at":"2026-11-20T09:00:00Z","feed":"a","from":"fine","to":"late","since":"2026-11-20T09:00:00Z"}
      {"event":"expectation","feed":"a","every_ns":60000000000,"since":"2026-11-20T09:00:00Z"}

      """
    let file = try place.write(lines, to: "x.ndjson")
    let answer = try place.loadlog("import", file)
    #expect(answer.code == 0, "\(answer)")
    #expect(answer.errors == "loadlog: \"\(file)\": skipped 1: lines with unknown events (incident).\n")
    #expect(answer.output == "imported 1 load, 1 expectation and 1 flip; skipped 1, rejected 0\n")
    let copy = place.folder.path + "/copy.db"
    let json = try Answer(place.loadlog("import", file, "--json", "-q", "--db", copy).output)
    #expect(
      ["imported", "loads", "expectations", "flips", "skipped"].map { json[$0].int } == [3, 1, 1, 1, 1])
    #expect(json["others"][0]["cause"].text == "lines with unknown events (incident)")
    #expect(json["ignored_keys"]["more"].bool == false)
  }

  @Test
  func unknownKeysAreCountedAndNamedOnce() throws {
    func line(_ more: String) -> String {
      #"{"event":"push","at":"2026-11-20T09:00:00Z","feed":"a""# + more + "}\n"
    }
    let text =
      line(#","colour":"red","foo":[{"bar":1}]"#) + line(#","colour":"blue""#) + "{\"baz\":1}\n" + line("")
    let file = try place.write(text, to: "x.ndjson")
    let answer = try place.loadlog("import", file)
    #expect(answer.errorLines.first == "loadlog: \"\(file)\": ignored 3 unknown keys: colour, foo.")
    #expect(answer.errorLines.count == 2 && answer.output == "imported 3 loads; skipped 0, rejected 1\n")
    let keys = try Answer(place.loadlog("import", file, "--json", "-q").output)["ignored_keys"]
    #expect(keys["count"].int == 3 && keys["names"].all.map(\.text) == ["colour", "foo"])
    let many = (0..<12).map { #","k\#($0)":0"# }.joined()
    let hostile = try place.write(line(many + #","\u202e":0"#), to: "y.ndjson")
    #expect(try place.loadlog("import", hostile).errors.contains("13 unknown keys: k0, k1, "))
    #expect(try place.loadlog("import", hostile).errors.hasSuffix("k9, others.\n"))
  }

  @Test
  func aDurationIsMarkedWithWhatItsFormatKnows() throws {
    let har =
      #"{"log":{"entries":[{"startedDateTime":"2026-11-20T09:00:00Z","time":5,"request":"#
      + #"{"method":"GET","url":"http://har/"},"response":{"status":200}}]}}"#
    let span =
      #"{"name":"otlp","startTimeUnixNano":"1795262400000000000","endTimeUnixNano":"1795262401000000000"}"#
    let files = [
      ("x.har", har), ("x.json", #"[{"ph":"X","ts":1795262400000000,"dur":5,"name":"trace"}]"#),
      ("y.json", #"{"resourceSpans":[{"scopeSpans":[{"spans":[\#(span)]}]}]}"#),
    ]
    for (name, text) in files {
      #expect(try place.loadlog("import", place.write(text, to: name)).code == 0, "\(name)")
    }
    try place.loadlog("run", "own", "--", "true")
    func sources(_ options: String...) throws -> [String?] {
      try ["har", "trace", "otlp", "own"].map { feed in
        try Answer(place.loadlog(["history", feed, "--json"] + options).output)["loads"][0]["duration_source"]
          .text
      }
    }
    let expected = ["imported", "imported", "wall", "boot"]
    #expect(try sources() == expected)
    let view =
      "SELECT group_concat(duration_source) FROM (SELECT duration_source FROM session_history ORDER BY rowid)"
    #expect(try place.sqlite(view) == expected.joined(separator: ",") + "\n")
    for format in ["ndjson", "chrome-trace", "otlp"] {
      let copy = place.folder.path + "/" + format
      let done = try place.shell(
        "loadlog export --format \(format) | loadlog import - --format \(format) --db \(copy)")
      #expect(done.code == 0 && done.errors == "", "\(done.errors)")
      #expect(try sources("--db", copy) == expected, "\(format)")
    }
  }

  @Test(arguments: ["chrome-trace", "otlp"])
  func aRunningLoadComesBackWithoutAnAlarm(format: String) throws {
    let id = try place.begin("a")
    let (file, copy) = (place.folder.path + "/out." + format, place.folder.path + "/copy.db")
    func copied() throws -> Finished {
      try place.loadlog("export", "--format", format, "-o", file)
      return try place.loadlog("import", file, "--format", format, "--db", copy)
    }
    #expect(try copied() == Finished(code: 0, output: "imported 1 load; skipped 0, rejected 0\n", errors: ""))
    #expect(try place.loadlog("status", "--check", "--db", copy) == Finished(code: 0, output: "", errors: ""))
    #expect(try place.ask("history", "--db", copy)["loads"][0]["state"].text == "unknown")
    #expect(try copied().output == "imported 0 loads; skipped 1, rejected 0\n")
    try place.loadlog("finish", id)
    #expect(try copied().output == "imported 1 load; skipped 0, rejected 0\n")
    let load = try place.ask("history", "--db", copy)["loads"][0]
    #expect(load["state"].text == "succeeded" && load["finished_after_verdict"].bool == false)
  }

  @Test
  func timesAndPidsAreTheSameInEachFormat() throws {
    try place.loadlog("start", "a", "--detached")
    let load = try place.ask("history")["loads"][0]
    let started = try #require(load["started"].text)
    #expect(
      started.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil && load["owner"]["pid"].isNull)
    #expect(try place.sqlite("SELECT started, pid FROM session_history") == started + "|\n")
    let rows = try place.loadlog("export", "--format", "csv").output.split(whereSeparator: \.isNewline)
    let cells = rows[1].split(separator: ",", omittingEmptySubsequences: false)
    #expect(cells[7] == started && cells[13] == "")
    #expect(try place.loadlog("export").output.contains(#""pid":null"#))
  }

  @Test
  func traceTimesCountFromTheModificationTimeOrTheGivenEpoch() throws {
    let text = #"[{"ph":"X","ts":1000000,"dur":5,"name":"a"}]"#
    let file = try place.write(text, to: "x.json")
    try place.shell("touch -d 2026-11-01T00:00:00Z \(file)")
    let assumed = try place.loadlog("import", file)
    #expect(assumed.code == 0 && assumed.errors.contains("Nov 2026 00:00:00 UTC"))
    #expect(assumed.errors.contains("--epoch"))
    let said = try place.loadlog("import", file, "--epoch", "2026-11-02T00:00:00Z")
    #expect(said.code == 0 && said.errors.isEmpty)
    let starts = try place.ask("history", "a")["loads"].all.map(\.["started"].text)
    #expect(starts == ["2026-11-02T00:00:01.000Z", "2026-11-01T00:00:01.000Z"])
    let stream = try place.loadlog("import", "-", input: .text(text))
    #expect(stream.code == 1 && stream.errors.contains("--epoch"))
    #expect(try place.loadlog("import", "-", "--epoch", "2026-11-03T00:00:00Z", input: .text(text)).code == 0)
  }

  @Test
  func loadsThatDifferOnlyInTheEpochAreDifferentInEveryStore() throws {
    // A load and a finish without a start.
    let text = #"[{"ph":"X","ts":0,"dur":5000000,"name":"build"},{"ph":"E","ts":9,"name":"z"}]"#
    let file = try place.write(text, to: "x.json")
    let (old, new) = ("2026-08-01T00:00:00Z", "2026-11-27T00:00:00Z")
    func imported(_ epoch: String, _ store: String? = nil) throws -> String {
      try place.loadlog(["import", file, "--epoch", epoch] + (store.map { ["--db", $0] } ?? [])).output
    }
    let (both, none) = (
      "imported 1 load and 1 unmatched finish; skipped 0, rejected 0\n",
      "imported 0 loads; skipped 2, rejected 0\n"
    )
    #expect(try imported(old) == both)
    #expect(try imported(new) == both)
    #expect(try imported(new) == none)
    try place.loadlog("prune", "--older-than", "30d")
    #expect(try place.ask("history", "build")["loads"].all.count == 1)
    #expect(try imported(new) == none, "whatever else the store holds")

    let (one, other) = (place.folder.path + "/one.db", place.folder.path + "/other.db")
    #expect(try imported(old, one) == both)
    #expect(try imported(new, other) == both)
    let merged = try place.shell("loadlog export --db '\(one)' | loadlog import - --db '\(other)'")
    #expect(merged.output == both && merged.code == 0)
    #expect(try place.ask("history", "build", "--db", other)["loads"].all.count == 2)
  }

  @Test(
    .enabled("needs script, a C compiler and a preloading linker") {
      Place.hasScript && MovedClocks.canBe
    })
  func progressIsDrawnOnlyOnATerminalAndErased() throws {
    // Only an import that takes a while draws progress.
    try MovedClocks(place).hurry(place, milliseconds: 60)
    let lines = (0..<10_000).map { number in
      #"{"event":"start","at":"2026-11-20T09:00:00Z","feed":"a","id":"00000000-0000-4000-8000-0000000\#(10_000 + number)"}"#
        + "\n"
        + #"{"event":"finish","at":"2026-11-20T09:00:01Z","id":"00000000-0000-4000-8000-0000000\#(10_000 + number)"}"#
        + "\n"
    }
    let file = try place.write(lines.joined(), to: "x.ndjson")
    // A name without its folder fits on a line of the terminal.
    let line = "cd '\(place.folder.path)'; loadlog import x.ndjson"
    let answer = try place.start(["script", "-qec", line, "/dev/null"]).wait()
    #expect(answer.output.contains("importing ") && answer.output.contains(" MB, "))
    #expect(answer.output.contains("\r\u{1B}[Kimported 10,000 loads; skipped 0, rejected 0"))
    let dumb = try place.start(["script", "-qec", "TERM=dumb loadlog import \(file)", "/dev/null"]).wait()
    #expect(dumb.output.contains("imported 0 loads") && !dumb.output.contains("\u{1B}"), "\(dumb)")
    let quiet = try place.start(["script", "-qec", "loadlog import -q \(file)", "/dev/null"]).wait()
    #expect(!quiet.output.contains("importing "))
    let export = try place.start(["script", "-qec", "loadlog export -o /dev/null", "/dev/null"]).wait()
    #expect(export.output.contains("exporting: "))
    #expect(
      export.output.contains(#/\r\u{1B}\[Kloadlog: wrote "\/dev\/null", [0-9.]+ MB, 10,000 loads\r\n/#))
    #expect(try place.loadlog("import", file).errors == "")
    let prune = try place.start(["script", "-qec", "loadlog prune --older-than 1m", "/dev/null"]).wait()
    #expect(prune.output.contains("pruning: ") && prune.output.contains(" of 9999 loads, "))
    #expect(prune.output.contains("\r\u{1B}[K9,999 loads"))
  }
}

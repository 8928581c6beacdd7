import Foundation
import Testing

/// `run --keep-output`, `run --output-on-failure` and `output`.
@Suite struct RunOutputTests {
  private let place: Place

  init() throws { place = try Place() }

  private func lastID() throws -> String { try #require(place.ask("history")["loads"][0]["id"].text) }

  private func sh(_ text: String, _ options: String...) throws -> Finished {
    try place.loadlog(["run", "f"] + options + ["--", "sh", "-c", text])
  }

  @Test func theEndOfTheOutputIsKept() throws {
    try place.loadlog("run", "other", "--", "true")
    func size() throws -> Int {
      try #require(Int(place.sqlite("SELECT page_count * 4096 FROM pragma_page_count").dropLast()))
    }
    let before = try size()
    let answer = try sh("seq 100000; exit 3", "--keep-output")
    #expect(answer.code == 3 && answer.output.split(separator: "\n").count == 100_000 && answer.errors == "")
    #expect(try size() - before <= 110_000)
    let id = try lastID()
    let output = try place.loadlog("output", id)
    #expect(output.output.split(separator: "\n").map { Int($0) } == Array(83335...100_000))
    #expect(output.errors == "loadlog: 488.9 kB before this were not kept\n")
    #expect(
      try place.loadlog("output", id, "--follow", "-q")
        == Finished(code: 0, output: output.output, errors: ""))
    let shown = try place.loadlog("show", id).output
    #expect(
      shown.hasSuffix(
        "99996\n              99997\n              99998\n              99999\n              100000\n"))
    #expect(!shown.contains("99995"))
    let json = try place.ask("show", id)["load"]["output"]
    #expect(json["total"].int == 588_895 && json["kept"].int == 99_997)
    #expect(json["last_lines"].all.map(\.text) == ["99996", "99997", "99998", "99999", "100000"])
    #expect(try place.loadlog("status").output.contains("exit 3"))
  }

  @Test func bothStreamsAreKeptInTheirOrder() throws {
    // The next line comes when the one before was passed on: what waits in both streams has no order.
    let text = """
      passed() { until grep -q $1 $2; do sleep 0.01; done; }
      echo a; passed a out; echo b >&2; passed b err; echo c; passed c out; printf d >&2; exit 1
      """
    let answer = try place.shell(
      """
      cd '\(place.folder.path)'
      loadlog run f --keep-output --timeout 60s -- sh -c '\(text)' >out 2>err; code=$?
      cat out; cat err >&2; exit $code
      """)
    #expect(answer == Finished(code: 1, output: "a\nc\n", errors: "b\nd"))
    #expect(try place.loadlog("output", lastID()).output == "a\nb\nc\nd")
    #expect(try place.ask("history")["loads"][0]["reason"].text == "exit 1: d")
  }

  @Test func bytesAreKeptAsTheyAre() throws {
    _ = try place.shell(#"loadlog run f --keep-output -- printf 'a\0\377\033[31m\nb'"#)
    let id = try lastID()
    let bytes = try place.shell("loadlog output \(id) | od -An -c").output
    #expect(bytes.split(separator: " ").joined(separator: " ") == "a \\0 377 033 [ 3 1 m \\n b\n")
    let shown = try place.loadlog("show", id).output
    #expect(Hostile.found(in: shown).isEmpty, "\(shown.debugDescription)")
  }

  @Test(.enabled("script is not installed") { Place.hasScript })
  func aTerminalShowsControlCharacters() throws {
    _ = try place.shell(#"loadlog run f --keep-output -- printf 'a\033[31mb\n'"#)
    let shown = try place.start(["script", "-qec", "loadlog output \(lastID())", "/dev/null"]).wait().output
    #expect(shown == "a\\u{1B}[31mb\r\n", "\(shown.debugDescription)")
  }

  @Test(.enabled("script is not installed") { Place.hasScript })
  func linesMayEndWithACarriageReturn() throws {
    _ = try place.shell(#"loadlog run f --keep-output -- printf 'one\r\ntwo\rthree\r\n'"#)
    let id = try lastID()
    let shown = try place.start(["script", "-qec", "loadlog output \(id)", "/dev/null"]).wait().output
    #expect(shown == "one\r\ntwo\\rthree\r\n", "\(shown.debugDescription)")
    let lines = try place.ask("show", id)["load"]["output"]["last_lines"]
    #expect(lines.all.map(\.text) == ["one", "two\rthree"])
    #expect(try place.shell("loadlog output \(id) | od -An -c").output.contains("o   n   e  \\r  \\n"))
  }

  @Test(arguments: ["0", "11M", "1G", "ten", ""])
  func aWrongSizeIsWrongUsage(size: String) throws {
    let answer = try place.loadlog("run", "f", "--keep-output=\(size)", "--", "echo", "ran")
    #expect(answer.code == 2 && answer.output == "" && answer.isOneComplaint, "\(answer)")
  }

  /// Otherwise the feed could be taken for the size.
  @Test func aSizeFollowsAnEqualsSign() throws {
    let answer = try place.loadlog("run", "f", "--keep-output", "50k", "--", "echo", "ran")
    #expect(answer.code == 2 && answer.output == "" && answer.errors.contains("50k"), "\(answer)")
    #expect(try place.loadlog("run", "--keep-output", "f", "--", "echo", "ran").output == "ran\n")
    #expect(try place.loadlog("output", lastID()).output == "ran\n")
    let unknown = try place.loadlog("run", "f", "--keep-output", "--bogus", "--", "true")
    #expect(unknown.code == 2 && unknown.errors.contains("--bogus"), "\(unknown)")
    try place.loadlog("run", "g", "-m", "--keep-output", "--tag", "--keep-output", "--", "true")
    let load = try place.ask("history", "g")["loads"][0]
    #expect(load["message"].text == "--keep-output" && load["tag"].text == "--keep-output", "\(load)")
  }

  @Test func theEnvironmentKeepsOutput() throws {
    place.environment["LOADLOG_KEEP_OUTPUT"] = "5"
    #expect(try sh("echo one; echo two").code == 0)
    #expect(try place.loadlog("output", lastID(), "-q").output == "two\n")
    _ = try sh("echo one; echo two", "--keep-output=8")
    #expect(try place.loadlog("output", lastID()).output == "one\ntwo\n")
    for size in ["lots", "20M"] {
      place.environment["LOADLOG_KEEP_OUTPUT"] = size
      let wrong = try sh("echo ran")
      #expect(wrong.code == 0 && wrong.output == "ran\n" && wrong.isOneComplaint)
      #expect(wrong.errors.contains("\"\(size)\": it is not a size from 1 to 10M."), "\(wrong)")
    }
    place.environment["LOADLOG_KEEP_OUTPUT"] = "0"
    #expect(try sh("echo ran") == Finished(code: 0, output: "ran\n", errors: ""))
    let none = try place.loadlog("output", lastID())
    #expect(none.code == 1 && none.isOneComplaint && none.errors.contains("none was kept"))
  }

  @Test func theOutputOfARunningCommandIsFollowed() throws {
    let text = "echo up; read x; echo $x; read y; exit 0"
    let run = try place.start(["loadlog", "run", "f", "--keep-output", "--", "sh", "-c", text])
    #expect(try run.line() == "up")
    let id = try lastID()
    let follow = try place.start(["loadlog", "output", id, "--follow"])
    #expect(try follow.line() == "up")
    run.write("next\n")
    #expect(try follow.line(1) == "next")
    #expect(try place.loadlog("output", id).output == "up\nnext\n")
    run.write("\n")
    #expect(try run.wait().code == 0)
    #expect(try follow.wait() == Finished(code: 0, output: "up\nnext\n", errors: ""))
  }

  /// What a killed `run` had kept says why it was killed.
  @Test func theOutputOfAKilledRunStays() throws {
    let run = try place.start(["loadlog", "run", "f", "--keep-output", "--", "sh", "-c", "echo up; exec cat"])
    #expect(try run.line() == "up")
    let id = try lastID()
    try Wait.until("stored output") { try place.loadlog("output", id).output == "up\n" }
    try run.killAndReap()
    #expect(try place.loadlog("output", id, "--follow").output == "up\n")
  }

  @Test(arguments: ["--keep-stderr", "--keep-output", "--output-on-failure"])
  func aProcessInTheBackgroundLivesOn(option: String) throws {
    let done = place.folder.path + "/done"
    let go = place.folder.path + "/go"
    let daemon = "while [ ! -e \(go) ]; do sleep 0.02; done; echo late; echo oops >&2; echo $? > \(done)"
    let answer = try place.start([
      "loadlog", "run", "f", option, "--", "sh", "-c", "(\(daemon)) & echo early; exit 3",
    ])
    let ended = try answer.wait()
    #expect(ended.code == 3 && ended.output == "early\n")
    try place.write("", to: "go")
    try Wait.until("the daemon") { FileManager.default.fileExists(atPath: done) }
    try Wait.until("its output") { answer.output == "early\nlate\n" && answer.errors == "oops\n" }
  }

  @Test func aReaderThatLeavesEndsTheCommand() throws {
    let answer = try place.shell("loadlog run f --keep-output -- yes | head -n 1; echo ${PIPESTATUS[0]}")
    #expect(answer.output == "y\n141\n", "\(answer)")
    let load = try place.ask("history")["loads"][0]
    #expect(load["reason"].text == "signal 13")
  }

  /// Most commands survive a write that fails, and what nobody got must be in the record.
  @Test(.enabled("there is no /dev/full") { Place.hasFullDevice })
  func aFullDiskBehindTheOutputEndsNoCommand() throws {
    // The next line comes when the one before could not be passed on.
    let text = "echo one; until grep -q pass.on err; do sleep 0.01; done; echo two; exit 3"
    let answer = try place.shell(
      """
      cd '\(place.folder.path)'
      loadlog run f --keep-output --timeout 60s -- sh -c '\(text)' >/dev/full 2>err; code=$?
      cat err >&2; exit $code
      """)
    #expect(answer.code == 3 && answer.isOneComplaint, "\(answer)")
    #expect(try place.loadlog("output", lastID()).output == "one\ntwo\n")
    #expect(try place.ask("history")["loads"][0]["reason"].text == "exit 3")
  }

  /// `run` has put another file in the place of the stream, which takes everything.
  @Test(arguments: ["--keep-output -- echo one", "--output-on-failure -- sh -c 'echo one; exit 3'"])
  func aClosedOutputTakesNothing(command: String) throws {
    let isFailure = command.contains("exit 3")
    let answer = try place.shell("loadlog run f \(command) >&-")
    #expect(answer.code == (isFailure ? 3 : 5) && answer.isOneComplaint, "\(answer)")
    let reason = isFailure ? "exit 3" : "output lost: Bad file descriptor"
    #expect(try place.ask("history")["loads"][0]["reason"].text == reason)
  }

  /// Otherwise a dump without its end would count as a success.
  @Test(.enabled("there is no /dev/full") { Place.hasFullDevice })
  func aLoadWhoseOutputIsLostHasFailed() throws {
    let commands = [
      "--keep-output --retry 2 -- echo one", "--keep-output --unchanged-exit 3 -- sh -c 'echo one; exit 3'",
    ]
    for (count, text) in zip(1..., commands) {
      let answer = try place.shell("loadlog run f \(text) >/dev/full")
      #expect(answer.code == 5 && answer.isOneComplaint, "\(answer)")
      let history = try place.ask("history")
      #expect(history["total"].int == count, "the command has succeeded, and is not run again")
      let load = history["loads"][0]
      #expect(load["state"].text == "failed")
      #expect(load["reason"].text == "output lost: No space left on device")
    }
    let messages = try place.shell(
      "loadlog run f --keep-output -- sh -c 'echo one; echo two >&2' 2>/dev/full")
    #expect(messages == Finished(code: 0, output: "one\n", errors: ""))
    let shown = try place.shell("loadlog run f --output-on-failure -- sh -c 'echo one; exit 3' >/dev/full")
    #expect(shown.code == 3 && shown.isOneComplaint, "\(shown)")
    let hidden = try place.shell("loadlog run f --output-on-failure -- echo one >/dev/full")
    #expect(hidden == Finished(code: 0, output: "", errors: ""))
  }

  /// A reader that reads nothing holds the command up, but neither a signal nor the time limit.
  @Test(arguments: ["--keep-output", "--output-on-failure"])
  func aReaderThatWaitsStopsNoTimeLimit(option: String) throws {
    // What cannot be held back appears.
    place.environment["TMPDIR"] = place.folder.path + "/missing"
    let pid = place.folder.path + "/yes.pid"
    let text = """
      loadlog run f \(option) --timeout 3s -- sh -c 'echo $$ > \(pid); exec yes' | { while [ ! -e over ]; do sleep 0.02; done; cat | tail -c 2; }
      """
    let shell = try place.script("cd \(place.folder.path)\n\(text)\necho end")
    try Wait.until("the end of the load's command") {
      guard let text = try? String(contentsOfFile: pid, encoding: .utf8), let pid = pid_t(text.dropLast())
      else { return false }
      return kill(pid, 0) != 0
    }
    try place.write("", to: "over")
    _ = try shell.wait()
    #expect(try place.ask("history")["loads"][0]["reason"].text == "timed out after 3 s")
  }

  @Test(arguments: 4...13)
  func fewFilesStopNoCommand(number: Int) throws {
    for option in ["--keep-stderr", "--keep-output", "--output-on-failure"] {
      let answer = try place.shell("ulimit -n \(number); loadlog run f \(option) -- sh -c 'echo ran; exit 7'")
      #expect(answer.code == 7 && answer.output == "ran\n", "\(answer)")
    }
  }

  // MARK: On failure only

  private static let commands = [
    "true", "echo out; echo err >&2", "echo out; echo err >&2; exit 3", "printf 'no end'; exit 1", "exit 200",
    "seq 400000; seq 5 >&2; exit 9", "seq 400000", "kill -TERM $$",
  ]

  @Test(arguments: commands, [[], ["--keep-output"]])
  func outputAppearsOnFailureOnly(command: String, more: [String]) throws {
    let plain = try place.start(["sh", "-c", command], input: .nothing).wait()
    let answer = try place.loadlog(["run", "f", "--output-on-failure"] + more + ["--", "sh", "-c", command])
    let code = plain.code < 0 ? 128 - plain.code : plain.code
    #expect(answer.code == code)
    #expect(
      answer.output == (code == 0 ? "" : plain.output) && answer.errors == (code == 0 ? "" : plain.errors))
  }

  @Test(.enabled("chronic is not installed") { Place.has("chronic") }, arguments: commands.dropLast())
  func chronicDoesTheSame(command: String) throws {
    let chronic = try place.start(["chronic", "sh", "-c", command], input: .nothing).wait()
    #expect(try sh(command, "--output-on-failure") == chronic)
  }

  @Test func heldOutputNeedsNoRoom() throws {
    place.environment["TMPDIR"] = place.folder.path + "/missing"
    let answer = try sh("seq 400000; exit 0", "--output-on-failure")
    #expect(answer.code == 0)
    #expect(answer.output.split(separator: "\n").map { Int($0) } == Array(1...400_000))
    #expect(answer.isOneComplaint, "\(answer.errors)")
    #expect(answer.errors.contains("in \"\(place.folder.path)/missing\": No such file"))
  }

  /// `run` stands still while both pipes fill, so it finds both readable when standard output no longer fits into memory.
  @Test func outputThatCannotBeHeldBackKeepsItsOrder() throws {
    place.environment["TMPDIR"] = place.folder.path + "/missing"
    let script = try place.write(
      """
      import fcntl, os, signal, sys, termios

      def unread(stream):
          return int.from_bytes(fcntl.ioctl(stream, termios.FIONREAD, bytes(4)), sys.byteorder)

      def numbers(first, last):
          return b"".join(b"%d\\n" % number for number in range(first, last + 1))

      def fill(stream, data):
          os.set_blocking(stream, False)
          written = os.write(stream, data)
          os.set_blocking(stream, True)
          return data[written:]

      os.write(2, numbers(1, 30_000))
      while unread(2):
          pass
      os.kill(os.getppid(), signal.SIGSTOP)
      rest = fill(1, numbers(1, 110_000)), fill(2, numbers(30_001, 120_000))
      os.kill(os.getppid(), signal.SIGCONT)
      os.write(1, rest[0])
      os.write(2, rest[1])
      # On Linux run enlarges its pipes, so that both take all.
      sys.exit(9 if sys.platform == "linux" and any(rest) else 3)
      """, to: "both.py")
    let answer = try sh("exec python3 \(script)", "--output-on-failure")
    #expect(answer.code == 3)
    #expect(answer.output.split(separator: "\n").map { Int($0) } == Array(1...110_000))
    let errors = answer.errors.split(separator: "\n").filter { !$0.hasPrefix("loadlog: ") }
    #expect(errors.map { Int($0) } == Array(1...120_000))
  }

  // MARK: Secrets, export and import

  @Test func outputIsSharedOnlyOnRequest() throws {
    _ = try sh("echo the-secret; echo '<b>'; exit 3", "--keep-output")
    let id = try lastID()
    let copy = place.folder.path + "/copy.db"
    func contents(_ options: String) throws -> String {
      try place.shell(
        """
        set -e; loadlog export \(options); loadlog report \(options) -o - | cat
        loadlog export \(options) -o \(copy); cat \(copy); loadlog export --format csv; loadlog export --format otlp
        """
      ).output
    }
    _ = try sh("seq 300000", "--keep-output=1M")
    #expect(try !contents("").contains("the-secret"))
    let free = try place.shell("sqlite3 \(copy) 'PRAGMA freelist_count'")
    #expect(free.output == "0\n", "SQLite may be built to overwrite free pages, or not to")
    let all = try contents("--with-output")
    #expect(all.components(separatedBy: "the-secret").count == 4)
    #expect(
      all.contains("<details><summary>Output</summary><pre>the-secret<br>&lt;b&gt;<br></pre></details>"))
    #expect(try place.loadlog("export", "--with-output", "--format", "csv").code == 2)
    place.environment["LOADLOG_DB"] = copy
    #expect(try place.loadlog("output", id).output == "the-secret\n<b>\n")
  }

  @Test func anExportWithOutputComesBack() throws {
    _ = try sh("seq 300000", "--keep-output=1M")
    _ = try place.shell(#"loadlog run f --retry 1 --keep-output -- sh -c "printf 'a\0b\377'; exit 4""#)
    _ = try sh("true", "--keep-output")
    _ = try sh("true", "--no-overlap")
    let text = try place.loadlog("export", "--with-output").output
    #expect(text.contains(#""base64":"YQBi/w==""#) && text.contains(#""retried":true"#))
    let file = try place.write(text, to: "all.ndjson")
    place.environment["LOADLOG_DB"] = place.folder.path + "/again.db"
    for _ in 1...2 {
      let answer = try place.loadlog("import", file)
      #expect(answer.code == 0, "\(answer)")
      #expect(try place.loadlog("export", "--with-output").output == text)
    }
    #expect(try place.loadlog("doctor").code == 0)
    let plain = try place.loadlog("export").output
    #expect(!plain.contains(#""event":"output""#) && plain.contains(#""user_ns":"#))
  }

  @Test(
    arguments: [
      #""total":1,"kept":2,"text":"ab""#, #""total":9,"kept":1,"text":"ab""#,
      #""total":9,"kept":2,"base64":"?""#,
      #""total":9,"kept":2"#, #""total":99000000,"kept":20000000,"text":"a""#, #""kept":1,"text":"a""#,
      #""total":9,"kept":2,"offset":-1,"text":"a""#,
    ])
  func invalidOutputIsRejected(fields: String) throws {
    _ = try sh("true")
    let id = try lastID()
    let file = try place.write("{\"event\":\"output\",\"id\":\"\(id)\",\(fields)}\n", to: "line.ndjson")
    let answer = try place.loadlog("import", file)
    #expect(answer.code == 1 && answer.errors.contains("line 1"), "\(answer)")
    #expect(try place.loadlog("output", id).code == 1)
  }

  @Test func prunedLoadsLeaveNoOutput() throws {
    for _ in 1...3 { _ = try sh("echo said", "--keep-output", "--retry", "1") }
    try place.loadlog("prune", "--older-than", "1ms")
    #expect(
      try place.sqlite(
        "SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM run), (SELECT count(*) FROM output)")
        == "1|1|1\n")
    #expect(try place.loadlog("doctor").code == 0)
  }
}

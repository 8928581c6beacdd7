import Foundation
import Testing

/// `run`: the end of a command, and the load that it leaves.
@Suite struct RunEndTests {
  /// A command, its exit code and the load that it leaves.
  struct End: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let flags: [String]
    let command: [String]
    let code: Int32
    let state: String
    let reason: String?

    init(
      _ flags: String = "", _ command: String..., code: Int32 = 0, state: String = "succeeded",
      reason: String? = nil
    ) {
      testDescription = "\(flags) -- \(command.joined(separator: " "))"
      self.flags = flags.split(separator: " ").map(String.init)
      self.command = command
      self.code = code
      self.state = state
      self.reason = reason
    }
  }

  private let place: Place

  init() throws { place = try Place() }

  @Test(arguments: [
    End("", "true"), End("", "false", code: 1, state: "failed", reason: "exit 1"),
    End("", "sh", "-c", "exit 255", code: 255, state: "failed", reason: "exit 255"),
    End("", "sh", "-c", "exit 127", code: 127, state: "failed", reason: "exit 127"),
    End("", "sh", "-c", "kill -TERM $$", code: 143, state: "failed", reason: "signal 15"),
    End("", "sh", "-c", "kill -KILL $$", code: 137, state: "failed", reason: "signal 9"),
    End("", "sh", "-c", "kill -PIPE $$", code: 141, state: "failed", reason: "signal 13"),
    End("", "sh", "-c", "kill -INT $$", code: 130, state: "cancelled", reason: "interrupted"),
    End("", "sh", "-c", "exit 130", code: 130, state: "failed", reason: "exit 130"),
    End("--unchanged-exit 3", "sh", "-c", "exit 3", code: 3, state: "unchanged"),
    End("--unchanged-exit 3", "sh", "-c", "exit 4", code: 4, state: "failed", reason: "exit 4"),
    End("--unchanged-exit 0", "true", state: "unchanged"),
    End("--unchanged-exit 3", "true"),
    End("--keep-stderr", "sh", "-c", "exit 2", code: 2, state: "failed", reason: "exit 2"),
    End("--tag t --require-record", "true"),
    End("", "sh", "-c", "exec >&- 2>&- <&-; exit 6", code: 6, state: "failed", reason: "exit 6"),
  ])
  func anExitCodeIsPassedOnAndRecorded(end: End) throws {
    let answer = try place.loadlog(["run", "f"] + end.flags + ["--"] + end.command)
    #expect(answer == Finished(code: end.code, output: "", errors: ""))
    let loads = try place.ask("history", "f")["loads"]
    #expect(loads.all.count == 1)
    #expect(loads[0]["state"].text == end.state)
    #expect(loads[0]["reason"].text == end.reason)
    #expect(loads[0]["message"].isNull)
    #expect(try place.unbalanced("f") == [:])
  }

  @Test(
    arguments: [
      ("no-such-command", 127), ("./no-such-command", 127), ("", 127), ("/etc/passwd", 126), ("/tmp", 126),
    ] as [(String, Int32)])
  func aCommandThatCannotRunIsAFailure(command: String, code: Int32) throws {
    let answer = try place.loadlog("run", "f", "--", command)
    #expect(answer.code == code)
    #expect(answer.output == "")
    #expect(answer.isOneComplaint, "\(answer.errors)")
    let load = try place.ask("history", "f")["loads"][0]
    #expect(load["state"].text == "failed")
    #expect(load["reason"].text?.hasPrefix("cannot run: ") == true)
  }

  @Test(
    arguments: [
      (["echo hi | wc"], "sh -c 'echo hi | wc'"), (["cat /etc/passwd"], "sh -c 'cat /etc/passwd'"),
      (["cd", "/a b"], #"sh -c 'cd '\''/a b'\'' && COMMAND'"#), ([".", "x"], "sh -c '. x'"),
      (["cd /tmp"], "sh -c 'cd /tmp'"), (["no-such-command its own"], nil),
      (["source", "x"], "bash -c 'source x'"), (["$X"], "sh -c '$X'"), (["no-such-command"], nil),
      (["cat own"], nil), (["BIN/cat own"], nil),
    ] as [([String], String?)])
  func aCommandForAShellIsNamedAsOne(words: [String], command: String?) throws {
    let folder = place.folder.path + "/bin"
    place.environment["PATH"] = folder + ":" + (place.environment["PATH"] ?? "")
    try place.program("#!/no/such/interpreter\n", at: "bin/cat own")
    let answer = try place.loadlog(["run", "f", "--"] + words.map { $0.replacing("BIN", with: folder) })
    #expect([126, 127].contains(answer.code) && answer.isOneComplaint, "\(answer)")
    let advice = command.map { " A shell command needs a shell: loadlog run f -- \($0)\n" }
    #expect(advice.map(answer.errors.hasSuffix) ?? !answer.errors.contains("shell"), "\(answer)")
  }

  /// As shells, env and cron run it.
  @Test func aScriptWithoutAnInterpreterIsRunByAShell() throws {
    let script = try place.program("echo $# \"$1\"; exit 3\n", at: "bin/script")
    place.environment["PATH"] = place.folder.path + "/bin:" + (place.environment["PATH"] ?? "")
    for name in [script, "script"] {
      let answer = try place.loadlog("run", "f", "--", name, "a  b", "c")
      #expect(answer == Finished(code: 3, output: "2 a  b\n", errors: ""))
    }
  }

  @Test func theStreamsAreTheCommands() throws {
    let text = "tr a-z A-Z; echo oops >&2"
    let answer = try place.loadlog(["run", "f", "--", "sh", "-c", text], input: .text("quiet\nplease\n"))
    #expect(answer == Finished(code: 0, output: "QUIET\nPLEASE\n", errors: "oops\n"))
  }

  @Test(.enabled("there is no /proc") { Place.hasProc })
  func theCommandInheritsNoFileOrSignalOfLoadlog() throws {
    let text = "ls /proc/self/fd | wc -l; grep -E '^Sig(Blk|Cgt)' /proc/self/status; readlink /proc/$$/ns/pid"
    let alone = try place.start(["bash", "-c", text], input: .nothing).wait()
    let answer = try place.loadlog("run", "f", "--", "bash", "-c", text)
    #expect(answer == alone)
    let ignored = "grep ^SigIgn /proc/self/status"
    let before = try place.start(["bash", "-c", "trap '' PIPE HUP; \(ignored)"], input: .nothing).wait()
    let after = try place.shell("trap '' PIPE HUP; loadlog run f -- \(ignored)")
    #expect(before.output.hasPrefix("SigIgn") && after == before)
  }

  /// Services that read signals by `signalfd` block them, and their children inherit that. A command that hangs exits 124.
  @Test(
    .enabled("there is no /proc") { Place.hasProc },
    arguments: [["grep", "^SigBlk.*10200$", "/proc/self/status"], ["false"]])
  func theCallerMayBlockSIGCHLD(command: [String]) throws {
    let blocking = ["timeout", "60", "env", "--block-signal=CHLD", "--block-signal=USR1"]
    let alone = try place.start(blocking + command, input: .nothing).wait()
    let answer = try place.start(blocking + ["loadlog", "run", "f", "--"] + command, input: .nothing).wait()
    #expect(answer == alone && alone.code == (command == ["false"] ? 1 : 0))
    #expect(try place.status("f")["running"].int == 0)
  }

  /// Swift would repair such a name, and two different names could become equal.
  @Test(arguments: [#"$'caf\xe9'"#, #"f -m $'caf\xe9'"#])
  func whatIsNotUTF8IsNotRecordedAndStopsNoCommand(words: String) throws {
    let answer = try place.shell("loadlog run \(words) -- sh -c 'echo ran; exit 7'")
    #expect(answer.code == 7 && answer.output == "ran\n")
    #expect(answer.isOneComplaint && answer.errors.hasPrefix("loadlog: not recorded: "), "\(answer.errors)")
    let required = try place.shell("loadlog run \(words) --require-record -- echo ran")
    #expect(required.code == 2 && required.output == "" && required.isOneComplaint)
    #expect(!FileManager.default.fileExists(atPath: place.store))
  }

  @Test func argumentsReachTheCommandAsBytes() throws {
    let answer = try place.shell(
      #"loadlog run f --record-command -- printf '%s|' $'caf\xe9' '' 'a b' '*' -- | od -c"#)
    #expect(answer.errors == "")
    #expect(
      answer.output.split(separator: "\n").first
        == "0000000   c   a   f 351   |   |   a       b   |   *   |   -   -   |")
  }

  @Test(
    arguments: [
      (["a"], "a"), (["a", "b"], "b"), (["a", "b", "", "  "], "b"), (["1%\r2%\r100%"], "100%"),
      (["a", "\u{1B}[31mred\u{1B}[0m"], "red"), (["ünï"], "ünï"), (["Error: a", "b"], "Error: a"),
    ] as [([String], String)])
  func theErrorLineIsKept(lines: [String], last: String) throws {
    let text = lines.joined(separator: "\n")
    let answer = try place.loadlog(
      ["run", "f", "--keep-stderr", "--", "sh", "-c", "cat >&2; exit 3"], input: .text(text))
    #expect(answer == Finished(code: 3, output: "", errors: text))
    #expect(try place.ask("history")["loads"][0]["reason"].text == "exit 3: \(last)")
    let page = try place.loadlog("history").output
    #expect(Hostile.found(in: page).isEmpty, "\(page.debugDescription)")
  }

  @Test func manyErrorsPassThroughWhole() throws {
    let text = "seq 1 200000 >&2; exit 3"
    let answer = try place.loadlog("run", "f", "--keep-stderr", "--", "sh", "-c", text)
    #expect(answer.errorLines.count == 200_000)
    #expect(answer.errorLines.last == "200000")
    #expect(try place.ask("history")["loads"][0]["reason"].text == "exit 3: 200000")
  }

  @Test func aDaemonThatKeepsStandardErrorIsNotWaitedFor() throws {
    let input = RunningProgram.Input.open
    let text = "echo fine >&2; cat >/dev/null <&0 & exit 3"
    let run = try place.start(
      ["loadlog", "run", "f", "--keep-stderr", "--", "bash", "-c", text], input: input)
    let answer = try run.wait()
    #expect(answer.code == 3)
    #expect(try place.ask("history")["loads"][0]["reason"].text == "exit 3: fine")
  }

  @Test func theCommandLineIsRecordedOnlyOnRequest() throws {
    place.environment["SECRET"] = "of the environment"
    try place.loadlog("run", "f", "--", "true", "of the arguments")
    try place.loadlog("run", "f", "--record-command", "--", "echo", "one", "two words")
    try place.loadlog("run", "f", "-m", "Two", "--record-command", "--", "echo", "three")
    let messages = try place.ask("history")["loads"].all.map(\.["message"])
    #expect(messages.map(\.text) == ["Two: echo three", "echo one two words", nil])
    let bytes = try place.shell("cat \(place.store)*").output
    #expect(bytes.contains("echo three"))
    #expect(!bytes.contains("of the arguments") && !bytes.contains("of the environment"))
  }

  @Test func aVerboseRunEndsWithOneLine() throws {
    let first = try place.loadlog("run", "f", "-v", "--", "true")
    #expect(first.errorLines.count == 2)
    #expect(first.errors.contains("\nf succeeded in "))
    #expect(try place.loadlog("run", "f", "-q", "--", "true").errors == "")
    let second = try place.loadlog("run", "f", "-v", "--", "false")
    #expect(second.errorLines.last?.hasPrefix("f failed in ") == true)
    #expect(second.errorLines.last?.hasSuffix("(exit 1)") == true)
    #expect(second.errorLines.last?.contains(", usual ") == true)
  }
}

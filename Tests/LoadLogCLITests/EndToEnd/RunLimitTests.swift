import Foundation
import Testing

/// `run --timeout`, `--retry` and `--no-overlap`.
@Suite struct RunLimitTests {
  private let place: Place

  init() throws { place = try Place() }

  private func sh(_ text: String, _ options: String...) throws -> Finished {
    try place.loadlog(["run", "f"] + options + ["--", "sh", "-c", text])
  }

  private func loads() throws -> [Answer] {
    try place.ask("history", "--limit", "all")["loads"].all.reversed()
  }

  // MARK: Time limits

  /// A time limit after which a shell has begun its work, also on a busy machine.
  private static let enough = "3s"

  @Test(.enabled("setsid is not installed") { Place.has("setsid") })
  func aCommandThatHangsEndsWithItsChildren() throws {
    let child = "trap '' TERM; echo child; while :; do sleep 0.05; done"
    let options = ["loadlog", "run", "f", "--timeout", Self.enough, "--kill-after", "100ms", "--"]
    let run = try place.start(["setsid", "--wait"] + options + ["bash", "-c", "echo $$; (\(child)) & wait"])
    let answer = try run.wait()
    #expect(answer.code == 124 && answer.errors == "")
    let group = try #require(Int32(answer.output.split(separator: "\n").first ?? ""))
    // A killed child stays in its group until its new parent has reaped it.
    try Wait.until("the end of the group") {
      try place.shell("ps -eo pgid,stat | awk '$1 == \(group) && $2 !~ /Z/'").output.isEmpty
    }
    let load = try #require(loads().last)
    #expect(load["state"].text == "failed" && load["reason"].text == "timed out after 3 s")
  }

  @Test func aCommandThatEndsInTimeIsLeftAlone() throws {
    #expect(try sh("echo out; exit 5", "--timeout", "10m") == Finished(code: 5, output: "out\n", errors: ""))
  }

  /// Together with the time of the clock they exceed the numbers of nanoseconds.
  @Test func theLongestLimitsNeverEnd() throws {
    let longest = "15250w1d23h47m16s"
    // They take a while to end: a limit that is over at once would kill them meanwhile.
    let ran = Finished(code: 0, output: "ran\n", errors: "")
    #expect(try sh("sleep 0.3; echo ran", "--timeout", longest) == ran)
    let text = "trap 'sleep 0.3; echo bye; exit 0' TERM; while :; do sleep 0.02; done"
    let killed = try sh(text, "--timeout", Self.enough, "--kill-after", longest)
    #expect(killed.code == 124 && killed.output == "bye\n", "\(killed)")
  }

  @Test func aCommandThatEndsAtTermIsNotKilled() throws {
    let answer = try sh(
      "trap 'echo bye; exit 0' TERM; while :; do sleep 0.02; done", "--timeout", Self.enough)
    // The shell reports that its `sleep` was ended, too.
    #expect(answer.code == 124 && answer.output == "bye\n")
    #expect(try loads().last?["reason"].text == "timed out after 3 s")
  }

  /// The command stops `run`, and ends; what it leaves behind lets `run` go on when the limit is long over.
  @Test func aCommandThatEndsInTimeIsNotLateBecauseRunIs() throws {
    let answer = try sh(
      "(sleep 4; kill -CONT $PPID) & kill -STOP $PPID; echo done", "--timeout", Self.enough)
    #expect(answer == Finished(code: 0, output: "done\n", errors: ""), "\(answer)")
    #expect(try loads().last?["state"].text == "succeeded")
  }

  /// The limit is a time on the boot clock, which goes on in a suspend, and a wait for it does not.
  @Test(.enabled("needs a C compiler and a preloading linker") { MovedClocks.canBe })
  func aLimitThatPassesInASuspendIsOverAtTheResume() throws {
    let clocks = try MovedClocks(place)
    // `run` passes the line on when it has begun to wait for the limit.
    let run = try place.start(
      ["loadlog", "run", "f", "--timeout", "1h", "--keep-stderr", "--"]
        + ["sh", "-c", "echo up >&2; exec sleep 60"])
    try Wait.until("the command") { run.errors == "up\n" }
    try clocks.move(wall: 8 * 3600, boot: 8 * 3600)
    #expect(try run.wait().code == 124)
    #expect(try loads().last?["reason"].text == "timed out after 1 h: up")
  }

  /// Nothing else waits there for processes whose parents have ended. Without that, this test would not end either.
  @Test(.enabled("unshare needs root") { Place.has("unshare") && getuid() == 0 })
  func theFirstProcessOfAContainerWaitsForNothingThatHasEnded() throws {
    let run = "loadlog run f --timeout \(Self.enough) --kill-after 15250w -- sh -c 'sleep 600; true'"
    let answer = try place.shell("exec setsid --wait unshare --pid --fork --mount-proc \(run)")
    #expect(answer.code == 124, "\(answer)")
  }

  /// What a parent that has ended leaves behind goes to the next process above that takes it: here to one that waits for
  /// nothing but `run`, as the first process of a container may. Without that, this test would not end either.
  @Test(.enabled("needs python3 and Linux") { Place.has("python3") && Place.hasProc })
  func childrenThatHaveEndedNeedNoOtherProcess() throws {
    let script = try place.write(
      """
      import ctypes, subprocess, sys
      assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0  # PR_SET_CHILD_SUBREAPER
      sys.exit(subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True).returncode)
      """, to: "above.py")
    let run = ["loadlog", "run", "f", "--timeout", Self.enough, "--kill-after", "15250w", "--"]
    let command = ["sh", "-c", "sleep 600 & exec sleep 600"]
    let answer = try place.start(["python3", script] + run + command).wait()
    #expect(answer.code == 124, "\(answer)")
  }

  /// The shell that starts it has ended: `run` inherits it, and must not keep it until the end of the command.
  @Test(.enabled("setsid is not installed") { Place.has("setsid") })
  func orphansThatEndAreWaitedForMeanwhile() throws {
    let text = "orphan=$(true & echo $!); while kill -0 $orphan; do sleep 0.02; done 2> /dev/null"
    let run = ["loadlog", "run", "f", "--timeout", "60s", "--", "sh", "-c", text]
    #expect(try place.start(["setsid", "--wait"] + run).wait().code == 0)
  }

  @Test(.enabled("setsid is not installed") { Place.has("setsid") })
  func aStoppedCommandEndsToo() throws {
    let command = ["loadlog", "run", "f", "--timeout", Self.enough, "--", "sh", "-c", "kill -STOP $$"]
    #expect(try place.start(["setsid", "--wait"] + command).wait().code == 124)
  }

  @Test(
    arguments: [
      ["--timeout", "0s"], ["--timeout", "soon"], ["--kill-after", "1s"], ["--delay", "1s"],
      ["--retry", "0"],
      ["--retry", "1001"], ["--retry", "1", "--delay", "-1s"], ["--timeout", "1s", "--kill-after", "x"],
    ])
  func wrongLimitsAreWrongUsage(options: [String]) throws {
    let answer = try place.loadlog(["run", "f"] + options + ["--", "echo", "ran"])
    #expect(answer.code == 2 && answer.output == "" && answer.isOneComplaint, "\(answer)")
    #expect(!FileManager.default.fileExists(atPath: place.store))
  }

  // MARK: Attempts

  @Test func eachAttemptIsALoad() throws {
    let text = "echo x >> \(place.folder.path)/count; test $(wc -l < \(place.folder.path)/count) -ge 3"
    #expect(try sh(text, "--retry", "5").code == 0)
    let loads = try loads()
    #expect(loads.map(\.["state"].text) == ["failed", "failed", "succeeded"])
    #expect(loads.map(\.["run"]["attempt"].int) == [1, 2, 3])
    #expect(loads.map(\.["run"]["retried"].bool) == [true, true, false])
    #expect(
      try place.loadlog("show", #require(loads[1]["id"].text)).output.contains(
        "attempt     2, to be retried"))
  }

  @Test func theLastAttemptDecides() throws {
    #expect(try sh("exit 6", "--retry", "2", "--delay", "10ms").code == 6)
    #expect(try loads().map(\.["run"]["retried"].bool) == [true, true, false])
    let status = try place.status("f")
    #expect(status["failed"].int == 3 && status["last_failure"].text == "exit 6")
    #expect(
      try place.sqlite("SELECT attempt, retried, user_time IS NOT NULL FROM session_history")
        == "1|1|1\n2|1|1\n3|0|1\n")
  }

  /// While another attempt is to follow, the feed is not failing; when none follows after all, it is.
  @Test func aFailureCountsWhenNoAttemptFollows() throws {
    let run = try place.start([
      "loadlog", "run", "f", "--retry", "1", "--delay", "1h", "--", "sh", "-c", "exit 6",
    ])
    try Wait.until("the first attempt") { try place.loadlog("history").output.contains("exit 6") }
    #expect(try place.status("f")["last_failed"].isNull)
    #expect(try place.sqlite("SELECT last_failed FROM feed_status") == "\n")
    #expect(try place.loadlog("status").output.contains("–"))
    run.signal(SIGTERM)
    #expect(try run.wait().code == 6)
    #expect(try place.status("f")["last_failure"].text == "exit 6")
    #expect(try loads().map(\.["run"]["retried"].bool) == [false])
  }

  /// Runs a command that fails, and kills loadlog before the next attempt.
  private func failAndDie(_ code: Int, _ options: String...) throws {
    let command = ["loadlog", "run", "f", "--retry", "2", "--delay", "1h"] + options
    let run = try place.start(command + ["--", "sh", "-c", "exit \(code)"])
    try Wait.until("the first attempt") { try place.loadlog("history").output.contains("exit \(code)") }
    #expect(try !place.loadlog("status", "--check").output.contains("exit \(code)"))
    run.signal(SIGKILL)
    _ = try run.wait()
  }

  private func problem() throws -> String {
    try place.loadlog("status", "--check").output.split(separator: "\n").first { $0.contains("failing") }.map(
      String.init) ?? ""
  }

  /// Nothing else would ever report it.
  @Test func aFailureCountsWhenLoadlogDiesBeforeTheNextAttempt() throws {
    try failAndDie(6, "--call-site", "a.sh:1")
    #expect(try problem().contains("exit 6"))
    #expect(try place.loadlog("status").output.contains("a.sh:1"))
    #expect(try place.status("f")["last_failure"].text == "exit 6")
    try place.loadlog("run", "f", "--", "true")
    #expect(try place.loadlog("status", "--check").code == 0)
  }

  @Test func aLaterVerdictThanThatOfADeadRetryIsTheLast() throws {
    let id = try place.loadlog("start", "f", "--detached").output.split(separator: "\n").first.map(
      String.init)
    try failAndDie(6)
    try place.loadlog("run", "f", "--", "sh", "-c", "exit 7")
    #expect(try problem().contains("exit 7"))
    #expect(try place.status("f")["failures"].int == 2)
    try place.loadlog("finish", try #require(id))
    #expect(try problem() == "", "as after other failures")
  }

  @Test func pruningKeepsWhatADeadRetryFailed() throws {
    try place.loadlog("run", "f", "--", "true")
    try failAndDie(6)
    let id = try place.loadlog("start", "f", "--detached").output.split(separator: "\n").first.map(
      String.init)
    try place.loadlog("finish", try #require(id), "--cancelled")
    let before = try problem()
    try place.loadlog("prune", "--older-than", "1ms")
    #expect(try problem() == before && before.contains("exit 6"))
  }

  /// Of two failures the later one stays, once it counts.
  @Test func pruneReportsWhatItDeletesAfterTheFailuresOfDeadCommandsCount() throws {
    _ = try sh("exit 5")
    try failAndDie(6)
    let pruned = try place.ask("prune", "--older-than", "1ms")
    #expect(pruned["loads"].int == 1 && pruned["feeds"].all.map(\.["feed"].text) == ["f"])
    #expect(try loads().map(\.["reason"].text) == ["exit 6"])
  }

  /// What status names, and what pruning keeps.
  @Test func theLastFailureIsAFinalOne() throws {
    _ = try sh("exit 5", "--call-site", "first:1")
    let command = ["loadlog", "run", "f", "--retry", "1", "--delay", "1h", "--call-site", "second:2"]
    let run = try place.start(command + ["--", "sh", "-c", "exit 6"])
    try Wait.until("the first attempt") { try place.loadlog("history").output.contains("exit 6") }
    let status = try place.loadlog("status").output
    #expect(
      status.contains("exit 5") && status.contains("first:1") && !status.contains("second:2"), "\(status)")
    try place.loadlog("prune", "--older-than", "1ms")
    #expect(try loads().map(\.["reason"].text) == ["exit 5", "exit 6"])
    run.signal(SIGTERM)
    _ = try run.wait()
    #expect(try place.loadlog("status").output.contains("second:2"))
  }

  @Test func aCommandThatWasToEndIsNotRunAgain() throws {
    let run = try place.start(["loadlog", "run", "f", "--retry", "3", "--", "sh", "-c", "echo up; exec cat"])
    #expect(try run.line() == "up")
    run.signal(SIGTERM)
    #expect(try run.wait() == Finished(code: 143, output: "up\n", errors: ""))
    #expect(try loads().map(\.["run"]["retried"].bool) == [false])
  }

  @Test(arguments: [["no-such-command-at-all"], ["sh", "-c", "kill -INT $$"]])
  func whatIsNoFailureIsNotRunAgain(command: [String]) throws {
    try place.loadlog(["run", "f", "--retry", "3", "--"] + command)
    #expect(try loads().count == 1)
  }

  @Test func onlyTheLastFailureIsShown() throws {
    let text = "echo x >> \(place.folder.path)/count; wc -l < \(place.folder.path)/count; exit 1"
    let answer = try sh(text, "--retry", "2", "--output-on-failure", "--keep-output")
    #expect(answer == Finished(code: 1, output: "3\n", errors: ""))
    let ids = try loads().compactMap(\.["id"].text)
    #expect(try ids.map { try place.loadlog("output", $0).output } == ["1\n", "2\n", "3\n"])
  }

  /// A failure that was to be retried, and is not, is the last one.
  @Test func theLastFailureIsShownIfNoAttemptFollows() throws {
    let run = try place.start(
      ["loadlog", "run", "f", "--retry", "1", "--delay", "1h", "--output-on-failure", "--"]
        + ["sh", "-c", "echo why; exit 6"])
    try Wait.until("the first attempt") { try place.loadlog("history").output.contains("exit 6") }
    run.signal(SIGTERM)
    #expect(try run.wait() == Finished(code: 6, output: "why\n", errors: ""))
    let text = "echo why; loadlog start f --owner-pid \(getpid()) > \(place.folder.path)/other; exit 6"
    let answer = try sh(text, "--retry", "1", "--no-overlap", "--output-on-failure")
    #expect(answer.code == 6 && answer.output == "why\n" && answer.isOneComplaint, "\(answer)")
    #expect(answer.errors.contains("so it was not run again."), "\(answer)")
  }

  // MARK: Overlaps

  @Test func aRunningLoadKeepsOthersOut() throws {
    let first = try place.start([
      "loadlog", "run", "f", "--no-overlap", "--", "sh", "-c", "echo up; exec cat",
    ])
    #expect(try first.line() == "up")
    let second = try sh("echo ran", "--no-overlap")
    #expect(second.code == 75 && second.output == "" && second.isOneComplaint, "\(second)")
    #expect(try sh("echo ran", "--no-overlap", "-q") == Finished(code: 75, output: "", errors: ""))
    #expect(try sh("echo ran").output == "ran\n")
    #expect(try place.loadlog("run", "g", "--no-overlap", "--", "true").code == 0)
    #expect(try place.status("f")["overlaps"].int == 2)
    #expect(
      try place.sqlite("SELECT feed, overlaps, loads FROM feed_status ORDER BY feed") == "f|2|2\ng|0|1\n")
    first.closeInput()
    #expect(try first.wait().code == 0)
    #expect(try sh("echo ran", "--no-overlap").output == "ran\n")
    let text = try place.loadlog("export").output
    #expect(text.contains(#""overlaps":2"#))
    place.environment["LOADLOG_DB"] = place.folder.path + "/again.db"
    try place.loadlog(["import", "-"], input: .text(text))
    #expect(try place.loadlog("export").output == text)
  }

  @Test func theCommandToShowTheOtherLoadNamesTheStore() throws {
    let store = place.folder.path + "/other store.db"
    let options = ["--db", store, "--no-overlap", "--"]
    let first = try place.start(["loadlog", "run", "f"] + options + ["sh", "-c", "echo up; exec cat"])
    #expect(try first.line() == "up")
    let second = try place.loadlog(["run", "f"] + options + ["true"])
    let command = try #require(second.errors.firstMatch(of: /See: (loadlog show .*)\n$/), "\(second)").1
    #expect(try place.shell(String(command)).code == 0)
  }

  @Test func aDeadOwnerPreventsNoRun() throws {
    let first = try place.start([
      "loadlog", "run", "f", "--no-overlap", "--", "sh", "-c", "echo up; exec cat",
    ])
    #expect(try first.line() == "up")
    try first.killAndReap()
    #expect(try sh("echo ran", "--no-overlap") == Finished(code: 0, output: "ran\n", errors: ""))
  }

  @Test func anOwnerThatCannotBeSeenPreventsNoRun() throws {
    _ = try place.begin("f")
    #expect(try sh("true", "--no-overlap").code == 75)
    let record = try place.loadlog("export").output
    let elsewhere = record.replacing(/"(machine|boot)_id":"[^"]*"/) { #""\#($0.1)_id":"another""# }
    #expect(elsewhere != record)
    place.environment["LOADLOG_DB"] = place.folder.path + "/elsewhere.db"
    try place.loadlog("import", "-", "--format", "ndjson", input: .text(elsewhere))
    #expect(try place.status("f")["unknown"].int == 1)
    #expect(try sh("echo ran", "--no-overlap") == Finished(code: 0, output: "ran\n", errors: ""))
  }

  /// Of many that start at once, one runs.
  @Test func oneOfManyRuns() throws {
    let text = """
      loadlog run f -- true
      for i in 1 2 3 4 5 6; do
        (loadlog run f --no-overlap -q -- sh -c 'echo ran; cat'; echo $?) <&0 &
      done
      wait
      """
    let shell = try place.script(text)
    for line in 0..<6 { _ = try shell.line(line) }
    shell.closeInput()
    let lines = try shell.wait().output.split(separator: "\n")
    #expect(lines.filter { $0 == "ran" }.count == 1 && lines.filter { $0 == "75" }.count == 5, "\(lines)")
  }

  @Test func aStoreThatCannotBeUsedPreventsNoRun() throws {
    try place.write("no store", to: "store/loads.db")
    let answer = try sh("echo ran", "--no-overlap")
    #expect(answer.code == 0 && answer.output == "ran\n" && answer.isOneComplaint)
  }

  // MARK: What a command used

  @Test func timeAndMemoryAreRecorded() throws {
    let script = try place.write(
      "import hashlib\nhashlib.sha256(bytearray(200_000_000)).digest()\n", to: "use.py")
    try #require(Place.has("python3"))
    // Linux counts the memory of the process that starts another one: here of a shell, not of the tests.
    try place.shell("loadlog run f -- python3 \(script); true")
    let run = try #require(loads().last)["run"]
    #expect(run["user_time"].number ?? 0 > 0 && run["system_time"].number ?? 0 > 0)
    #expect((200_000_000...400_000_000).contains(run["max_memory"].int ?? 0), "\(run)")
    let shown = try place.loadlog("show", #require(loads().last?["id"].text)).output
    #expect(shown.contains(" system time, 2") && shown.contains(" MB of memory"), "\(shown)")
  }
}

import Foundation
import Testing

/// Stores that another program holds, that are full, or that are being written to.
@Suite(.enabled("the sqlite3 shell is not installed") { Place.has("sqlite3") })
struct BusyStoreTests {
  private let place: Place

  init() throws { place = try Place() }

  /// Command lines to run on a store that cannot be written to, and their exit codes.
  private static let commands = [
    ["run", "f", "--", "sh", "-c", "echo ran; exit 7"], ["pop", "f"], ["status"],
    ["prune", "--older-than", "1d"],
    ["doctor", "--repair"],
  ]
  private static let codes: [Int32] = [7, 4, 0, 4, 4]

  /// Runs all commands while another process holds the store.
  private func answersWhileHeld() throws -> [Finished] {
    let programs = try Self.commands.map { try place.start(["loadlog"] + $0, input: .nothing) }
    return try programs.map { try $0.wait() }
  }

  @Test func aLockedStoreStopsNoCommand() throws {
    try place.loadlog("push", "f")
    let holder = try hold()
    let answers = try answersWhileHeld()
    #expect(answers.map(\.code) == Self.codes)
    #expect(answers[0].output == "ran\n")
    #expect(answers[0].errors.hasPrefix("loadlog: not recorded: "))
    for answer in answers where answer.code != 0 { #expect(answer.isOneComplaint, "\(answer)") }
    #expect(answers[1].output == "")
    #expect(answers[2].errors == "")
    holder.closeInput()
    _ = try holder.wait()
    #expect(try place.loadlog("push", "f").output == "2\n", "what was refused must not appear later")
    #expect(try place.status("f")["loads"].int == 2)
  }

  @Test(.enabled("needs a C compiler and a preloading linker") { MovedClocks.canBe })
  func anImportThatFailsDoesNotWaitForMoreOfItsPipe() throws {
    try place.loadlog("push", "f")
    let holder = try hold()
    // Its 30 s for a transaction end soon, but not before it has read all lines and waits for more.
    try MovedClocks(place).hurry(place, milliseconds: 100)
    let program = try place.start(["loadlog", "import", "--format", "ndjson", "-"])
    let event = #"{"event":"push","feed":"f","at":"2026-11-20T09:00:00Z"}"# + "\n"
    program.write(String(repeating: event, count: 20_000))
    let answer = try program.wait()
    #expect(answer.code == 4 && answer.isOneComplaint, "\(answer)")
    holder.closeInput()
    _ = try holder.wait()
  }

  /// Starts a program that keeps all others from writing to the store until its input ends.
  private func hold() throws -> RunningProgram {
    let holder = try place.start(["sqlite3", "-batch", place.store])
    holder.write("BEGIN IMMEDIATE; SELECT 'held';\n")
    #expect(try holder.line() == "held")
    return holder
  }

  /// The command with which a complaint of `run` says that the missing end can be recorded.
  private static func advice(_ errors: some StringProtocol) throws -> String {
    let complaint = /loadlog: end not recorded: .* run this: (loadlog finish .*)\n$/
    return try String(#require(String(errors).firstMatch(of: complaint), "\(errors)").1)
  }

  /// Without its end, the load would count as crashed.
  @Test(
    arguments: [
      ("exit 0", 0, "succeeded", nil), ("exit 3", 3, "unchanged", nil),
      ("echo \"can't\" >&2; exit 4", 4, "failed", "exit 4: can't"),
      ("kill -INT $$", 130, "cancelled", "interrupted"), ("kill -KILL $$", 137, "failed", "signal 9"),
    ] as [(String, Int32, String, String?)])
  func anEndThatIsNotRecordedCanBeRecordedLater(
    end: String, code: Int32, state: String, reason: String?
  ) throws {
    let command = ["sh", "-c", "echo begun; read x; \(end)"]
    let run = try place.start(
      ["loadlog", "run", "f", "--unchanged-exit", "3", "--keep-stderr", "--"] + command)
    #expect(try run.line() == "begun")
    let holder = try hold()
    run.write("\n")
    let answer = try run.wait()
    #expect(answer.code == code)
    holder.closeInput()
    _ = try holder.wait()
    #expect(try place.shell(Self.advice(answer.errors)).code == 0)
    let load = try place.ask("history")["loads"][0]
    #expect(load["state"].text == state && load["reason"].text == reason, "\(load)")
    #expect(try place.status("f")["unbalanced"]["total"].int == 0)
  }

  /// What a close records is the end of the process, not of a load.
  @Test func aCloseThatIsNotRecordedIsNoMissingEnd() throws {
    let pipe = place.folder.path + "/errors"
    // The last line of `run` waits behind what its command has put into the pipe, between the end of the load and the close.
    let fill = try place.write(
      """
      import os, sys
      pipe = os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK)
      for size in 4096, 1:
          try:
              while True:
                  os.write(pipe, bytes(size))
          except BlockingIOError:
              pass
      """, to: "fill.py")
    let run = try place.script(
      """
      mkfifo \(pipe); exec 3<>\(pipe)
      loadlog run f --verbose -- python3 \(fill) \(pipe) 2>&3
      """)
    try Wait.until("the end of the load") {
      let status = try place.loadlog("status", "f", "--json")
      return try status.code == 0 && Answer(status.output)["feeds"][0]["succeeded"].int == 1
    }
    let holder = try hold()
    let reader = try place.start(["cat", pipe], input: .nothing)
    #expect(try run.wait().code == 0)
    let errors = try reader.wait().output
    #expect(errors.contains("f succeeded in ") && !errors.contains("recorded"), "\(errors.suffix(300))")
    holder.closeInput()
    _ = try holder.wait()
  }

  /// Recorded again, such an end would be one too many.
  @Test func anEndThatIsRecordedBeforeTheNextAttemptIsNotMissing() throws {
    let command = "[ -e $HOME/again ] && exit 0; touch $HOME/again; echo begun; read x; exit 3"
    let run = try place.start(
      ["loadlog", "run", "f", "--verbose", "--retry", "1", "--delay", "5s", "--", "sh", "-c", command])
    #expect(try run.line() == "begun")
    let holder = try hold()
    run.write("\n")
    try Wait.until("the wait for the next attempt") { run.errors.contains("attempt 2 of 2 follows") }
    holder.closeInput()
    _ = try holder.wait()
    let answer = try run.wait()
    #expect(answer.code == 0 && !answer.errors.contains("recorded"), "\(answer)")
    let status = try place.status("f")
    #expect(status["loads"].int == 2 && status["failed"].int == 1, "\(status)")
    #expect(status["unbalanced"]["total"].int == 0)
  }

  @Test func theEndOfAnAttemptIsAdvisedIfTheNextOneIsNotRecorded() throws {
    let command = "[ -e $HOME/again ] && exit 0; touch $HOME/again; echo begun; read x; exit 3"
    let run = try place.start(["loadlog", "run", "f", "--retry", "1", "--", "sh", "-c", command])
    #expect(try run.line() == "begun")
    let holder = try hold()
    run.write("\n")
    let answer = try run.wait()
    holder.closeInput()
    _ = try holder.wait()
    #expect(answer.code == 0 && answer.errorLines.count == 2, "\(answer)")
    #expect(try place.shell(Self.advice(answer.errors)).code == 0)
    let status = try place.status("f")
    #expect(status["loads"].int == 1 && status["failed"].int == 1, "\(status)")
    #expect(status["unbalanced"]["total"].int == 0)
  }

  /// In a new store, that end would be one without a start.
  @Test(arguments: [([], 3), (["--retry", "1"], 0)] as [([String], Int32)])
  func noEndIsAdvisedWithoutItsStart(_ options: [String], code: Int32) throws {
    let command = "[ -e $HOME/again ] && exit 0; touch $HOME/again; echo begun; read x; exit 3"
    let run = try place.start(["loadlog", "run", "f"] + options + ["--", "sh", "-c", command])
    #expect(try run.line() == "begun")
    for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: place.store + suffix) }
    run.write("\n")
    let answer = try run.wait()
    #expect(answer.code == code && answer.isOneComplaint, "\(answer)")
    #expect(
      answer.errors.contains("end not recorded") && !answer.errors.contains("loadlog finish"), "\(answer)")
  }

  @Test func noEndIsAdvisedIfTheFolderOfTheStoreWasMoved() throws {
    let run = try place.start(["loadlog", "run", "f", "--", "sh", "-c", "echo begun; read x; exit 3"])
    #expect(try run.line() == "begun")
    let folder = place.folder.path + "/store"
    try FileManager.default.moveItem(atPath: folder, toPath: folder + "-moved")
    run.write("\n")
    let answer = try run.wait()
    #expect(answer.code == 3 && answer.isOneComplaint, "\(answer)")
    #expect(answer.errors.hasPrefix("loadlog: end not recorded: store "), "\(answer)")
    #expect(answer.errors.contains("moved") && !answer.errors.contains("loadlog finish"), "\(answer)")
  }

  @Test(.enabled("flock is not installed") { Place.has("flock") })
  func aHeldGateStopsNoCommandAndNoReader() throws {
    try place.loadlog("push", "f")
    let holder = try place.start(["flock", place.store + "-gate", "sh", "-c", "echo held; exec cat"])
    #expect(try holder.line() == "held")
    let answers = try answersWhileHeld()
    #expect(answers.map(\.code) == Self.codes)
    #expect(answers[0].output == "ran\n")
    for answer in answers where answer.code != 0 { #expect(answer.isOneComplaint, "\(answer)") }
    holder.closeInput()
    _ = try holder.wait()
    #expect(try place.loadlog("pop", "f") == Finished(code: 0, output: "0\n", errors: ""))
    #expect(try place.status("f")["loads"].int == 1)
  }

  @Test(.enabled("flock is not installed") { Place.has("flock") })
  func aNewStoreIsMadeUnderTheGate() throws {
    let gate = try place.write("", to: "store/loads.db-gate")
    let holder = try place.start(["flock", gate, "sh", "-c", "echo held; exec cat"])
    #expect(try holder.line() == "held")
    #expect(try place.loadlog("push", "f").code == 4)
    #expect(!FileManager.default.fileExists(atPath: place.store))
    holder.closeInput()
    _ = try holder.wait()
    #expect(try place.loadlog("push", "f") == Finished(code: 0, output: "1\n", errors: ""))
  }

  /// Sets the wall clock back ten days while the command waits: a wait until a wall time would take ten days more.
  @Test(
    .enabled("needs flock, a C compiler and a preloading linker") { Place.has("flock") && MovedClocks.canBe })
  func aClockThatIsSetBackMovesNoDeadline() throws {
    try place.loadlog("push", "f")
    let holder = try place.start(["flock", place.store + "-gate", "sh", "-c", "echo held; exec cat"])
    #expect(try holder.line() == "held")
    let clocks = try MovedClocks(place)
    try clocks.move(wall: 864_000)
    let answer = try place.start(["timeout", "60", "loadlog", "pop", "f"], input: .nothing).wait()
    #expect(answer.code == 4 && answer.isOneComplaint, "\(answer)")
    holder.closeInput()
    _ = try holder.wait()
  }

  /// The wait for the store is no part of the load.
  @Test(
    .enabled("needs flock, a C compiler and a preloading linker") { Place.has("flock") && MovedClocks.canBe })
  func aDurationCountsFromTheStartOfTheCommand() throws {
    try place.loadlog("push", "f")
    let clocks = try MovedClocks(place)
    var ahead = 0
    // On a busy machine the deadline of a run can pass before this thread looks. Such a run complains: try again.
    try Wait.until("a run that waits for the gate and is recorded") {
      let holder = try place.start(["flock", place.store + "-gate", "sh", "-c", "echo held; exec cat"])
      #expect(try holder.line() == "held")
      let run = try place.start(["loadlog", "run", "g", "--", "true"], input: .nothing)
      try Wait.until("a run that waits for the gate") {
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
        return !run.errors.isEmpty
          || locks.contains { $0.contains("-> FLOCK") && $0.contains(" \(run.pid) ") }
      }
      ahead += 2
      try clocks.move(wall: ahead, boot: ahead)
      holder.closeInput()
      _ = try holder.wait()
      let ended = try run.wait()
      #expect(ended.code == 0, "\(ended)")
      return run.errors.isEmpty
    }
    let load = try place.ask("history", "g")["loads"][0]
    #expect(try #require(load["duration"].number) < 2)
    #expect(load["clock_jump"].isNull)
  }

  /// A limit on processes counts threads. A verb that cannot start one says so, and none waits for one forever.
  @Test(
    .enabled("needs root to act as another user") { Root.isHere && Place.has("setpriv") },
    arguments: [
      "push f", "start f", "pop f", "reset f", "status", "history", "show 0123", "unbalanced",
      "last-updated f", "import loads.ndjson", "export", "report -o r.html", "doctor", "doctor --repair",
      "prune --older-than 1d", "demo",
    ])
  func withoutAThreadItGivesUp(verb: String) throws {
    try place.loadlog("push", "f")
    try place.write(try place.loadlog("export").output, to: "store/loads.ndjson")
    let user = 64_000 + Int.random(in: 0..<1000)
    try place.shell("chmod 755 \(place.folder.path); chown -R \(user) \(place.folder.path)/store")
    func run(limit: Int) throws -> Finished {
      let limited = "ulimit -u \(limit); exec setpriv --reuid \(user) --regid \(user) --clear-groups"
      return try place.shell(
        "cd \(place.folder.path)/store; timeout 60 bash -c '\(limited) loadlog \(verb)' < /dev/null")
    }
    let answer = try run(limit: 1)
    #expect(answer.code == 5 && answer.output == "" && answer.isOneComplaint, "\(answer)")
    for limit in 2...5 where verb != "demo" { #expect(try run(limit: limit).code != 124, "\(limit)") }
  }

  @Test(arguments: [4, 8, 64]) func aLimitOnFileSizesStopsNoCommand(kilobytes: Int) throws {
    let text = "ulimit -f \(kilobytes); loadlog run f -- sh -c 'echo ran | cat; exit 7'"
    let answer = try place.shell("(\(text)) | cat; exit ${PIPESTATUS[0]}")
    #expect(answer.code == 7)
    #expect(answer.output == "ran\n")
    #expect(
      answer.errorLines.count == 1 && answer.errors.hasPrefix("loadlog: not recorded: "), "\(answer.errors)")
    let limited = try place.shell("ulimit -f \(kilobytes); loadlog push f")
    #expect(limited.code == 5, "\(limited.errors)")
    #expect(limited.isOneComplaint)
    #expect(limited.output == "")
    let left = try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/store")
    #expect(!left.contains { $0.contains("-owner-") }, "an owner that was never recorded leaves no lock")
  }

  /// The first process to open the store rebuilds the index of the log; the others wait for it and succeed.
  @Test func manyMayOpenAtOnce() throws {
    try place.loadlog("push", "f")
    let worker = "for i in 1 2 3 4 5 6 7 8 9 10; do loadlog push f; loadlog last-updated f; done"
    let answer = try place.shell(
      "for w in 1 2 3 4; do (\(worker)) & done >$HOME/counts; wait; wc -l <$HOME/counts")
    #expect(answer.errors == "")
    #expect(answer.output.trimmingCharacters(in: .whitespacesAndNewlines) == "80")
    #expect(try place.loadlog("pop", "f").output == "40\n")
  }

  @Test func theLimitReachesTheCommandAsItWas() throws {
    let text = "ulimit -f 8; loadlog run f -- sh -c 'head -c 99999 /dev/zero > \(place.folder.path)/big'"
    #expect(try place.shell(text).code == 128 + SIGXFSZ)
  }

  @Test(.enabled("no right to mount here (needs root)") { Root.canUnshare })
  func aFullDiskStopsNoCommand() throws {
    let folder = place.folder.path + "/disk"
    let text = """
      mkdir \(folder); mount -t tmpfs -o size=1m tmpfs \(folder); export LOADLOG_DB=\(folder)/loads.db
      loadlog run f -- true || exit 99
      head -c 2m /dev/zero > \(folder)/ballast 2>/dev/null
      loadlog run f -- sh -c 'echo ran; exit 7'; echo $?
      loadlog push f; echo $?
      loadlog status --json
      rm \(folder)/ballast; loadlog push f; loadlog doctor >&2; echo $?
      """
    let script = try place.write(text, to: "full.sh")
    let answer = try place.start(["unshare", "--mount", "bash", script]).wait()
    let lines = answer.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "ran")
    #expect(lines.dropFirst().first == "7")
    #expect(lines.suffix(2) == ["1", "0"], "\(answer)")
    let complaints = answer.errorLines.filter { $0.hasPrefix("loadlog: ") }
    #expect(complaints.count <= 2, "\(complaints)")
    #expect(answer.code == 0)
  }

  @Test(.enabled("no right to mount here (needs root)") { Root.canUnshare })
  func aCopyWithoutRoomNamesItselfAndNotTheStore() throws {
    let folder = place.folder.path + "/disk"
    try place.loadlog("push", "f")
    let text = """
      mkdir \(folder); mount -t tmpfs -o size=64k tmpfs \(folder)
      loadlog export -o \(folder)/copy.db; echo $?; ls \(folder)
      """
    let script = try place.write(text, to: "full.sh")
    let answer = try place.start(["unshare", "--mount", "bash", script]).wait()
    #expect(answer.output == "5\n" && answer.isOneComplaint, "\(answer)")
    #expect(answer.errors.contains("no space") && answer.errors.contains("\(folder)/copy.db"), "\(answer)")
    #expect(!answer.errors.contains(place.store))
  }

  @Test func theViewsAreReadableWhileAProcessWrites() throws {
    let writer = try place.start(["LoadLogStressFixture", place.store, "f", "400", "4"])
    _ = try writer.line()
    let views = [
      "SELECT feed, last_updated FROM feed_status", "SELECT count(*) FROM session_history",
      "SELECT count(*) FROM unbalanced",
    ]
    try Wait.until("the end of the writer") {
      for view in views {
        let answer = try place.start(["sqlite3", "-batch", "-readonly", place.store, view]).wait()
        #expect(answer.code == 0 && answer.errors == "", "\(answer)")
        #expect(!answer.output.isEmpty)
      }
      return writer.output.contains("closed")
    }
    #expect(try writer.wait().code == 0)
    #expect(
      try place.sqlite("SELECT count(*), count(DISTINCT id) FROM session_history WHERE state = 'succeeded'")
        == "400|400\n")
    #expect(try place.sqlite("SELECT count(*) FROM unbalanced") == "0\n")
  }
}

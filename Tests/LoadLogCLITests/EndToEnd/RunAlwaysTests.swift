import Foundation
import Testing

/// `run` runs its command wherever it is called.
@Suite struct RunAlwaysTests {
  private let place: Place

  init() throws { place = try Place() }

  /// Runs a script under an empty /proc, as in a chroot or an early boot.
  private func withoutProc(_ text: String) throws -> Finished {
    let none = place.folder.path + "/none"
    try FileManager.default.createDirectory(atPath: none, withIntermediateDirectories: true)
    let file = try place.write("mount --bind \(none) /proc || exit 99\n\(text)", to: "bare.sh")
    return try place.start(["unshare", "--mount", "bash", file]).wait()
  }

  @Test(.enabled("no right to mount here (needs root)") { Root.canUnshare })
  func commandsRunAndAreRecordedWithoutProc() throws {
    let answer = try withoutProc(
      """
      loadlog run f -- sh -c 'echo ran; exit 7'; echo $?
      loadlog run f -- printf '%s\\n' $'caf\\xe9' | od -An -c
      id=$(loadlog start g) && loadlog finish $id && echo finished
      loadlog push p; loadlog pop p; loadlog pop p; echo $?
      loadlog start; echo $?
      loadlog status --json
      """)
    let lines = answer.output.split(separator: "\n", maxSplits: 8).map(String.init)
    #expect(
      lines.prefix(8) == ["ran", "7", "   c   a   f 351  \\n", "finished", "1", "0", "0", "1"], "\(answer)")
    #expect(answer.errors.contains("Missing expected argument"))
    let feeds = try Answer(String(try #require(lines.last).drop { $0 != "{" }))["feeds"].all
    #expect(Set(feeds.map { $0["feed"].text }) == ["f", "g", "p"])
    #expect(try place.status("f")["failed"].int == 1)
    #expect(try place.status("g")["succeeded"].int == 1)
  }

  @Test(
    arguments: [
      "LOADLOG_DB=/dev/null", "LOADLOG_DB=/etc/passwd/l.db", "LOADLOG_DB=/etc/passwd", "LOADLOG_DB=/",
      "LOADLOG_DB=", "LOADLOG_DB=/proc/l.db", "-u LOADLOG_DB -u HOME -u XDG_STATE_HOME HOME=/dev/null",
    ])
  func nothingToRecordInStopsNoCommand(variables: String) throws {
    let answer = try place.shell("env \(variables) loadlog run f -- sh -c 'echo ran; exit 7'")
    #expect(answer.code == 7 && answer.output == "ran\n")
    #expect(answer.isOneComplaint && answer.errors.hasPrefix("loadlog: not recorded: "), "\(answer.errors)")
  }

  /// The disk holds up a commit for longer than the deadline: that of the first start, so that the end is in time or not, or
  /// that of the start of a second attempt.
  @Test(
    .enabled("strace is not installed") { Place.has("strace") },
    arguments: [(6, 1, []), (13, 1, []), (6, 2, ["--retry", "1"])])
  func aCommandWhoseStartASlowDiskHoldsUpGetsItsVerdict(seconds: Int, commit: Int, options: [String]) throws {
    try place.loadlog("push", "other")
    let delay = "inject=fdatasync:delay_enter=\(seconds)000000:when=\(commit)"
    let tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", delay]
    let command = ["loadlog", "run", "f"] + options + ["--", "sh", "-c", "echo ran; exit 7"]
    let answer = try place.start(tracer + command).wait()
    #expect(answer.code == 7 && answer.output.hasPrefix("ran\n"), "\(answer)")
    if commit == 1 { #expect(answer.errors.contains("not recorded yet: "), "\(answer)") }
    #expect(!answer.errors.contains("not recorded: "), "\(answer)")
    let states = try place.ask("history", "f")["loads"].all.map { $0["state"].text }
    #expect(states == Array(repeating: "failed", count: 1 + options.count / 2))
    #expect(try place.status("f")["unbalanced"]["total"].int == 0)
  }

  /// Cron sets few variables, and a container may set none.
  @Test func anEmptyEnvironmentStopsNoCommand() throws {
    let loadlog = Place.programs.appending(path: "loadlog").path
    for start in ["HOME=\(place.folder.path) \(loadlog) run f", "\(loadlog) run f --db \(place.store)"] {
      let answer = try place.shell("env -i \(start) -- /bin/sh -c 'echo ran; exit 7'")
      #expect(answer == Finished(code: 7, output: "ran\n", errors: ""), "\(start)")
    }
  }

  @Test func aFolderThatIsGoneStopsNoCommand() throws {
    let run = "loadlog run f --db l.db -- sh -c 'echo ran; exit 7'"
    let answer = try place.shell("mkdir $HOME/gone; cd $HOME/gone; rmdir ../gone; \(run)")
    #expect(answer.code == 7 && answer.output == "ran\n")
    #expect(answer.errors.contains("loadlog: not recorded: "), "\(answer.errors)")
  }
}

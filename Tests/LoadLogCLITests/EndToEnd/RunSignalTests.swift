import Foundation
import Testing

/// `run` and signals, and `run` on a terminal.
@Suite struct RunSignalTests {
  private let place: Place

  init() throws { place = try Place() }

  // Darwin does not say who sent a signal, so that some are taken for the terminal's, and has no signal 35.
  #if os(Linux)
    /// A command that prints when it is ready and which signal arrived.
    private static let listener = """
      for s in TERM HUP INT QUIT USR1 USR2 ALRM WINCH CONT ABRT PIPE XFSZ TSTP TTIN SEGV 35; do
        trap "echo $s; exit 40" $s
      done
      echo up; while :; do read -t 0.05 -r end; [ $? -ne 1 ] || exit 9; done
      """

    @Test(
      arguments: [
        (SIGTERM, "TERM"), (SIGHUP, "HUP"), (SIGINT, "INT"), (SIGQUIT, "QUIT"), (SIGUSR1, "USR1"),
        (SIGUSR2, "USR2"), (SIGALRM, "ALRM"), (SIGWINCH, "WINCH"), (SIGCONT, "CONT"), (SIGABRT, "ABRT"),
        (SIGPIPE, "PIPE"), (SIGXFSZ, "XFSZ"), (SIGTSTP, "TSTP"), (SIGTTIN, "TTIN"), (SIGSEGV, "SEGV"),
        (35, "35"),
      ])
    func aSignalToRunIsForwarded(signal: Int32, name: String) throws {
      let run = try place.start(["loadlog", "run", "f", "--", "bash", "-c", Self.listener])
      #expect(try run.line() == "up")
      run.signal(signal)
      let answer = try run.wait()
      #expect(answer == Finished(code: 40, output: "up\n\(name)\n", errors: ""))
      #expect(try place.ask("history")["loads"][0]["reason"].text == "exit 40")
    }
  #endif

  @Test(arguments: [SIGTERM, SIGHUP, SIGUSR1])
  func aSignalThatKillsTheCommandIsRecorded(signal: Int32) throws {
    let run = try place.start(["loadlog", "run", "f", "--", "sh", "-c", "echo up; exec cat"])
    #expect(try run.line() == "up")
    run.signal(signal)
    #expect(try run.wait() == Finished(code: 128 + signal, output: "up\n", errors: ""))
    let load = try place.ask("history")["loads"][0]
    #expect(load["state"].text == "failed")
    #expect(load["reason"].text == "signal \(signal)")
  }

  /// A shell sends SIGINT to the whole process group, so `run` itself must not die of it.
  @Test func anInterruptOfTheGroupCancels() throws {
    let group = "set -m; loadlog run f -- sh -c 'echo up; exec cat' <&0 & echo $!; wait $!; echo $?"
    let shell = try place.start(["bash", "-c", group])
    let pid = try #require(Int32(shell.line()))
    #expect(try shell.line(1) == "up")
    kill(-pid, SIGINT)
    #expect(try shell.line(2) == "130")
    let load = try place.ask("history")["loads"][0]
    #expect(load["state"].text == "cancelled")
    #expect(load["reason"].text == "interrupted")
    #expect(try place.unbalanced("f") == [:])
  }

  /// A shell continues the whole group, so that a command that was stopped has had its SIGCONT already. One that `run`
  /// passed on would be pending before the later SIGUSR1.
  @Test func aCommandThatWasContinuedGetsNoSecondSignal() throws {
    let file = try place.write(
      """
      import os, signal
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCONT, signal.SIGUSR1])
      print(os.getpid(), flush=True)
      signal.sigwait([signal.SIGCONT])
      print("continued", flush=True)
      signal.sigwait([signal.SIGUSR1])
      print("twice" if signal.SIGCONT in signal.sigpending() else "once")
      """, to: "once.py")
    let run = try place.start(["loadlog", "run", "f", "--", "python3", file])
    let command = try #require(Int32(run.line()))
    kill(command, SIGSTOP)
    try Wait.until("the stop") { try place.state(of: command) == "T" }
    kill(command, SIGCONT)
    #expect(try run.line(1) == "continued")
    run.signal(SIGCONT)
    run.signal(SIGUSR1)
    #expect(try run.line(2) == "once")
    #expect(try run.wait().code == 0)
  }

  /// Without a shell that does job control, a stopped `run` would never be continued: it must see the command's end.
  @Test(.enabled("setsid is not installed") { Place.has("setsid") })
  func aStoppedCommandStopsNoJobOfCron() throws {
    let command = ["loadlog", "run", "f", "--", "sh", "-c", "echo $$; kill -STOP $$; exit 5"]
    let run = try place.start(["setsid", "--wait"] + command)
    let pid = try #require(Int32(run.line()))
    try Wait.until("a stopped command") { try place.state(of: pid) == "T" }
    kill(pid, SIGCONT)
    #expect(try run.wait().code == 5)
  }

  @Test(.enabled("script is not installed") { Place.hasScript })
  func aTerminalKeepsOneLine() throws {
    place.environment["TERM"] = "xterm"
    place.environment["COLUMNS"] = "60"
    // The command ends after the test has seen the indicator.
    let command = "loadlog run f -m Wait --keep-stderr -- sh -c 'cat; exit 3' > /dev/null"
    let terminal = try place.start(["script", "-qec", command, "/dev/null"])
    try Wait.until("a spinner") { terminal.output.contains("f  Wait") }
    #expect(terminal.output.contains("\u{1B}[K"))
    terminal.write("\u{4}")  // the terminal's end of file, which it does not echo
    let answer = try terminal.wait()
    #expect(answer.code == 3)
    let lines = Screen.lines(of: answer.output).filter { !$0.isEmpty }
    #expect(lines.count == 1, "\(lines)")
    let spaces = String(repeating: " ", count: 59) + "\r"
    #expect(lines.first?.replacing(spaces, with: "").hasPrefix("f failed in ") == true, "\(lines)")
    #expect(lines.first?.hasSuffix("(exit 3)") == true, "\(lines)")
    #expect(
      answer.output.unicodeScalars.allSatisfy {
        !Hostile.contains($0) || "\r\n\u{1B}".unicodeScalars.contains($0)
      })
  }

  @Test(.enabled("script is not installed") { Place.hasScript })
  func aQuietRunLeavesATerminalAlone() throws {
    let answer = try place.start(["script", "-qec", "loadlog run f -q -- echo ran", "/dev/null"]).wait()
    #expect(answer.output == "ran\r\n")
  }
}

/// Renders a program's output as a terminal would, for the two control sequences that `run` uses.
enum Screen {
  static func lines(of output: String) -> [String] {
    var lines = [""]
    var rest = Array(output.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": if rest.first != "\n" { lines[lines.count - 1] += "\r" }
      case "\n": lines.append("")
      case "\u{1B}" where rest.starts(with: "[K".unicodeScalars):
        rest = rest.dropFirst(2)
        lines[lines.count - 1] = ""
      default: lines[lines.count - 1].unicodeScalars.append(scalar)
      }
    }
    return lines
  }
}

import Foundation
import TestProcesses
import Testing

/// `run` in an interactive shell on a terminal.
@Suite(.enabled("python3 is not installed") { Place.has("python3") })
struct RunTerminalTests {
  private let place: Place
  private static let script = TestPlaces.package.appending(path: "Tests/Scripts/terminal.py").path

  init() throws { place = try Place() }

  /// Types into a shell; see `terminal.py` for the steps.
  ///
  /// - Returns: what appeared on the terminal.
  private func type(_ steps: String...) throws -> String {
    let answer = try place.start(["python3", Self.script, "?$ "] + steps).wait()
    try #require(answer.code == 0, "\(answer.errors)")
    return answer.output
  }

  private func load() throws -> Answer { try place.ask("history")["loads"][0] }

  @Test func aCommandIsSuspendedAndContinuedWithRun() throws {
    let command = "bash -c 'trap \"echo again\" CONT; echo up; while :; do sleep 0.05; done'"
    _ = try type(
      "loadlog run f -- \(command)\n", "?up\r\n", "\u{1A}", "?Stopped", "jobs\n", "?Stopped", "fg\n",
      "?again\r\n", "\u{3}", "?f cancelled in ", "?$ ", "echo code $?\n", "?code 130\r\n")
    #expect(try load()["state"].text == "cancelled")
  }

  @Test func aCommandThatStopsItselfGivesTheShellItsPrompt() throws {
    _ = try type(
      "loadlog run f -- sh -c 'kill -STOP $$; echo again'\n", "?Stopped", "?$ ", "fg\n", "?again\r\n",
      "?f succeeded in ")
    #expect(try load()["state"].text == "succeeded")
  }

  /// `run` is stopped until the command has taken the interrupt, because two that wait are one. One that it passed on
  /// would then be pending before the later SIGUSR1 that it passes on for certain.
  @Test func anInterruptOfTheTerminalArrivesOnce() throws {
    let file = try place.write(
      """
      import os, signal
      run = os.getppid()
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGUSR1, signal.SIGCONT])
      os.kill(run, signal.SIGSTOP)
      print("up", flush=True)
      signal.sigwait([signal.SIGINT])
      os.kill(run, signal.SIGCONT)
      signal.sigwait([signal.SIGCONT])
      os.kill(run, signal.SIGUSR1)
      signal.sigwait([signal.SIGUSR1])
      print("twice" if signal.SIGINT in signal.sigpending() else "once")
      """, to: "once.py")
    _ = try type(
      "exec loadlog run f -- python3 \(file)\n", "?up\r\n", "\u{3}", "?once\r\n", "?f succeeded in ")
  }

  /// The command writes in two pieces, and the second one when the first has been followed. The line behind a carriage
  /// return may have ended, or not.
  @Test(arguments: [("\\342\\202", "\\254 euro", "€ euro"), ("10%%\\r", "20%%", "\\r20%")])
  func outputThatIsFollowedHasWholeCharacters(first: String, second: String, shown: String) throws {
    let go = place.folder.path + "/go"
    let text = "printf 'up\\n\(first)'; until [ -e \(go) ]; do sleep 0.01; done; printf '\(second)\\n'"
    let run = try place.start(["loadlog", "run", "f", "--keep-output", "--", "sh", "-c", text])
    #expect(try run.line() == "up")
    let id = try load()["id"].text ?? ""
    try Wait.until("the first piece") { try place.loadlog("output", id).output.count > 3 }
    _ = try type("loadlog output \(id) --follow &\n", "?up\r\n", "touch \(go)\n", "?\(shown)\r\n")
    #expect(try run.wait().code == 0)
  }

  @Test func aTerminalThatIsGoneEndsTheCommand() throws {
    let left = place.folder.path + "/left"
    let command = "bash -c 'trap \"echo gone > \(left); exit 4\" HUP; echo up; while :; do sleep 0.05; done'"
    _ = try type("exec loadlog run f -- \(command)\n", "?up\r\n", "!")
    try Wait.until("the end of the load") { try load()["state"].text == "failed" }
    #expect(try load()["reason"].text == "exit 4")
  }

  /// A prompt may be on standard error or output.
  @Test(
    arguments: ["", " --keep-stderr", " --keep-output"],
    ["read -p \"$(echo Name)? \" name", "printf \"$(echo Name)? \"; read name"])
  func thePromptOfACommandIsLeftAlone(options: String, asking: String) throws {
    // The shell's echo of the command must not look like the prompt.
    let command = "bash -c '\(asking); sleep 0.3; echo hello $name'"
    let shown = try type(
      "loadlog run f\(options) -- \(command)\n", "?Name? ", "Ada\n", "?hello Ada\r\n", "?f succeeded in ")
    #expect(shown.contains("Name? Ada\r\nhello Ada\r\n"), "\(shown)")
    #expect(!shown.contains("f  0 s"), "\(shown)")
  }

  /// The command's standard error passes through `run`, and its output goes elsewhere: the terminal is free.
  @Test func aFreeTerminalShowsProgress() throws {
    let shown = try type(
      "loadlog run f -m Wait --keep-stderr -- sh -c 'read x; exit 3' > /dev/null\n", "?f  Wait  0 s", "\n",
      "?f failed in ", "?(exit 3)\r\n")
    #expect(shown.contains("\u{1B}[K"), "\(shown)")
  }

  @Test func aTerminalThatCannotBeDrawnOnShowsTheResultAlone() throws {
    let shown = try type(
      "TERM=dumb loadlog run f --keep-stderr -- sh -c 'sleep 0.3; exit 3' > /dev/null\n",
      "?f failed in ", "?(exit 3)\r\n")
    #expect(!shown.contains("\u{1B}["), "\(shown.debugDescription)")
  }

  /// The command has pipes, but still its place in the shell's job.
  @Test func aCommandWithKeptOutputIsSuspendedAndInterrupted() throws {
    let command = "bash -c 'trap \"echo again\" CONT; echo up; while :; do sleep 0.05; done'"
    _ = try type(
      "loadlog run f --keep-output -- \(command)\n", "?up\r\n", "\u{1A}", "?Stopped", "?$ ", "fg\n",
      "?again\r\n",
      "\u{3}", "?f cancelled in ", "?$ ", "echo code $?\n", "?code 130\r\n")
    #expect(try place.loadlog("output", #require(load()["id"].text)).output == "up\nagain\n")
  }

  @Test func anInterruptEndsTheWaitForAnotherAttempt() throws {
    _ = try type(
      "loadlog run f --retry 3 --delay 1h -- sh -c 'exit 6'\n", "?attempt 2 of 4 follows in 1 h", "\u{3}",
      "?$ ",
      "echo code $?\n", "?code 130\r\n")
    #expect(try load()["run"]["retried"].bool == false)
  }

  /// A shell goes on with its script after a command that was interrupted and exits, and not after one that dies of it.
  @Test func anInterruptEndsTheScript() throws {
    let script = try place.write(
      "loadlog run f -- sh -c 'echo up; exec sleep 600'\nloadlog run g -- true\n", to: "two.sh")
    _ = try type(
      "bash \(script); echo next\n", "?up\r\n", "\u{3}", "?f cancelled in ", "?$ ", "echo code $?\n",
      "?code 130\r\n")
    #expect(try place.ask("history")["total"].int == 1)
  }

  @Test func aCommandThatAUserInterruptsIsNotRunAgain() throws {
    let command = "bash -c 'trap \"exit 5\" INT; echo up; while :; do sleep 0.05; done'"
    _ = try type(
      "loadlog run f --retry 3 -- \(command)\n", "?up\r\n", "\u{3}", "?(exit 5)", "?$ ", "echo code $?\n",
      "?code 5\r\n")
    #expect(try place.ask("history")["total"].int == 1)
  }

  /// More than a terminal takes while it is not read: three megabytes, which a command wrote that has ended.
  private static let flood = "loadlog run f --output-on-failure -- sh -c 'yes | head -c 3000000; exit 1'\n"

  @Test func anInterruptEndsThePassingOnOfOutput() throws {
    let shown = try type(
      Self.flood, "?y\r\ny\r\n", "\u{3}", "?f failed in ", "?$ ", "echo code $?\n", "?code 130\r\n")
    #expect(shown.utf8.count < 1_000_000)
    #expect(try load()["reason"].text == "exit 1")
  }

  @Test func runIsSuspendedWhileItPassesOnOutput() throws {
    let shown = try type(
      Self.flood, "?y\r\ny\r\n", "\u{1A}", "?Stopped", "?$ ", "fg\n", "?y\r\ny\r\n", "\u{3}", "?$ ")
    #expect(shown.utf8.count < 1_000_000)
  }

  /// After the command's end the signals of the terminal are for `run`, also the one that keeps it from writing there.
  @Test func outputThatIsPassedOnInTheBackgroundWaitsForTheTerminal() throws {
    _ = try type(
      "stty tostop\n", "?$ ", "loadlog run f --output-on-failure -- sh -c 'echo o''ut; exit 1' &\n",
      "until [[ $(jobs) == *Stopped* ]]; do sleep 0.05; done; fg\n", "?out\r\n", "?f failed in ")
  }

  /// On a terminal the command stays in the job's process group, so that it may read.
  @Test func aTimeLimitLeavesTheTerminalToTheCommand() throws {
    _ = try type(
      "loadlog run f --timeout 1h -- bash -c 'read -p \"$(echo Name)? \" name; echo hello $name'\n",
      "?Name? ", "Ada\n",
      "?hello Ada\r\n", "?f succeeded in ")
  }

  @Test func noWidthOfTheEnvironmentStopsIt() throws {
    _ = try type(
      "COLUMNS=\(Int.max) loadlog run f -- true\n", "?f succeeded in ", "?$ ", "echo code $?\n", "?code 0\r\n"
    )
  }

  @Test func theLastLineStandsAlone() throws {
    let shown = try type("loadlog run f -- printf some\n", "?\r\u{1B}[Kf succeeded in ")
    let line = "some" + String(repeating: " ", count: 79) + "\r"
    #expect(shown.split(separator: "\r\n").contains { $0.hasPrefix(line) }, "\(shown.debugDescription)")
  }
}

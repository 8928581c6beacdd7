import ArgumentParser
import Foundation
import LoadLog
import LoadLogCore
import LoadLogReports
import LoadLogText

/// Runs the command of `run`, several times if it fails and that is wanted, and records each attempt as a load.
struct CommandRun {
  /// The exit code if another load of the feed is running and must not be overlapped; EX_TEMPFAIL of sysexits.h.
  static let overlapping: Int32 = 75

  private let verb: RunVerb
  private let plan: OutputPlan
  private let limit: TimeLimit?
  private let retries: Int
  /// Nanoseconds between two attempts.
  private let delay: Int64
  private let message: String?
  private let recording: RunRecording
  private let screen = Terminal(file: STDERR_FILENO)
  private let isShown: Bool

  /// - Throws: `invalidInput` if an option is invalid.
  init(_ verb: RunVerb) throws(LoadLogError) {
    self.verb = verb
    let size = verb.keptSize()
    plan = OutputPlan(
      keepsErrorLine: verb.keepStderr || size != nil, kept: size?.bytes, isHeld: verb.outputOnFailure)
    limit = try verb.timeLimit()
    retries = verb.retry ?? 0
    delay = try verb.delay.map(DurationExpression.nanoseconds) ?? 0
    let words = [verb.load.message, verb.recordCommand ? verb.command.joined(separator: " ") : nil]
      .compactMap(\.self)
    message = words.isEmpty ? nil : words.joined(separator: ": ")
    recording = RunRecording(of: verb, message: message)
    isShown = verb.store.reportsSuccess
  }

  /// Runs the command.
  ///
  /// - Returns: the exit code.
  /// - Throws: why the start could not be recorded, if the command must not run without.
  func run() throws(LoadLogError) -> Int32 {
    recording.start(attempt: 1, keepsOutput: plan.kept != nil)
    if verb.requireRecord, let error = recording.error {
      recording.cancelLateStart("the command was not run")
      recording.close()
      throw error
    }
    if let running = recording.running {
      noteOverlap(running, "the command was not run")
      recording.close()
      return Self.overlapping
    }
    // From here on a signal is for the command: it must not end this process between the start and the finish.
    let inbox = SignalInbox()
    let indicator = RunIndicator(
      feed: Feed(verb.feed), message: message, usual: isShown && recording.error == nil ? usual : nil,
      glyphs: screen.glyphs)
    var attempt = 1
    var last = runOnce(attempt, inbox, indicator)
    while last.isRetried {
      let failed = recording.id
      attempt += 1
      guard pause(inbox), start(attempt, inbox) else {
        recording.endRetries(of: failed)
        last.watch?.showHeldOutput()
        last.isInterrupted = inbox?.wasInterrupted == true
        break
      }
      // The output that it holds back is not wanted any more, and takes room.
      last.watch = nil
      last = runOnce(attempt, inbox, indicator)
    }
    recording.close()
    if let end = recording.unrecordedEnd, !recording.isRecorded(end) { complain(about: end) }
    // A shell gives up its script only for a command that died of the interrupt.
    if last.isInterrupted { SignalInbox.endProcess(by: SIGINT) }
    return last.code
  }
}

// MARK: - An attempt

extension CommandRun {
  /// An attempt that has ended.
  private struct Attempt {
    let code: Int32
    /// Whether another attempt is to follow.
    let isRetried: Bool
    /// Whether the terminal's interrupt ended the command, the passing on of its output, or the wait for another attempt.
    var isInterrupted = false
    /// Still holds back the output of an attempt that is to be retried: if no other follows, it was the last one.
    var watch: CommandWatch?
  }

  /// Runs the command once, and records its end.
  private func runOnce(_ attempt: Int, _ inbox: SignalInbox?, _ indicator: RunIndicator) -> Attempt {
    noteMissingStart(recording.isStartUnderWay ? "not recorded yet" : "not recorded")
    inbox?.takeTerminalSignals(false)
    let output = CommandOutput(plan)
    var watch = CommandWatch(inbox: inbox, output: output, limit: limit)
    let began = BootClock().now()
    let child: ChildProcess
    do {
      child = try watch.start(verb.command)
    } catch {
      Output.note("cannot run \(VisibleText.quoted(verb.command[0])): \(error.text).\(shellAdvice ?? "")")
      finish(.failed("cannot run: \(error.text)"), RunDetails(began: began))
      return Attempt(code: error.exitCode, isRetried: false)
    }
    let memory = ResourceUse.greatestMemory
    var calls = CommandWatch.Calls()
    if isDrawn(output) { calls.draw = draw(indicator, since: began.boot) }
    if let kept = plan.kept {
      calls.wrote = { recording.save(output?.kept) }
      // 100 kB per second are no burden for a disk.
      calls.pause = max(calls.pause, Int64(kept) * 10_000)
    }

    let result = watch.wait(for: child, from: began.boot, calls)
    let isFailure = result.end != .exited(0) && result.end != verb.unchangedExit.map(ChildEnd.exited)
    var verdict = result.end.verdict(
      unchangedExit: verb.unchangedExit, remark: isFailure ? output?.errorLine : nil)
    var code = result.end.exitCode
    // What it wrote may be all that it was run for. The command itself has succeeded, so it is not run again.
    if !isFailure, let loss = output?.loss {
      verdict = .failed("output lost: \(String(cString: strerror(loss.number)))")
      code = Ending.io
    }
    let isRetried = isFailure && verdict.state == .failed && attempt <= retries && !result.isInterrupted
    if isFailure, !isRetried { watch.showHeldOutput() }
    var details = RunDetails(began: began, ended: result.at, output: output?.kept)
    details.facts = ResourceUse(usage: result.usage, floor: memory).facts(
      attempt: attempt, isRetried: isRetried)
    finish(verdict, details)
    output?.leaveToBackground()
    if isShown {
      let line = indicator.lastLine(verdict, took: result.at.boot - began.boot)
      Output.error(screen.newLine + line + (isRetried ? "; \(next(after: attempt))" : ""))
    }
    let isInterrupted =
      inbox?.wasInterrupted == true && (result.end == .signalled(SIGINT) || watch.isCutShort)
    return Attempt(code: code, isRetried: isRetried, isInterrupted: isInterrupted, watch: watch)
  }

  /// How to run the command if it is one for a shell; nil if it is not.
  private var shellAdvice: String? {
    ShellText.command(for: verb.command).map { command in
      let run = verb.store.command("run \(PageStyle.shellWord(verb.feed))")
      return " A shell command needs a shell: \(run) -- \(command)"
    }
  }

  /// "attempt 2 of 4 follows in 5 s".
  private func next(after attempt: Int) -> String {
    "attempt \(attempt + 1) of \(retries + 1) follows" + (delay > 0 ? " in \(DurationText.limit(delay))" : "")
  }

  /// A terminal belongs to the command: draw only where its output streams go elsewhere, or are held back.
  private func isDrawn(_ output: CommandOutput?) -> Bool {
    guard isShown, screen.canDraw, let output else { return false }
    return plan.isHeld || output.file(for: STDERR_FILENO) != nil && isatty(STDOUT_FILENO) == 0
  }

  private func draw(_ indicator: RunIndicator, since began: Int64) -> (Int?) -> Void {
    { frame in
      guard screen.isOurs else { return }
      let text = frame.map { number in
        indicator.frame(number, elapsed: BootClock().now().boot - began, width: screen.width)
      }
      Output.error("\r\u{1B}[K" + (text ?? ""), terminator: "")
    }
  }

  /// The feed's median duration in nanoseconds; nil if it has none, or if the store does not answer within a second.
  private var usual: Double? {
    let reader = try? SQLiteLoadReader(at: verb.store.path(), deadline: .seconds(1))
    let filter = LoadFilter(feeds: [FeedPattern(exactly: Feed(verb.feed))])
    let status = try? reader?.status(filter, runningLimit: nil)
    return status?.feeds.first?.numbers.typicalDuration?.p50
  }

  /// Records the end of an attempt, and says so if the start that was awaited has not reached the record.
  private func finish(_ verdict: Verdict, _ details: RunDetails) {
    recording.finish(verdict, details)
    if recording.isStartUnderWay { noteMissingStart("not recorded") }
  }

  private func noteMissingStart(_ what: String) {
    guard let error = recording.error else { return }
    Output.note("\(what): \(Ending.text(of: error, verb: RunVerb.configuration.commandName))")
  }

  /// Says how to record the end of a load later: without an end, the load counts as crashed. A store that was moved has
  /// taken the start with it: in a new one, that end would be an orphan.
  private func complain(about end: RunRecording.UnrecordedEnd) {
    let finish = verb.store.command("finish \(end.id) \(VerdictOptions.words(for: end.verdict))")
    let advice = end.error.code == .storeMoved ? "" : " Later, run this: \(finish)"
    Output.note("end not recorded: \(end.error)\(advice)")
  }
}

// MARK: - Between attempts

extension CommandRun {
  /// Waits between two attempts, with the terminal's signals taken since the end of the last one.
  ///
  /// - Returns: false if a signal ended the wait.
  private func pause(_ inbox: SignalInbox?) -> Bool {
    let end = BootClock().now().boot.addingClamping(delay)
    while true {
      if inbox?.isToEnd() == true { return false }
      let left = end - BootClock().now().boot
      guard left > 0 else { return true }
      var file = pollfd(fd: inbox?.file ?? -1, events: Int16(POLLIN), revents: 0)
      poll(&file, 1, PollTime.milliseconds(left))
    }
  }

  /// Records the start of another attempt, for which a busy store may let it wait.
  ///
  /// - Returns: false if it must not run, or if a signal came meanwhile.
  private func start(_ attempt: Int, _ inbox: SignalInbox?) -> Bool {
    recording.start(attempt: attempt, keepsOutput: plan.kept != nil)
    if let running = recording.running {
      noteOverlap(running, "it was not run again")
      return false
    }
    if verb.requireRecord, let error = recording.error {
      Output.note("not run again: \(error)")
      recording.cancelLateStart("the command was not run again")
      return false
    }
    guard let number = inbox?.signals().first(where: SignalInbox.endingSignals.contains) else { return true }
    let verdict = ChildEnd.signalled(number).verdict(remark: "before the command ran")
    recording.finish(verdict, RunDetails(began: BootClock().now()))
    return false
  }

  private func noteOverlap(_ running: SessionID, _ result: String) {
    guard !verb.store.quiet else { return }
    Output.note(
      "\(VisibleText.quoted(verb.feed)) is being loaded already, so \(result). See: "
        + verb.store.command("show \(running.tail)"))
  }
}

/// What a command used of the machine.
private struct ResourceUse {
  let usage: rusage
  /// The greatest memory of this process when the command began. The system counts it as the command's, until the command
  /// has more.
  let floor: Int64

  /// The most memory that this process had at a time, in bytes.
  static var greatestMemory: Int64 {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #endif
    return memory(usage)
  }

  private static func memory(_ usage: rusage) -> Int64 {
    #if canImport(Darwin)
      Int64(usage.ru_maxrss)
    #else
      Int64(usage.ru_maxrss) * 1024
    #endif
  }

  func facts(attempt: Int, isRetried: Bool) -> RunFacts {
    let memory = Self.memory(usage)
    return RunFacts(
      attempt: attempt, isRetried: isRetried, userTime: Self.nanoseconds(usage.ru_utime),
      systemTime: Self.nanoseconds(usage.ru_stime), maxMemory: memory > floor ? memory : nil)
  }

  private static func nanoseconds(_ time: timeval) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1000
  }
}

import ArgumentParser
import Foundation
import LoadLog
import LoadLogReports

/// `run`: records a command as one load.
struct RunVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Record a command as one load.",
    usage: "loadlog run <feed> [<options>] -- <command> ...",
    discussion: """
      The command runs even if the load cannot be recorded, and loadlog exits with its exit code: 127 if there is \
      no such command, 126 if it cannot be executed, 128 + n for signal n. Exit code 0 is recorded as succeeded, death \
      by SIGINT as cancelled, anything else as failed.

      Example:

        loadlog run backup/db -m "Nightly dump" --keep-stderr -- pg_dump app
      """)

  @Argument(help: ArgumentHelp("The feed that is loaded.", valueName: "feed"))
  var feed: String

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "command"))
  var command: [String]

  @Option(
    help: ArgumentHelp(
      "The exit code with which the command reports that nothing was new.", valueName: "code"))
  var unchangedExit: Int32?

  @Flag(
    help: """
      Add a line of the command's standard error to the reason of a failure: the last one that says "error" or \
      "fatal", otherwise the last one. A process that the command leaves in the background can no longer write to \
      its standard error afterwards.
      """)
  var keepStderr = false

  @Flag(help: "Add the command line to the message.")
  var recordCommand = false

  @Flag(help: "Do not run the command if its start cannot be recorded.")
  var requireRecord = false

  @OptionGroup var load: LoadOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    if command.isEmpty { throw ValidationError("Missing the command after '--'.") }
  }

  func run() throws {
    let recording = Recording(in: self)
    if requireRecord, let error = recording.error { throw error }
    recording.error.map(complain)
    // From here on a signal is for the command: it must not end this process between the start and the finish.
    var watch = CommandWatch(keepsErrors: keepStderr)

    let screen = Terminal(file: STDERR_FILENO)
    let isShown = !store.quiet && (screen.isTerminal || store.verbose)
    let indicator = RunIndicator(
      feed: Feed(feed), message: message, usual: isShown && recording.error == nil ? usual : nil,
      glyphs: screen.glyphs)
    // A terminal belongs to the command: draw only where both of its output streams go elsewhere.
    let draws = isShown && screen.isTerminal && watch.relaysErrors && isatty(STDOUT_FILENO) == 0
    let began = BootClock().now()
    let child: ChildProcess
    do {
      child = try watch.start(command)
    } catch {
      Output.note("cannot run \(VisibleText.quoted(command[0])): \(error.text).")
      complain(
        recording.finish(.failed("cannot run: \(error.text)"), began: began), recording, error.exitCode)
      throw ExitCode(error.exitCode)
    }

    let end = watch.wait(for: child, draw: draws ? draw(indicator, on: screen, since: began.boot) : nil)
    let took = BootClock().now().boot - began.boot
    let isFailure = end != .exited(0) && end != unchangedExit.map(ChildEnd.exited)
    let verdict = end.verdict(unchangedExit: unchangedExit, remark: isFailure ? watch.errorLine : nil)
    complain(recording.finish(verdict, began: began), recording, end.exitCode)
    if isShown { Output.error(screen.newLine + indicator.lastLine(verdict, took: took)) }
    if end.exitCode != 0 { throw ExitCode(end.exitCode) }
  }

  /// The load's message.
  private var message: String? {
    let words = [load.message, recordCommand ? command.joined(separator: " ") : nil].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: ": ")
  }

  /// The feed's median duration in nanoseconds; nil if it has none, or if the store does not answer within a second.
  private var usual: Double? {
    let reader = try? SQLiteLoadReader(at: store.path(), deadline: .seconds(1))
    let filter = LoadFilter(feeds: [FeedPattern(exactly: Feed(feed))])
    let status = try? reader?.status(filter, runningLimit: nil)
    return status?.feeds.first?.numbers.typicalDuration?.p50
  }

  private func draw(_ indicator: RunIndicator, on screen: Terminal, since began: Int64) -> (Int?) -> Void {
    { frame in
      guard screen.isOurs else { return }
      let text = frame.map { number in
        indicator.frame(number, elapsed: BootClock().now().boot - began, width: screen.width)
      }
      Output.error("\r\u{1B}[K" + (text ?? ""), terminator: "")
    }
  }

  private func complain(_ error: LoadLogError) { Output.note("not recorded: \(error)") }

  /// Says how to record the end of a load later: without an end, the load counts as crashed.
  private func complain(_ error: LoadLogError?, _ recording: Recording, _ code: Int32) {
    guard let error else { return }
    Output.note("end not recorded: \(error) Later, run loadlog finish \(recording.id) --exit \(code).")
  }
}

extension RunVerb {
  /// The load in the record. An error is kept for a report; it never stops the command.
  private struct Recording {
    let id = SessionID()
    private var controller: LoadingController?
    /// Why the start was not recorded; nil if it was.
    private(set) var error: LoadLogError?

    init(in verb: RunVerb) {
      do throws(LoadLogError) {
        try Program.checkArguments()
        let start = try verb.load.start(id, Feed(verb.feed), message: verb.message)
        let controller = try verb.store.controller(for: .thisProcess)
        try controller.record(start, callSite: verb.load.origin.value())
        self.controller = controller
      } catch {
        self.error = error
      }
    }

    /// Records the verdict, if the start was recorded; returns the error if that fails.
    ///
    /// - Parameter began: when the command was started, after the start of the load was durable.
    func finish(_ verdict: Verdict, began: LoadInstant) -> LoadLogError? {
      guard let controller else { return nil }
      do throws(LoadLogError) {
        try controller.recordFinish(of: id, verdict, began: began)
        try controller.close()
        return nil
      } catch {
        return error
      }
    }
  }
}

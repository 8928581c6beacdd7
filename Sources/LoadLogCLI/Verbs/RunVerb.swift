import ArgumentParser
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
      no such command, 126 if it cannot be executed, 128 + n for signal n, 124 if it ran for too long, 5 if it \
      succeeded but its output could not be passed on. Exit code 0 is recorded as succeeded, death by SIGINT as \
      cancelled, anything else as failed.

      With --keep-output or --output-on-failure the command writes to pipes instead of a terminal. The kept output may \
      contain secrets: it is readable like the store, and in no report or export unless --with-output is given. \
      $LOADLOG_KEEP_OUTPUT is the default of --keep-output.

      Example:

        loadlog run backup/db -m "Nightly dump" --keep-output -- pg_dump app
        loadlog run news --output-on-failure --retry 3 -- fetch-news
        loadlog run sync --no-overlap --timeout 10m -- rsync -a here/ there/
        loadlog run words -- sh -c 'fetch-words | sort > words.txt'
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
      "fatal", otherwise the last one.
      """)
  var keepStderr = false

  @Option(
    help: ArgumentHelp(
      """
      Keep the end of what the command writes: the last 100k, or with --keep-output=<size> 1 byte to 10M. \
      loadlog output prints it. Includes --keep-stderr.
      """, valueName: "size"),
    transform: KeptSize.init)
  var keepOutput: KeptSize?

  @Flag(help: "Show what the command writes only if it fails, when it has ended.")
  var outputOnFailure = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      End the command after this time, and without a terminal its process group. The load has failed, and the exit code \
      is 124.
      """, valueName: "duration"))
  var timeout: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long after the TERM of --timeout to send KILL (default: 10s).", valueName: "duration"))
  var killAfter: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "If the command fails, run it again, up to this many times. Each attempt is a load.",
      valueName: "number"))
  var retry: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to wait before each of these attempts (default: 0s).", valueName: "duration")
  )
  var delay: String?

  @Flag(
    help: """
      Do not run the command while another load of the feed is running whose owner is alive: exit 75. status --json \
      counts such overlaps.
      """)
  var noOverlap = false

  @Flag(help: "Add the command line to the message.")
  var recordCommand = false

  @Flag(help: "Do not run the command if its start cannot be recorded.")
  var requireRecord = false

  @OptionGroup var load: LoadOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    if command.isEmpty { throw ValidationError("Missing the command after '--'.") }
    if killAfter != nil, timeout == nil { throw ValidationError("--kill-after needs --timeout.") }
    if delay != nil, retry == nil { throw ValidationError("--delay needs --retry.") }
    if let retry, !(1...1000).contains(retry) { throw ValidationError("--retry must be from 1 to 1000.") }
    if let unchangedExit, !(0...255).contains(unchangedExit) {
      throw ValidationError("--unchanged-exit must be from 0 to 255.")
    }
  }

  func run() throws {
    let code = try CommandRun(self).run()
    if code != 0 { throw ExitCode(code) }
  }

  /// The options whose value may be any word.
  private static let textOptions: Set = ["-m", "--message", "--tag", "--call-site"]

  /// The words of a command line with the size of a bare `--keep-output`, which would otherwise be the next word.
  static func prepared(_ words: [String]) -> [String] {
    zip([""] + words, words).map { before, word in
      word == "--keep-output" && !textOptions.contains(before) ? "\(word)=\(KeptSize.usual)" : word
    }
  }

  /// What is missing in a command line that the parser cannot read.
  ///
  /// - Parameters:
  ///   - own: the words before `--`.
  ///   - hasCommand: whether there is a `--`.
  /// - Returns: an error that says what to type; nil if it is not known.
  static func fault(in own: [String], hasCommand: Bool) -> LoadLogError? {
    let option = "--keep-output"
    if let place = own.firstIndex(of: option)?.advanced(by: 1), place < own.count,
      (try? KeptSize(own[place])) != nil
    {
      return LoadLogError(
        .invalidInput, what: option, value: own[place], why: "its size must follow an equals sign",
        advice: "Type \(option)=\(PageStyle.shellWord(own[place])).")
    }
    guard !hasCommand else { return nil }
    // The first place at which "--" makes the line right, but not one before an option of this verb. Each try parses the
    // words before it, and no sensible line has very many.
    let place = own.indices.dropFirst().prefix(32).first { place in
      !own[place].hasPrefix("-") && (try? parse(prepared(Array(own[..<place])) + ["--", own[place]])) != nil
    }
    guard let place else { return nil }
    func typed(_ word: String) -> String {
      word.wholeMatch(of: /-[A-Za-z0-9_=.-]*/) != nil ? word : PageStyle.shellWord(word)
    }
    let line = own[..<place].map(typed) + ["--"] + own[place...].map(typed)
    return LoadLogError(
      .invalidInput, what: "command", value: own[place], why: "there is no -- before it",
      advice: "Type: loadlog run \(line.joined(separator: " "))")
  }

  /// The size of `--keep-output`, or that of the environment; nil if nothing is kept. A command runs even if the
  /// environment is wrong.
  func keptSize() -> KeptSize? {
    if let keepOutput { return keepOutput }
    do throws(LoadLogError) {
      return try KeptSize.inEnvironment()
    } catch {
      Output.note("\(error)")
      return nil
    }
  }

  /// The limit of `--timeout`.
  func timeLimit() throws(LoadLogError) -> TimeLimit? {
    guard let timeout else { return nil }
    let limit = TimeLimit(
      duration: try DurationExpression.nanoseconds(timeout),
      killAfter: try killAfter.map(DurationExpression.nanoseconds) ?? 10_000_000_000)
    guard limit.duration > 0 else {
      throw LoadLogError(.invalidInput, what: "--timeout", value: timeout, why: "it is not more than 0")
    }
    return limit
  }
}

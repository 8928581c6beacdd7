import ArgumentParser
import LoadLog
import LoadLogReports

/// `notify`: runs a command when a feed flips between fine and a problem.
struct NotifyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify",
    abstract:
      "Run a command when a feed fails, is late, overruns or is unbalanced, and when it is fine again.",
    usage: "loadlog notify [<feed> ...] --on-change <command> [--interval <duration> | --once] [<options>]",
    discussion: """
      The command gets one line in $LOADLOG_SUMMARY, and a JSON object with all flips on its standard input. It is run \
      until it exits 0: again after 1, 5 and 25 minutes, then every hour. A change that was delivered is not delivered again. \
      The first check reports what is wrong already. There is at most one report of a feed in 5 minutes.

      Expectations say when a feed is late: see loadlog help expect. A SIGTERM ends it. With --once, cron or a systemd \
      timer decides when to check. It waits up to 75 s for another notifier of the same name, and after two hours without \
      a check 2 minutes for feeds that became late meanwhile.

      Example:

        loadlog notify --on-change 'mail -s "$LOADLOG_SUMMARY" ops@example.org'
        loadlog notify --once --on-change 'curl -fsS --data-raw "$LOADLOG_SUMMARY" https://ntfy.sh/my-topic'
      """)

  @Argument(help: ArgumentHelp("Feeds or patterns (default: all).", valueName: "feed"))
  var feeds: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The shell command to run when feeds have flipped; it may take 30 s.", valueName: "command"))
  var onChange: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How often to check (default: 30s).", valueName: "duration"))
  var interval: String?

  @Flag(help: "Check once, deliver, and exit; 1 if something could not be delivered yet.")
  var once = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The name under which the store keeps what was delivered (default: made from the command and the feeds).",
      valueName: "name"))
  var name: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The shell command to run after each check, such as a ping.", valueName: "command"))
  var heartbeat: String?

  @OptionGroup var store: StoreOptions

  func validate() throws {
    if onChange == nil { throw ValidationError("Say what to run: --on-change COMMAND.") }
    if once, interval != nil { throw ValidationError("--once and --interval cannot be combined.") }
    if name == "" { throw ValidationError("--name must not be empty.") }
  }

  func run() throws {
    let onChange = onChange ?? ""
    let command = NotifyCommand(text: onChange)
    try command.validate(option: "--on-change")
    let heartbeat = heartbeat.map(NotifyCommand.init)
    try heartbeat?.validate(option: "--heartbeat")
    let nanoseconds = try interval.map(DurationExpression.nanoseconds) ?? 30_000_000_000
    guard (1_000_000_000...86_400_000_000_000).contains(nanoseconds) else {
      throw LoadLogError(
        .invalidInput, what: "--interval", value: interval,
        why: "it is too \(nanoseconds < 1_000_000_000 ? "short" : "long")", advice: "Use 1s to 1d.")
    }
    let notifier = Notifier(
      path: try GivenPath.absolute(try store.path()),
      filter: LoadFilter(feeds: feeds.map { FeedPattern($0) }),
      name: name ?? Self.name(of: onChange, for: feeds), onChange: command, heartbeat: heartbeat,
      interval: once ? nil : nanoseconds, isQuiet: store.quiet, isVerbose: store.verbose)
    let code = try notifier.run()
    if code != 0 { throw ExitCode(code) }
  }

  /// A name that the same command for the same feeds always has.
  private static func name(of command: String, for feeds: [String]) -> String {
    var hash = StableHash()
    hash.add(field: command)
    for feed in feeds.sorted() { hash.add(field: feed) }
    return String(String(hash.value, radix: 36).suffix(8))
  }
}

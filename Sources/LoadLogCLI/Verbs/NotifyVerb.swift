import ArgumentParser
import LoadLog
import LoadLogReports

/// `notify`: runs a command, or posts to a webhook, when a feed flips between fine and a problem.
struct NotifyVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify",
    abstract:
      "Run a command when a feed fails, is late, overruns or is unbalanced, and when it is fine again.",
    usage: """
      loadlog notify [<feed> ...] --on-change <command> [--interval <duration> | --once] [<options>]
      loadlog notify [<feed> ...] (--webhook <url> | --webhook-file <path>) [--webhook-key-file <path>] [<options>]
      """,
    discussion: """
      The command gets all changes (flips) as one line in $LOADLOG_SUMMARY, as text with a line each in $LOADLOG_TEXT, and as \
      a JSON object on its standard input. If it does not exit 0, it is run again after 1, 5 and 25 minutes, then every \
      hour. A change that was delivered is not delivered again. The first check reports what is already wrong. Each feed is \
      reported at most once in 5 minutes.

      A webhook gets the same JSON object as a POST, and has taken it if it answers 2xx within 10 s. With a key file the \
      request is signed, as Standard Webhooks describes.

      With --fleet it checks the feeds of each host of a fleet, named HOST/FEED, and those that are expected on any host, \
      and reports hosts that are silent beyond their lease. What it noticed and delivered is in a store of its own beside yours.

      Expectations say when a feed is late: see loadlog help expect. SIGTERM, SIGHUP or Ctrl-C ends notify. With --once, \
      cron or a systemd timer decides when to check. notify --once waits up to 75 s for another notifier of the same \
      name. If the last check was more than two hours ago, it also waits 2 minutes before it reports feeds that have become \
      late since, because their jobs may still run.

      Example:

        loadlog notify --on-change 'printenv LOADLOG_TEXT | mail -s LoadLog root'
        loadlog notify --once --on-change 'logger -t loadlog "$LOADLOG_SUMMARY"'
        loadlog notify --webhook-file ~/.config/loadlog/webhook
        loadlog notify --fleet --on-change 'logger -t fleet "$LOADLOG_SUMMARY"'
      """)

  @Argument(help: ArgumentHelp("Feeds or patterns (default: all).", valueName: "feed"))
  var feeds: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The shell command to run when feeds have flipped; it may take 30 s.", valueName: "command"))
  var onChange: String?

  @OptionGroup var webhook: WebhookOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How often to check (default: 30s).", valueName: "duration"))
  var interval: String?

  @Flag(help: "Check once, deliver, and exit; 1 if a delivery failed.")
  var once = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The name under which the store keeps what was delivered (default: made from the command or webhook, and the feeds).",
      valueName: "name"))
  var name: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The shell command to run after each check, such as a ping.", valueName: "command"))
  var heartbeat: String?

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    let destinations = [onChange, webhook.address, webhook.addressFile].compactMap(\.self)
    if destinations.isEmpty {
      throw ValidationError("Say what to run: --on-change COMMAND; or where to post: --webhook URL.")
    }
    if destinations.count > 1 {
      throw ValidationError(
        "Give one of --on-change, --webhook and --webhook-file; another notify can serve another.")
    }
    if onChange != nil, webhook.keyFile != nil || webhook.plainHTTP {
      throw ValidationError("--webhook-key-file and --plain-http need a webhook.")
    }
    if once, interval != nil { throw ValidationError("--once and --interval cannot be combined.") }
    if name == "" { throw ValidationError("--name must not be empty.") }
  }

  func run() throws {
    guard let command = try command(), !fleet.fleet else { try NetProgram.execute() }
    try notify(command)
  }

  /// The command to run when feeds have flipped; nil if a webhook is to be posted to.
  func command() throws(LoadLogError) -> NotifyCommand? {
    guard let onChange else { return nil }
    let command = NotifyCommand(text: onChange, option: "--on-change")
    try command.validate()
    return command
  }

  /// Checks, and delivers what has changed.
  ///
  /// - Parameters:
  ///   - destination: takes what has changed.
  ///   - asked: the fleet to check; nil to check the store.
  func notify(_ destination: any FlipDestination, of asked: AskedFleet? = nil) throws {
    let heartbeat = heartbeat.map { NotifyCommand(text: $0, option: "--heartbeat") }
    try heartbeat?.validate()
    let nanoseconds = try DurationExpression.nanoseconds(
      interval ?? "30s", of: "--interval", from: "1s", to: "1d")
    var path = try GivenPath.absolute(try store.path())
    if let asked {
      path = try asked.book(besides: store)
      // It keeps the flips of a record that is elsewhere.
      try SQLiteLoadStore.make(at: path, app: "notify")
    }
    let notifier = Notifier(
      path: path, fleet: asked,
      filter: LoadFilter(feeds: feeds.map { FeedPattern($0) }),
      name: name ?? usualName, destination: destination, heartbeat: heartbeat,
      interval: once ? nil : nanoseconds, isQuiet: store.quiet, isVerbose: store.verbose)
    let code = try notifier.run()
    if code != 0 { throw ExitCode(code) }
  }

  /// A name that the same destination for the same feeds always has.
  private var usualName: String {
    let destination = onChange ?? webhook.address ?? webhook.addressFile ?? ""
    return String(StableHash(fields: [destination] + feeds.sorted()).name.suffix(8))
  }
}

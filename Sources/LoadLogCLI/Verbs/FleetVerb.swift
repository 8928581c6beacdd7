import ArgumentParser
import LoadLog
import LoadLogReports

/// `fleet`: makes and keeps a fleet's database, and lists its hosts.
struct FleetVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "List the hosts of a fleet, or create and maintain its database.",
    usage: """
      loadlog fleet hosts [--json] [<options>]
      loadlog fleet init [--writer <role>] [--reader <role>] [<options>]
      loadlog fleet retire <host> [<options>]
      loadlog fleet prune --older-than <duration> [<options>]
      """,
    discussion: """
      A fleet is a PostgreSQL database, version 15 or newer, to which each host ships its store with loadlog sync. init \
      makes its tables, or brings them up to date, as a role that may create tables; the roles of --writer and --reader \
      get the rights that hosts and readers need. retire takes a host out of all answers; prune deletes old loads and days, \
      and what retired hosts left.

      With --fleet, the verbs status, history, show, unbalanced, last-updated, report and export ask the fleet, notify \
      watches it, and serve shows it.

      The address is a URL without a password. libpq reads the password from its password file, ~/.pgpass, which only its user \
      may read. A database on another machine must prove its name with a certificate (sslmode=verify-full).

      Example:

        loadlog fleet init --to postgresql:///loadlog --writer w --reader r
        loadlog fleet hosts
      """)

  /// What to do.
  enum Action: String, ExpressibleByArgument, CaseIterable { case hosts, `init`, retire, prune }

  @Argument(help: ArgumentHelp("What to do: hosts, init, retire or prune.", valueName: "action"))
  var action: Action?

  @Argument(help: ArgumentHelp("The host to retire.", valueName: "host"))
  var host: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("With init: the role that hosts ship as.", valueName: "role"))
  var writer: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("With init: the role that may only read.", valueName: "role"))
  var reader: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With prune: delete UTC days that ended this long ago: 90d, 52w.", valueName: "duration"))
  var olderThan: String?

  @OptionGroup var address: FleetAddressOptions
  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard let action else {
      throw ValidationError("Say what to do: loadlog fleet hosts, init, retire or prune.")
    }
    if action == .retire, host == nil {
      throw ValidationError("Which host? loadlog fleet retire HOST. List them: loadlog fleet hosts.")
    }
    if action != .retire, let host {
      throw ValidationError("Only retire takes a host: omit \(VisibleText.quoted(host)).")
    }
    if action != .`init`, writer != nil || reader != nil {
      throw ValidationError("--writer and --reader need init.")
    }
    if (action == .prune) != (olderThan != nil) {
      throw ValidationError("fleet prune needs --older-than; the other actions do not take it.")
    }
    if action != .hosts, output.json { throw ValidationError("Only loadlog fleet hosts takes --json.") }
    if store.db != nil { throw ValidationError("A fleet has no store: omit --db.") }
  }

  func run() throws {
    _ = try age()
    try NetProgram.execute()
  }

  /// How old what `prune` deletes must be, in microseconds.
  private func age() throws -> Int64? {
    try olderThan.map { try DurationExpression.age($0, of: "--older-than") }
  }

  /// Does it.
  func run(_ fleet: any FleetConnection) throws {
    switch action {
    case nil: return
    case .hosts:
      let (hosts, now) = try fleet.reader(FleetReaderOptions()).fleetHosts(countingLoads: true)
      let report = HostsReport(hosts, now: now, fleet: fleet.name)
      try output.print(Answer(text: report.text, json: report.json), store)
    case .`init`:
      try fleet.initialize(writer: writer, reader: reader)
      note("the tables are ready in \(fleet.name).")
    case .retire:
      let host = host ?? ""
      try fleet.retire(host)
      note("\(VisibleText.line(host)) is retired: no answer counts it, and its syncs are refused.")
    case .prune:
      guard let age = try age() else { return }
      let rows = try fleet.prune(before: BootClock().now().wall.subtractingClamping(age))
      note("deleted \(rows == 1 ? "1 row" : "\(rows) rows").")
    }
  }

  private func note(_ text: String) {
    if !store.quiet { Output.note(text) }
  }
}

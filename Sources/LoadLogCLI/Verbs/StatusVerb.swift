public import ArgumentParser
import LoadLog
public import LoadLogReports

/// `status`: shows what each feed is doing, and the results of its loads.
struct StatusVerb: AnsweringVerb {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show when each feed was last updated, what is loading now, and what never finished.",
    discussion: """
      --check prints nothing and exits 0 if all is well; otherwise it prints one line per problem and exits 1. By itself it \
      finds feeds that are failing, overrunning or unbalanced, and those that are late by their expectation. With \
      --failed, --late, --unbalanced, --overrunning, --max-age or --max-running it checks only for what these name. \
      With --fleet it checks each host separately; by itself it then also reports hosts that are silent beyond their lease.

      Example:

        loadlog status 'backup/*' --since 7d
        loadlog status --watch
        loadlog status backup/db --check --max-age 25h || echo "backup is late"
      """)

  @OptionGroup var window: WindowOptions

  @Flag(help: "Print only problems, one per line; exit 1 if there are any.")
  var check = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Check that there was an update, and that it is not older than this.", valueName: "duration"))
  var maxAge: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Check that no load of an owner that is alive has been running longer than this.", valueName: "duration"
    ))
  var maxRunning: String?

  @Flag(help: "Check that no feed is failing.")
  var failed = false

  @Flag(help: "Check that no feed is late. Only a feed with an expectation can be late.")
  var late = false

  @Flag(help: "Check that no feed has imbalances that are not acknowledged.")
  var unbalanced = false

  @Flag(help: "Check that no load is overrunning.")
  var overrunning = false

  @Flag(help: "Add busy time and peak depth; reads every load of the window.")
  var busy = false

  @Option(
    help: ArgumentHelp(
      "Order of the feeds: updated (latest first), loads, failed or p95 (largest first), or name. Default: worst first.",
      valueName: "order"))
  var sort: StatusOrder?

  @Flag(help: "Draw the status again whenever it changes; q quits.")
  var watch = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How often --watch looks for changes (default: 2s).", valueName: "duration"))
  var interval: String?

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    try fleet.exclude(store)
    if !check, maxAge != nil || maxRunning != nil || !problems.isEmpty {
      throw ValidationError(
        "--failed, --late, --unbalanced, --overrunning, --max-age and --max-running need --check.")
    }
    if check, busy { throw ValidationError("--check and --busy cannot be combined.") }
    if fleet.fleet, busy { throw ValidationError("--fleet cannot be combined with --busy.") }
    if check, sort != nil { throw ValidationError("--check and --sort cannot be combined.") }
    if interval != nil, !watch { throw ValidationError("--interval needs --watch.") }
    if watch, check || busy || output.json {
      throw ValidationError("--watch cannot be combined with --check, --busy or --json.")
    }
  }

  func run() throws {
    guard watch, !fleet.fleet else { return try printAnswer() }
    let path = try store.path()
    try watchStatus(at: path, { () throws(LoadLogError) in try store.reader() }) { (_) throws(LoadLogError) in
      nil
    }
  }

  func print(_ answer: Answer) throws { try output.print(answer, store, fleet) }

  func answer(_ open: () throws(LoadLogError) -> any LoadReading, at path: String) throws -> Answer {
    try answer(open, at: path, hosts: nil)
  }

  /// The same of a fleet, whose hosts a check covers, too.
  func answer(
    _ open: () throws(LoadLogError) -> any LoadReading, at path: String, hosts: HostsReport?
  ) throws -> Answer {
    let filter = try window.filter()
    let statusCheck = StatusCheck(
      problems, maximumAge: try maxAge.map(DurationExpression.nanoseconds),
      maximumRunning: try maxRunning.map(DurationExpression.nanoseconds))
    let reader = try open()
    try reader.expectFeeds(window.patterns)
    if check {
      var (findings, generated) = try statusCheck.findings(in: reader, filter, zone: .current)
      if statusCheck.findsEverything { findings += hosts?.findings() ?? [] }
      let head = JSONHead(generated: generated, store: path, since: filter.since, until: filter.until)
      return Answer(
        text: { _ in findings.map { $0.line + "\n" }.joined() },
        json: { StatusCheck.json(findings, head: head) }, isRefusal: !findings.isEmpty)
    }
    var summary = try reader.status(filter, runningLimit: nil)
    if busy {
      var progress = ProgressLine(isQuiet: store.quiet)
      defer { progress.wipe() }
      summary.add(
        try reader.busy(filter) { done, total in
          progress.show { "computing busy time: \(done) of \(total) days" }
        })
    }
    let report = StatusReport(summary, store: path, order: sort)
    return Answer(text: report.text, json: report.json)
  }
}

extension StatusVerb {
  /// The problems that the flags name.
  private var problems: Set<FeedProblem> {
    let flags: [(Bool, FeedProblem)] = [
      (overrunning, .overrunning), (failed, .failing), (late, .late), (unbalanced, .unbalanced),
    ]
    return Set(flags.filter(\.0).map(\.1))
  }

  /// Shows the status of a fleet, live.
  func watchStatus(of fleet: AskedFleet) throws {
    try watchStatus(at: fleet.name, { () throws(LoadLogError) in fleet.reader }) {
      (feeds) throws(LoadLogError) in try fleet.trouble(feeds)
    }
  }

  private func watchStatus(
    at path: String, _ open: @escaping () throws(LoadLogError) -> any FollowedReading,
    trouble: @escaping ([FeedPattern]) throws(LoadLogError) -> FleetTrouble?
  ) throws {
    let nanoseconds = try DurationExpression.nanoseconds(
      interval ?? "2s", of: "--interval", from: "100ms", to: "1d")
    try open().expectFeeds(window.patterns)
    let watch = StatusWatch(
      interval: nanoseconds, open: open,
      ask: { (reader) throws(LoadLogError) in
        let summary = try reader.status(try window.filter(), runningLimit: nil)
        return StatusWatch.Shown(summary: summary, trouble: try trouble(window.patterns))
      },
      text: { shown in
        let page = output.page(store, fleet, hasHints: false)
        let report = StatusReport(shown.summary, store: path, order: sort)
        return report.text(page) + (shown.trouble?.text(page) ?? "")
      })
    if let signal = try watch.run() { throw ExitCode(128 + signal) }
  }
}

extension StatusOrder: ExpressibleByArgument {}

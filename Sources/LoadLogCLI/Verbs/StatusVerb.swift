public import ArgumentParser
import LoadLog
public import LoadLogReports

/// `status`: shows what each feed is doing, and the results of its loads.
struct StatusVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show when each feed was last updated, what is loading now, and what never finished.",
    discussion: """
      With --check it prints nothing if all is well; otherwise it prints one line per problem and exits 1. \
      Without a limit it checks for unacknowledged imbalances and overdue loads; with --max-age, --max-running or \
      --late, only for what exceeds the limit.

      Example:

        loadlog status 'backup/*' --since 7d
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
    help: ArgumentHelp("Check that no load has been running longer than this.", valueName: "duration"))
  var maxRunning: String?

  @Flag(help: "Check that no feed is late. It checks nothing yet, because expectations cannot be set yet.")
  var late = false

  @Flag(help: "Add busy time and peak depth; reads every load of the window.")
  var busy = false

  @Option(
    help: ArgumentHelp(
      "Order of the feeds: updated (latest first), loads, failed or p95 (largest first), or name. Default: worst first.",
      valueName: "order"))
  var sort: StatusOrder?

  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    if !check, maxAge != nil || maxRunning != nil || late {
      throw ValidationError("--max-age, --max-running and --late need --check.")
    }
    if check, busy { throw ValidationError("--check and --busy exclude each other.") }
    if check, sort != nil { throw ValidationError("--check and --sort exclude each other.") }
    if check, output.json { throw ValidationError("--check and --json exclude each other.") }
  }

  func run() throws {
    let filter = try window.filter()
    let statusCheck = StatusCheck(
      maximumAge: try maxAge.map(DurationExpression.nanoseconds),
      maximumRunning: try maxRunning.map(DurationExpression.nanoseconds), findsLate: late)
    let reader = try store.reader()
    try reader.expectFeeds(window.patterns)
    if check {
      if late { Output.note("--late checks nothing yet: a feed is late only if updates are expected of it") }
      let offenders = try statusCheck.offenders(in: reader, filter, zone: .current)
      try Output.write(offenders.map { $0 + "\n" }.joined())
      if !offenders.isEmpty { throw ExitCode(Ending.refused) }
    } else {
      var summary = try reader.status(filter, overdueLimit: nil)
      if busy {
        var progress = ProgressLine(isQuiet: store.quiet)
        summary.add(
          try reader.busy(filter) { done, total in
            progress.show { "computing busy time: \(done) of \(total) days" }
          })
        progress.wipe()
      }
      let report = StatusReport(summary, store: try store.path(), order: sort)
      try output.print(store, text: report.text, json: report.json)
    }
  }
}

extension StatusOrder: ExpressibleByArgument {}

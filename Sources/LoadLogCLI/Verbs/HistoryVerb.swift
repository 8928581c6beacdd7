public import ArgumentParser
public import LoadLog
import LoadLogReports

/// `history`: lists loads, newest first.
struct HistoryVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List loads, newest first.",
    discussion: """
      A load that started before the window and was still running in it is listed too.

      Example:

        loadlog history reviews --state failed --since 24h
        loadlog history --at "yesterday 14:05"
      """)

  @OptionGroup var window: WindowOptions

  @Option(
    name: .customLong("state"),
    help: ArgumentHelp("Only loads in this state; may be repeated.", valueName: "state"))
  var states: [ShownState] = []

  @Option(help: ArgumentHelp("Maximum number of loads.", valueName: "number"))
  var limit = 20

  @Option(help: ArgumentHelp("Only loads that were running at this time.", valueName: "time"))
  var at: String?

  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard (1...Int(Int32.max)).contains(limit) else {
      throw ValidationError("--limit must be from 1 to \(Int32.max).")
    }
    if at != nil, window.since != nil || window.until != nil {
      throw ValidationError("--at excludes --since and --until; give one or the other.")
    }
  }

  func run() throws {
    let now = BootClock().now().wall
    var filter = try window.filter()
    if let at {
      let moment = try TimeExpression(now: now).microseconds(at)
      (filter.since, filter.until) = (moment, moment + 1)
    }
    filter.states = Set(states)
    filter.limit = limit
    let reader = try store.reader()
    try reader.expectFeeds(window.patterns)
    let head = JSONHead(generated: now, store: try store.path(), since: filter.since, until: filter.until)
    let report = HistoryReport(try reader.history(filter), head: head)
    try output.print(text: report.text, json: report.json)
  }
}

extension ShownState: ExpressibleByArgument {}

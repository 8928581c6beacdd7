public import ArgumentParser
public import LoadLog
import LoadLogReports
import LoadLogText

/// `history`: lists loads, newest first.
struct HistoryVerb: AnsweringVerb {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List loads, newest first.",
    discussion: """
      A load that started before the window and was still running in it is listed too. In JSON, "missing" is the \
      number of loads that --limit leaves out.

      Example:

        loadlog history reviews --state failed --since 24h
        loadlog history --at "yesterday 14:05"
        loadlog history backup/db --flips --since 90d
        loadlog history --grep "connection refused" --min-duration 30s --limit all
      """)

  @OptionGroup var window: WindowOptions

  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "Only loads in this state; may be repeated. See loadlog help verdicts.", valueName: "state"))
  var states: [ShownState] = []

  @Option(help: ArgumentHelp("Only loads with this tag.", valueName: "tag"))
  var tag: String?

  @Option(
    help: ArgumentHelp(
      "Only the spans of this trace, by its id or by a traceparent header.", valueName: "id"))
  var trace: String?

  @Option(
    help: ArgumentHelp(
      "Only loads whose message or reason contains this text, in upper or lower case.", valueName: "text"))
  var grep: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only loads that took, or have been running for, at least this long, rounded as durations are shown.",
      valueName: "duration"))
  var minDuration: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Maximum number of loads, or all.", valueName: "number"))
  var limit = LoadLimit(number: 20)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only loads that were running at this time, or in this minute if it has no seconds.", valueName: "time")
  )
  var at: String?

  @Flag(
    help:
      "List changes of feeds between fine and problems instead, as notify noticed them, and outages by month."
  )
  var flips = false

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    try fleet.exclude(store)
    try limit.validate()
    if flips, !states.isEmpty || tag != nil || trace != nil || grep != nil || minDuration != nil || at != nil
    {
      throw ValidationError(
        "--flips cannot be combined with --state, --tag, --trace, --grep, --min-duration or --at.")
    }
    if tag != nil, trace != nil {
      throw ValidationError(
        "--trace cannot be combined with --tag, because the trace id is the tag of a span.")
    }
    if grep == "" { throw ValidationError("--grep needs a text.") }
    if at != nil, window.since != nil || window.until != nil {
      throw ValidationError("--at cannot be combined with --since or --until; give one or the other.")
    }
  }

  func print(_ answer: Answer) throws { try output.print(answer, store, fleet) }

  func answer(_ open: () throws(LoadLogError) -> any LoadReading, at path: String) throws -> Answer {
    let now = BootClock().now().wall
    var filter = try window.filter()
    if let at {
      let span = try TimeExpression(now: now).span(at)
      (filter.since, filter.until) = (span.lowerBound, span.upperBound)
    }
    filter.states = Set(states)
    filter.tag = try trace.map { text throws(LoadLogError) in try TraceSpan.traceID(text) } ?? tag
    filter.text = grep
    filter.minimumDuration = try minDuration.map { text throws(LoadLogError) in
      DurationText.least(shownLike: try DurationExpression.nanoseconds(text))
    }
    filter.limit = limit.number
    let reader = try open()
    let head = JSONHead(generated: now, store: path, since: filter.since, until: filter.until)
    guard !flips else {
      try reader.expectFeedsOrFlips(window.patterns)
      let all = try reader.flips(LoadFilter(feeds: filter.feeds))
      let report = FlipReport(all, limit: filter.limit, head: head)
      return Answer(text: report.text, json: report.json)
    }
    try reader.expectFeeds(window.patterns)
    let report = HistoryReport(try reader.history(filter), head: head)
    return Answer(text: report.text, json: report.json)
  }
}

extension ShownState: ExpressibleByArgument {}

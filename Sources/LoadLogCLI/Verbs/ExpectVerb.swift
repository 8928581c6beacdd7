import ArgumentParser
import LoadLog
import LoadLogReports

/// `expect`: sets, lists, pauses and removes expectations.
struct ExpectVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "expect",
    abstract: "Say how often a feed must succeed and how long it may run, or list what is expected.",
    usage: """
      loadlog expect <feed> [--every <duration> | --cron <expression>] [<options>]
      loadlog expect <feed> (--clear | --pause [<duration>] | --resume)
      loadlog expect --crontab <file> [--dry-run]
      loadlog expect [--suggest]
      """,
    discussion: """
      A feed is late if no success came by its due time plus the grace. With --every, a success is due that long after \
      the start of the last one; with --cron, at the times of the expression. Options that you leave out stay as they \
      were. Without --grace, the grace is what the feed's loads usually take plus 5 minutes, or 1 hour while too few \
      loads are known; at most half the interval.

      With --anywhere a success on any host of a fleet is enough, as for a job that runs on one host of several. A host \
      cannot know whether another one has succeeded, so only status --fleet and notify --fleet say that the feed is late. \
      Expect the same on each host.

      A pattern such as 'backup/*' applies to all feeds that match it and have loads. The expectation for a feed's own \
      name wins over patterns, and among patterns the one with the longest text before its first * or ?.

      Example:

        loadlog expect backup/db --cron "10 2 * * *" --timezone Europe/Berlin
        loadlog expect feeds/news --every 20m --grace 5m --max-failures 3
        loadlog expect invoices --every 1d --anywhere
        loadlog expect backup/db --pause 2h
        crontab -l | loadlog expect --crontab - --dry-run
      """)

  @Argument(help: ArgumentHelp("The feed, or a pattern (default: list all).", valueName: "feed"))
  var feed: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A success is due this long after the start of the last one.", valueName: "duration"))
  var every: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A success is due at these times, as in a crontab.", valueName: "expression"))
  var cron: String?

  @Option(
    help: ArgumentHelp(
      "The time zone of the cron expression (default: the one it has, else the local one).", valueName: "name"
    ))
  var timezone: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long after its due time a success may come.", valueName: "duration"))
  var grace: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long a load may run before it is overrunning.", valueName: "duration"))
  var maxRunning: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many loads in a row must fail before the feed is failing.", valueName: "n"))
  var maxFailures: Int?

  @Flag(
    inversion: .prefixedNo,
    help: "Whether a success on any host of a fleet is enough (default: each host must succeed).")
  var anywhere: Bool?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("A note, such as whom to call.", valueName: "text"))
  var note: String?

  @Flag(help: "Remove the expectation.")
  var clear = false

  @Option(
    defaultAsFlag: "",
    help: ArgumentHelp("Check nothing for this long, or until --resume.", valueName: "duration"))
  var pause: String?

  @Flag(help: "End a pause.")
  var resume = false

  @Option(
    help: ArgumentHelp(
      "Expect the schedules of the lines that call loadlog run; - is standard input.", valueName: "file"),
    completion: .file())
  var crontab: String?

  @Flag(help: "With --crontab: print the commands that would set the expectations, and set none.")
  var dryRun = false

  @Flag(help: "Print commands for feeds without an expectation that have succeeded regularly.")
  var suggest = false

  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    let changes = [clear, pause != nil, resume].count { $0 }
    if changes > 1 { throw ValidationError("--clear, --pause and --resume cannot be combined.") }
    if changes > 0, isSetting {
      throw ValidationError(
        "--clear, --pause and --resume cannot be combined with options that set an expectation.")
    }
    if every != nil, cron != nil { throw ValidationError("--every and --cron cannot be combined.") }
    if timezone != nil, every != nil { throw ValidationError("--timezone needs --cron, not --every.") }
    if dryRun, crontab == nil { throw ValidationError("--dry-run needs --crontab.") }
    if crontab != nil || suggest {
      guard feed == nil, changes == 0, !isSetting, crontab == nil || !suggest, !output.json else {
        throw ValidationError(
          "--crontab and --suggest cannot be combined with a feed, --json or options that set an expectation."
        )
      }
      return
    }
    if feed == nil, isSetting || clear || resume { throw ValidationError("Name a feed or a pattern.") }
  }

  func run() throws {
    if let crontab { return try expect(crontab: crontab) }
    if suggest { return try printSuggestions() }
    guard let (pattern, kind) = try change() else { return try printList() }
    guard let kind else {
      if try expected(pattern) == nil { throw try unknown(pattern) }
      return try printList { $0 == pattern }
    }
    if !isSetting {
      if try expected(pattern) == nil { throw try unknown(pattern) }
    }
    try store.record(kind) { receipt in
      if receipt.outcome == .nothing { throw try unknown(pattern) }
    }
    if isSetting, store.reportsSuccess { noteTypingError(in: pattern) }
    if !clear { try printList { $0.text == pattern.text } }
  }

  /// The pattern, and what to do with its expectation, nil to list it; nil to list all.
  private func change() throws -> (FeedPattern, LoadEvent.Kind?)? {
    var (feed, pause) = (feed, pause)
    // In `expect --pause backup/db` the parser takes the feed for the duration.
    if feed == nil, let name = pause, !name.isEmpty { (feed, pause) = (name, "") }
    guard let feed else {
      if pause != nil { throw ValidationError("Name a feed or a pattern.") }
      return nil
    }
    let pattern = FeedPattern(feed)
    if clear { return (pattern, .clearExpectation(pattern)) }
    if resume { return (pattern, .resumeExpectation(pattern)) }
    if let pause {
      let duration = pause.isEmpty ? nil : try DurationExpression.nanoseconds(pause)
      guard duration ?? 1 > 0 else { throw ValidationError("--pause must be longer than 0.") }
      return (pattern, .pauseExpectation(pattern, duration: duration))
    }
    return (pattern, isSetting ? .expect(try expectation(of: pattern), pattern) : nil)
  }

  private var isSetting: Bool {
    [every, cron, timezone, grace, maxRunning, note].contains { $0 != nil } || maxFailures != nil
      || anywhere != nil
  }

  private func expectation(of pattern: FeedPattern) throws -> Expectation {
    let before = try expected(pattern)
    let schedule = try schedule(before)
    let hasSchedule = schedule ?? before?.expectation.schedule != nil || before?.fault != nil
    if grace != nil, !hasSchedule { throw ValidationError("--grace needs --every or --cron.") }
    if anywhere == true, !hasSchedule { throw ValidationError("--anywhere needs --every or --cron.") }
    let expectation = try Expectation(
      schedule, grace: grace.map(DurationExpression.nanoseconds),
      maxRunning: maxRunning.map(DurationExpression.nanoseconds), maxFailures: maxFailures,
      anywhere: anywhere, note: note)
    return try expectation.validated()
  }

  /// The schedule that the options set, nil if they leave it as it was.
  private func schedule(_ before: FeedExpectation?) throws -> Expectation.Schedule? {
    if let every {
      let interval = try DurationExpression.nanoseconds(every)
      guard interval >= 1_000_000_000 else {
        throw LoadLogError(.invalidInput, what: "--every", value: every, why: "it is shorter than one second")
      }
      return .every(interval)
    }
    var known: CronSchedule?
    if case .cron(let schedule) = before?.expectation.schedule { known = schedule }
    guard cron != nil || timezone != nil else { return nil }
    guard let expression = cron ?? known?.expression else {
      throw ValidationError(
        before?.fault == nil
          ? "--timezone needs --cron." : "The schedule cannot be read here; give --cron with --timezone.")
    }
    return .cron(
      try CronSchedule(expression, timezone: timezone ?? known?.timezone ?? LocalZoneName.current))
  }

  /// The expectation that was set for a feed or pattern; nil if there is none, or no store.
  private func expected(_ pattern: FeedPattern) throws(LoadLogError) -> FeedExpectation? {
    do throws(LoadLogError) {
      return try store.reader().expectations().first { $0.pattern == pattern }
    } catch {
      guard error.code == .storeMissing, isSetting else { throw error }
      return nil
    }
  }

  /// Prints the expectations of some patterns.
  func printList(where isListed: (FeedPattern) -> Bool = { _ in true }) throws {
    let reader = try store.reader()
    let all = try reader.expectations().filter { isListed($0.pattern) }
    let filter = LoadFilter(feeds: all.map(\.pattern))
    let report = ExpectationReport(
      all, try reader.status(filter, runningLimit: nil), store: try store.path())
    if isSetting { for remark in report.remarks { Output.note(remark) } }
    try output.print(Answer(text: report.text, json: report.json), store)
  }

  /// Reports that a feed has no loads yet if another one that has some has a similar name.
  private func noteTypingError(in pattern: FeedPattern) {
    // Another host may run it.
    guard !pattern.isGlob, anywhere != true, let reader = try? store.reader() else { return }
    func feeds(_ filter: LoadFilter) -> [Feed] {
      let status = try? reader.status(filter, runningLimit: nil)
      return (status?.feeds ?? []).filter { $0.numbers.loads > 0 }.map(\.feed)
    }
    guard feeds(LoadFilter(feeds: [pattern])).isEmpty,
      let meant = SimilarName.of(pattern.text, among: feeds(LoadFilter()).map(\.name))
    else { return }
    Output.note(
      "\(VisibleText.quoted(pattern.text)) has no loads yet. Did you mean \(VisibleText.quoted(meant))?")
  }

  private func unknown(_ pattern: FeedPattern) throws -> LoadLogError {
    let filter = LoadFilter(feeds: [pattern])
    let feed = try pattern.isGlob ? nil : store.reader().status(filter, runningLimit: nil).feeds.first
    let advice = feed?.expectation.map {
      "The feed has that of the pattern \(VisibleText.quoted($0.pattern.text)); change that, or set one for the feed."
    }
    return LoadLogError(
      .notFound, what: "expectation", value: pattern.text, why: "there is none for this name or pattern",
      advice: advice ?? "List them with \(store.command("expect")).")
  }
}

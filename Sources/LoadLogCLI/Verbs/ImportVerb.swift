public import ArgumentParser
import Foundation
import LoadLog
public import LoadLogReports

/// `import`: adds loads that other tools or stores have recorded.
struct ImportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import loads from a file: LoadLog's ndjson, HAR, a Chrome trace or OTLP.",
    discussion: """
      The format is detected from the file's name and beginning; if that fails, name it with --format. Loads that the \
      store has already are skipped, so an import may be repeated: if a file was cut short, import the whole file to \
      finish the loads that are open. Records that cannot be imported are reported with their place in the file, and \
      import exits 1; all others are kept.

      Pruned loads do not come back. If loads of a feed were pruned on a day, import skips the loads of that feed and \
      day that the store does not have. If any loads were pruned on a day, import skips that day's finishes without a \
      start. It reports the number of skipped loads.

      If apps or loadlog run record in a store, it keeps loads for 90 days, unless the store or the app has another \
      limit. Older loads that were imported are deleted after the next load is recorded there; only their counts, dates and \
      histograms stay. To keep old loads, import them into a store of their own, --db old.db, or let the store keep all \
      loads: loadlog prune --keep all --by-default.

      Example:

        loadlog import page.har --feed-by url
        loadlog import trace.json --epoch 2026-11-20T09:00:00Z
        gunzip -c loads.ndjson.gz | loadlog import -
        loadlog export reviews | loadlog import - --db copy.db
      """)

  @Argument(
    help: ArgumentHelp("The file to import; - is standard input.", valueName: "file"), completion: .file())
  var file: String

  @Option(help: "The file's format: ndjson, chrome-trace, otlp or har.")
  var format: ImportFormat?

  @Option(
    help: ArgumentHelp(
      "What becomes the feed. har: host or url; chrome-trace: name or cat; otlp: name or service.",
      valueName: "what"))
  var feedBy: FeedSource?

  @Option(
    help: ArgumentHelp(
      "The time that relative times of a trace count from (default: when the file was modified).",
      valueName: "time"))
  var epoch: String?

  @Flag(help: "Print JSON, with times in UTC.")
  var json = false

  @OptionGroup var store: StoreOptions

  func run() throws {
    let now = BootClock().now().wall
    let path = try store.path()
    var options = ImportOptions(feedSource: feedBy)
    options.epoch = try epoch.map { text throws(LoadLogError) in
      try TimeExpression(now: now).microseconds(text)
    }
    _ = try format?.importer(options)
    let input = try InputFile(file, besides: path)
    options.epoch = options.epoch ?? input.modified
    store.remark("store \(VisibleText.quoted(path))")

    var progress = ProgressLine(isQuiet: store.quiet)
    defer { progress.wipe() }
    let source = try FileImport(input, format: format, options)
    let result = try source.run(into: path, creating: true) { progress.show($0) }
    progress.wipe()
    let head = JSONHead(generated: now, store: path)
    let report = ImportReport(
      result, file: file, format: source.format,
      assumedEpoch: epoch == nil && source.hasRelativeTimes ? options.epoch : nil, head: head)
    if !store.quiet { report.remarks(zone: .current).forEach(Output.note) }
    report.complaints.forEach(Output.note)
    try Output.write(answer: (json ? report.json().text() : report.text) + "\n")
    if !result.isComplete { throw ExitCode(Ending.refused) }
  }
}

extension ImportFormat: ExpressibleByArgument {}
extension FeedSource: ExpressibleByArgument {}

import ArgumentParser
import LoadLog
import LoadLogReports

/// `prune`: deletes old loads.
struct PruneVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete old finished loads; keep their counts, dates and histograms.",
    discussion: """
      Running and unbalanced loads stay, and so do each feed's last load, success and failure: status reports the \
      same before and after. New loads reuse the space. Texts of the deleted loads, such as messages and reasons, stay \
      in the file. Apps that record through the library, and loadlog run, delete loads older than 90 days themselves.

      Example:

        loadlog prune --older-than 30d --dry-run
      """)

  @Option(
    help: ArgumentHelp("Delete loads that ended at least this long ago: 30d, 12w.", valueName: "duration"))
  var olderThan: String

  @Flag(help: "Only print what would be deleted.")
  var dryRun = false

  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func run() throws {
    let now = BootClock().now().wall
    let age = try DurationExpression.microseconds(olderThan)
    guard age > 0 else {
      throw ValidationError("--older-than must be greater than 0.")
    }
    let cutoff = now.subtractingReportingOverflow(age).partialValue
    let loads = try store.asking { path throws(LoadLogError) in
      let loads = try SQLiteLoadReader(at: path).prunable(before: cutoff)
      if !dryRun { try prune(loads.values.reduce(0, +), at: path, before: cutoff) }
      return loads
    }
    let head = JSONHead(generated: now, store: try store.path())
    let report = PruneReport(loads: loads, cutoff: cutoff, isForecast: dryRun, head: head)
    try output.print(text: { report.text($0, zone: .current) }, json: report.json)
  }

  private func prune(_ count: Int, at path: String, before cutoff: Int64) throws(LoadLogError) {
    var progress = ProgressLine(isQuiet: store.quiet)
    defer { progress.wipe() }
    _ = try StoreDoctor.prune(at: path, before: cutoff) { dropped in
      progress.show { "pruning: \(dropped) of \(count) loads, \(dropped * 100 / max(1, count)) %" }
    }
  }
}

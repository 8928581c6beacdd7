import ArgumentParser
import LoadLog
import LoadLogReports

/// `prune`: deletes old loads.
struct PruneVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete old finished loads; keep their counts, dates and histograms.",
    discussion: """
      Running and unbalanced loads stay, and so do each feed's last load, success and failure. status counts the same \
      loads before and after, but medians and percentiles become estimates, marked with ~. New loads reuse the space. \
      Texts of the deleted loads, such as messages and reasons, stay in the file.

      Apps that record through the library, and loadlog run, delete loads older than 90 days themselves. --keep with \
      --by-default stores another age in the store; --keep all --by-default keeps every load from now on. A limit that an app \
      sets itself wins. The changes that notify noticed are kept as long, but at least 90 days.

      Example:

        loadlog prune --older-than 30d --dry-run
        loadlog prune --keep 30d --by-default
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Delete loads that ended at least this long ago: 30d, 12w.", valueName: "duration"))
  var olderThan: String?

  @Option(help: ArgumentHelp("The same as --older-than; or all.", valueName: "duration"))
  var keep: String?

  @Flag(help: "Store --keep in the store, so that older loads are deleted while programs record.")
  var byDefault = false

  @Flag(help: "Only print what would be deleted.")
  var dryRun = false

  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    if (olderThan == nil) == (keep == nil) { throw ValidationError("Give either --older-than or --keep.") }
    if byDefault, keep == nil { throw ValidationError("--by-default needs --keep.") }
    if olderThan == "all" { throw ValidationError("--older-than needs a duration, such as 30d.") }
    if keep == "all", !byDefault { throw ValidationError("--keep all needs --by-default.") }
  }

  func run() throws {
    let now = BootClock().now().wall
    let retention = try retention()
    let kept = byDefault ? retention : nil
    let cutoff = retention.age.map { now.subtractingReportingOverflow($0).partialValue } ?? .min
    let loads = try store.asking { path throws(LoadLogError) in
      let forecast = try SQLiteLoadReader(at: path).prunable(before: cutoff)
      guard !dryRun else { return forecast }
      if let kept { try StoreDoctor.keep(kept, at: path) }
      guard retention != .all else { return [:] }
      return try prune(forecast.values.reduce(0, +), at: path, before: cutoff)
    }
    let head = JSONHead(generated: now, store: try store.path())
    let report = PruneReport(loads: loads, cutoff: cutoff, isForecast: dryRun, kept: kept, head: head)
    try output.print(Answer(text: report.text, json: report.json), store)
  }

  private func retention() throws -> StoreRetention {
    guard let text = keep ?? olderThan, text != "all" else { return .all }
    return .microseconds(try DurationExpression.age(text, of: keep == nil ? "--older-than" : "--keep"))
  }

  /// Prunes, and returns what was deleted. That can be more than the forecast, because a store is pruned after the failures
  /// of dead commands count.
  private func prune(
    _ forecast: Int, at path: String, before cutoff: Int64
  ) throws(LoadLogError) -> [Feed: Int] {
    var progress = ProgressLine(isQuiet: store.quiet)
    defer { progress.wipe() }
    var loads: [Feed: Int] = [:]
    _ = try StoreDoctor.prune(at: path, before: cutoff) { pruned in
      loads = pruned
      progress.show {
        let dropped = pruned.values.reduce(0, +)
        let count = max(dropped, forecast)
        return "pruning: \(dropped) of \(count) loads, \(dropped * 100 / count) %"
      }
    }
    return loads
  }
}

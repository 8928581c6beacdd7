public import ArgumentParser
import Foundation
import LoadLog
import LoadLogCore
public import LoadLogReports

/// `export`: writes the record in another format.
struct ExportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export the record as ndjson, a trace, OTLP, CSV or metrics, or as a copy of the store.",
    discussion: """
      Selects loads by their start. ndjson contains the whole record: a store that imports it gives the same \
      answers. otlp and csv contain only loads; chrome-trace also contains unmatched pops and finishes. sqlite is \
      a consistent copy of the whole store, even while it is in use. prometheus is the state of the feeds now and \
      counts of all time, for the textfile collector of node_exporter. The output file appears when it is \
      complete. A new file is readable by you alone, metrics by all; an existing one keeps its permissions.

      With --fleet it exports what the hosts have shipped, and says what they have not.

      Example:

        loadlog export 'backup/*' --since 30d --format csv > backups.csv
        loadlog export --flips --since 30d --format csv > flips.csv
        loadlog export --fleet --host 'web-*' --since 7d -o web.ndjson
        loadlog export --format sqlite -o /backup/loads.db
        loadlog export -o /var/lib/prometheus/node-exporter/loadlog.prom
      """)

  @OptionGroup var window: WindowOptions

  @Option(
    help: ArgumentHelp(
      "ndjson, chrome-trace, otlp, csv, prometheus or sqlite (default: by the extension of the output file, else ndjson)."
    ))
  var format: ExportFormat?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file (default: standard output).", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Include what commands wrote, if it was kept. It may contain secrets. Only ndjson and sqlite.")
  var withOutput = false

  @Flag(help: "Export only the changes of feeds that notify noticed. Only ndjson and csv.")
  var flips = false

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    try fleet.exclude(store)
    if flips, chosen != .ndjson, chosen != .csv {
      throw ValidationError("--flips needs --format ndjson or csv.")
    }
    if flips, withOutput { throw ValidationError("--flips and --with-output cannot be combined.") }
    if withOutput, chosen != .ndjson, chosen != .sqlite {
      throw ValidationError("--with-output needs --format ndjson or sqlite.")
    }
    if chosen == .prometheus, window.since != nil || window.until != nil {
      throw ValidationError("Metrics are those of all time: omit --since and --until.")
    }
    if fleet.fleet, withOutput {
      throw ValidationError(
        "--fleet cannot be combined with --with-output: what commands wrote stays on their hosts.")
    }
    guard chosen == .sqlite else { return }
    if fleet.fleet {
      throw ValidationError(
        "A fleet has no store to copy. Export it as ndjson: loadlog import makes a store of that.")
    }
    if output == nil || output == "-" {
      throw ValidationError("A copy of the store needs a file: --output FILE.")
    }
    if !window.feeds.isEmpty || window.since != nil || window.until != nil {
      throw ValidationError("A copy of the store contains all loads: omit feeds, --since and --until.")
    }
  }

  private var chosen: ExportFormat { format ?? output.flatMap(ExportFormat.guess) ?? .ndjson }

  func run() throws {
    if fleet.fleet { try NetProgram.execute() }
    DraftFile.discardOnSignals()
    if chosen == .sqlite, let output {
      try store.asking { path throws(LoadLogError) in
        try StoreCopy.make(of: path, at: output, withOutput: withOutput)
      }
      var info = stat()
      if stat(output, &info) == 0 { note(size: Int(info.st_size)) }
      return
    }
    let filter = try window.filter()
    let reader = try store.reader()
    try expectFeeds(reader)
    if chosen == .prometheus { return try writeMetrics(reader, filter) }
    let export = try store.asking { path throws(LoadLogError) in
      try StoreExport(at: path, filter, onlyFlips: flips, withOutput: withOutput)
    }
    try write(export)
  }

  /// Exports what the hosts of a fleet have shipped.
  func export(_ reader: any FleetReading) throws {
    DraftFile.discardOnSignals()
    let filter = try window.filter()
    try expectFeeds(reader)
    if chosen == .prometheus { return try writeMetrics(reader, filter) }
    let export = try reader.export(filter, onlyFlips: flips)
    try write(export.rows)
    guard !store.quiet else { return }
    let gaps = FleetGaps.lines(
      counted: export.counted, cutsDays: !StatusWindow(filter).cuts.isEmpty,
      withoutMessages: export.withoutMessages, in: chosen)
    for line in gaps { Output.note(line) }
  }

  private func expectFeeds(_ reader: any LoadReading) throws {
    try flips ? reader.expectFeedsOrFlips(window.patterns) : reader.expectFeeds(window.patterns)
  }

  private func write(_ export: StoreExport) throws {
    let file = try OutputFile(output, besides: store.path())
    var progress = ProgressLine(isQuiet: store.quiet || file.isTerminal)
    defer { progress.wipe() }
    var bytes: [UInt8] = []
    var (size, count) = (0, 0)
    func flush() throws {
      try file.write(bytes)
      size += bytes.count
      bytes.removeAll(keepingCapacity: true)
      progress.show { "exporting: \(export.progress.done * 100 / max(1, export.progress.of)) %" }
    }
    if !flips, var exporter = chosen.exporter() {
      exporter.begin(into: &bytes)
      while let rows = try export.nextRows() {
        for row in rows {
          switch row {
          case .load(let load):
            exporter.add(load, into: &bytes)
            count += 1
          case .unmatched(let unmatched): exporter.add(unmatched, into: &bytes)
          }
        }
        try flush()
      }
      exporter.end(into: &bytes)
    } else {
      if chosen == .csv { FlipTable.begin(into: &bytes) }
      while let lines = try export.nextLines() {
        for line in lines {
          if chosen == .csv, case .flip(let line) = line {
            FlipTable.add(line.flip, into: &bytes)
          } else {
            line.append(to: &bytes)
          }
          if case .start = line { count += 1 }
        }
        try flush()
      }
    }
    try flush()
    try file.finish()
    progress.wipe()
    note(size: size, contents: flips ? nil : Words.count(count, "load"))
  }

  private func writeMetrics(_ reader: any FollowedReading, _ filter: LoadFilter) throws {
    let metrics = PrometheusText(
      try reader.status(filter, runningLimit: nil), storeBytes: reader.bytesOnDisk,
      version: LoadLogCommand.version)
    var bytes: [UInt8] = []
    metrics.append(to: &bytes)
    let file = try OutputFile(output, besides: store.path(), mode: 0o644)
    try file.write(bytes)
    try file.finish()
    note(size: bytes.count)
  }

  /// Reports that the file was written, and its format if neither an option nor the file's name chose it.
  private func note(size: Int, contents: String? = nil) {
    if store.reportsSuccess { OutputFile.note(output, size: size, contents: contents) }
    guard format == nil, let output, output != "-", !store.quiet, ExportFormat.guess(name: output) == nil
    else { return }
    Output.note(
      "the format of \(VisibleText.quoted(output)) is \(chosen.rawValue). To change it, add --format.")
  }
}

extension ExportFormat: ExpressibleByArgument {}

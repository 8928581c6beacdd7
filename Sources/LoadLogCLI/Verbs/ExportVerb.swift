public import ArgumentParser
import LoadLog
public import LoadLogReports

/// `export`: writes the record in another form.
struct ExportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the record as LoadLog's own lines, a trace, OTLP, CSV, or as a copy of the store.",
    discussion: """
      Loads are chosen by their start. ndjson holds all there is, and a store that imports it says the same; the \
      other formats show loads. sqlite is a consistent copy of the whole store, in use or not. A file appears \
      under its name when it is complete, for you alone unless another was there.

      Example:

        loadlog export 'backup/*' --since 30d --format csv > backups.csv
        loadlog export --format sqlite -o /backup/loads.db
      """)

  @OptionGroup var window: WindowOptions

  @Option(
    help: ArgumentHelp(
      "ndjson, chrome-trace, otlp, csv or sqlite (default: as the output's name ends, else ndjson)."))
  var format: ExportFormat?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file (default: standard output).", valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard chosen == .sqlite else { return }
    if output == nil || output == "-" {
      throw ValidationError("A copy of the store needs --output with a file.")
    }
    if !window.feeds.isEmpty || window.since != nil || window.until != nil {
      throw ValidationError("A copy of the store is whole: leave out feeds, --since and --until.")
    }
  }

  private var chosen: ExportFormat { format ?? output.flatMap(ExportFormat.guess) ?? .ndjson }

  func run() throws {
    if chosen == .sqlite, let output {
      return try store.asking { path throws(LoadLogError) in try StoreCopy.make(of: path, at: output) }
    }
    let filter = try window.filter()
    try store.reader().expectFeeds(window.patterns)
    let export = try store.asking { path throws(LoadLogError) in try StoreExport(at: path, filter) }
    let file = try OutputFile(output, besides: store.path())
    var progress = ProgressLine(isQuiet: store.quiet || file.isTerminal)
    defer { progress.wipe() }
    var writing = Writing(export, chosen)
    var bytes: [UInt8] = []
    while try writing.next(into: &bytes) {
      try file.write(bytes)
      bytes.removeAll(keepingCapacity: true)
      progress.show { "exporting: \(export.progress.done * 100 / max(1, export.progress.of)) %" }
    }
    try file.finish()
    remarkOnFormat()
  }

  /// Nobody has said how a file is to be written, and its name does not tell.
  private func remarkOnFormat() {
    guard format == nil, let output, output != "-", !store.quiet, ExportFormat.guess(name: output) == nil
    else { return }
    Output.note("wrote \(VisibleText.quoted(output)) as \(chosen.rawValue). --format names another.")
  }
}

extension ExportVerb {
  /// The record on its way through its exporter.
  private struct Writing {
    private let export: StoreExport
    private var exporter: (any LoadExporter)?
    private var isBegun = false
    private var isEnded = false

    init(_ export: StoreExport, _ format: ExportFormat) {
      self.export = export
      exporter = format.exporter()
    }

    /// Appends the next part.
    ///
    /// - Returns: false when all is written.
    mutating func next(into bytes: inout [UInt8]) throws(LoadLogError) -> Bool {
      guard !isEnded else { return false }
      guard exporter != nil else { return try nextLines(into: &bytes) }
      if !isBegun { exporter?.begin(into: &bytes) }
      isBegun = true
      guard let rows = try export.nextRows() else {
        isEnded = true
        exporter?.end(into: &bytes)
        return true
      }
      for row in rows {
        switch row {
        case .load(let load): exporter?.add(load, into: &bytes)
        case .unmatched(let unmatched): exporter?.add(unmatched, into: &bytes)
        }
      }
      return true
    }

    private func nextLines(into bytes: inout [UInt8]) throws(LoadLogError) -> Bool {
      guard let lines = try export.nextLines() else { return false }
      for line in lines { line.append(to: &bytes) }
      return true
    }
  }
}

extension ExportFormat: ExpressibleByArgument {}

import ArgumentParser
import LoadLog
import LoadLogCore
import LoadLogReports

/// `report`: writes the status as one HTML page with charts.
struct ReportVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write the status as one HTML page with charts.",
    discussion: """
      The page is one file. It needs no network, follows the reader's light or dark theme, and can be printed. A \
      small script in it sorts and searches the tables; without scripts the page is complete. Up to 100 feeds have \
      charts, those in trouble first: loads and failures by day, durations, and the last 24 hours. Windows of less \
      than three days are shown by hour. The output file appears when it is complete. A new file is readable by you \
      alone; an existing one keeps its permissions.

      Example:

        loadlog report -o status.html
        loadlog report 'backup/*' --since 30d > backups.html
      """)

  @OptionGroup var window: WindowOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this file (default: standard output).", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(
    help: "Show the end of what the commands of failed loads wrote, if it was kept. It may contain secrets.")
  var withOutput = false

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    try fleet.exclude(store)
    if fleet.fleet, withOutput {
      throw ValidationError(
        "--fleet cannot be combined with --with-output: what commands wrote stays on their hosts.")
    }
  }

  func run() throws {
    if fleet.fleet { try NetProgram.execute() }
    let store = store
    try write({ () throws(LoadLogError) in try store.reader() }, at: store.path())
  }

  /// Writes the report.
  ///
  /// - Parameters:
  ///   - open: opens the store, or the fleet's database, for reading.
  ///   - path: the store's path, or the database's address, as the report names it.
  ///   - trouble: what is wrong with the hosts of a fleet.
  func write(
    _ open: () throws(LoadLogError) -> any LoadReading, at path: String,
    trouble: () throws(LoadLogError) -> FleetTrouble? = { nil }
  ) throws {
    DraftFile.discardOnSignals()
    if output == nil, Terminal().isTerminal {
      throw ValidationError("A terminal cannot show an HTML page. Name a file: -o status.html.")
    }
    let filter = try window.filter()
    let reader = try open()
    try reader.expectFeeds(window.patterns)
    var contents = try ReportContents(reading: reader, filter, store: path)
    contents.hosts = try trouble()?.lines ?? []
    if withOutput { try contents.readOutputs(from: reader) }
    let report = HTMLReport(contents, as: .report, hintedStore: store.db, fleetOptions: fleet.words)
    let page = Array(report.html().utf8)
    let file = try OutputFile(output, besides: store.path())
    try file.write(page)
    try file.finish()
    if !store.quiet { OutputFile.note(output, size: page.count) }
  }
}

import ArgumentParser
import LoadLog
import LoadLogReports

/// `recover`: saves what is readable of a damaged store.
struct RecoverVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Save what is readable of a damaged store into a new one.",
    discussion: """
      Reads the damaged store and its write-ahead log page by page and changes nothing in them: their SHA-256 is \
      printed. Stop the programs that record in the store first. Rows that break a rule are left out and counted. \
      A load whose feed's name is lost moves to a feed named recovered/N. Counters are computed again. Exits 1 if \
      something was lost, 6 if nothing could be saved.

      Example:

        loadlog recover loadlog.db -o saved.db
        loadlog doctor --db saved.db
      """)

  @Argument(
    help: ArgumentHelp("The damaged store (default: that of --db).", valueName: "file"), completion: .file())
  var file: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The new store, which must not exist.", valueName: "file"), completion: .file())
  var output: String

  @OptionGroup var page: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    if file != nil, store.db != nil { throw ValidationError("Name the damaged store once: omit --db.") }
  }

  func run() throws {
    DraftFile.discardOnSignals()
    let path = try file ?? store.path()
    store.remark("store \(VisibleText.quoted(path))")
    var progress = ProgressLine(isQuiet: store.quiet)
    defer { progress.wipe() }
    let result = try StoreRecovery.run(from: path, into: output) { done, all in
      progress.show { "recovering: \(done * 100 / max(1, all)) %" }
    }
    progress.wipe()
    let head = JSONHead(generated: BootClock().now().wall, store: path)
    let report = RecoverReport(result, target: output, head: head)
    try page.print(Answer(text: report.text, json: report.json), store)
    if !result.isComplete { throw ExitCode(Ending.refused) }
  }
}

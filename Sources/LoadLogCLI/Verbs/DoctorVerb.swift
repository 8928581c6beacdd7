import ArgumentParser
import LoadLog
import LoadLogReports

/// `doctor`: checks the store.
struct DoctorVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the store; report problems and what to do about them.",
    discussion: """
      --repair records the verdicts on loads of dead owners, deletes the files that these owners left, recomputes \
      counters that are wrong, and empties the write-ahead log. If the database file itself is damaged, it changes nothing. doctor exits 1 if \
      something needs attention, 6 if the store is damaged.

      Example:

        loadlog doctor --repair
      """)

  @Flag(help: "Repair what can be repaired.")
  var repair = false

  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func run() throws {
    let diagnosis = try store.asking { path throws(LoadLogError) in
      try repair ? StoreDoctor.repair(at: path) : StoreDoctor.examine(at: path)
    }
    let head = JSONHead(generated: BootClock().now().wall, store: try store.path())
    let report = DoctorReport(diagnosis, head: head)
    try output.print(Answer(text: report.text, json: report.json), store)
    if diagnosis.isDamaged { throw ExitCode(Ending.damaged) }
    if diagnosis.needsAttention { throw ExitCode(Ending.refused) }
  }
}

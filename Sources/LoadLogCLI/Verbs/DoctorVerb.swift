import ArgumentParser
import LoadLog
import LoadLogReports

/// `doctor`: whether the store is well.
struct DoctorVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Examine the store; say what was found and what to do.",
    discussion: """
      --repair makes the verdicts on dead owners durable and clears away what they left. A damaged store is \
      left as it is. Exits 1 if something should be seen to, 6 if the store is damaged.

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
    try output.print(text: report.text, json: report.json)
    if diagnosis.isDamaged { throw ExitCode(Ending.damaged) }
    if diagnosis.needsAttention { throw ExitCode(Ending.refused) }
  }
}

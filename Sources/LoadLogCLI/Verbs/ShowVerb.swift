import ArgumentParser
import LoadLog
import LoadLogReports

/// `show`: shows one load.
struct ShowVerb: AnsweringVerb {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one load: where it started, how and why it ended, and what else was loading.",
    discussion: """
      Example:

        loadlog show 41b6c1e
      """)

  @Argument(help: ArgumentHelp("The load's id, or its last digits.", valueName: "id"))
  var id: String

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws { try fleet.exclude(store) }

  func print(_ answer: Answer) throws { try output.print(answer, store, fleet) }

  func answer(_ open: () throws(LoadLogError) -> any LoadReading, at path: String) throws -> Answer {
    let tail = try IDTail(id)
    let reader = try open()
    let context: LoadContext
    do throws(LoadLogError) {
      context = try reader.context(of: tail)
    } catch {
      // `unbalanced` also lists finishes and pops that belong to no load.
      guard error.code == .notFound, let finish = try reader.imbalance(matching: tail) else { throw error }
      let summary = ImbalanceSummary(
        generated: BootClock().now().wall, since: nil, until: nil, imbalances: [finish], overrunning: [])
      let report = UnbalancedReport(summary, store: path)
      return Answer(text: report.text, json: report.json)
    }
    let head = JSONHead(generated: BootClock().now().wall, store: path)
    let report = LoadReport(context, output: try reader.output(of: context.load.id), head: head)
    return Answer(text: report.text, json: report.json)
  }
}

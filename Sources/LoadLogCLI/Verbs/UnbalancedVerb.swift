import ArgumentParser
import Foundation
import LoadLog
import LoadLogReports

/// `unbalanced`: what was pushed and never popped, or popped and never pushed.
struct UnbalancedVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unbalanced",
    abstract: "List every unfinished start and unmatched finish with its evidence, or acknowledge them.",
    discussion: """
      What is acknowledged stays in the record and alarms no more.

      Example:

        loadlog unbalanced reviews
        loadlog unbalanced --ack 41b6c1e c02fa91 -m "fixed in 2.3"
      """)

  @OptionGroup var window: WindowOptions

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Acknowledge these; an id may be shortened.", valueName: "id"))
  var ack: [String] = []

  @Flag(help: "Acknowledge all, or all that fit the feeds and the window.")
  var all = false

  @Option(name: .shortAndLong, help: ArgumentHelp("A note to the acknowledgement.", valueName: "text"))
  var message: String?

  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    if all, !ack.isEmpty { throw ValidationError("--all and the ids after --ack exclude each other.") }
    if message != nil, !all, ack.isEmpty { throw ValidationError("--message needs --ack or --all.") }
  }

  func run() throws {
    let filter = try window.filter()
    let reader = try store.reader()
    try reader.expectFeeds(window.patterns)
    guard all || !ack.isEmpty else {
      let report = UnbalancedReport(try reader.imbalanceSummary(filter), store: try store.path())
      return try output.print(text: report.text, json: report.json)
    }
    let count = try store.controller(for: .detached)
      .acknowledge(chosen(filter, reader), by: NSUserName(), note: message)
    try Output.write("\(count) acknowledged\n")
  }

  /// The ids that are meant; nil for every one that there is.
  private func chosen(_ filter: LoadFilter, _ reader: SQLiteLoadReader) throws -> [SessionID]? {
    if !all { return try reader.imbalances(matching: ack.map { try IDTail($0) }) }
    return filter == LoadFilter() ? nil : try reader.unbalanced(filter).map(\.id)
  }
}

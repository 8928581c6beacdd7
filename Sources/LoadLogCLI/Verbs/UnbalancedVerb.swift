import ArgumentParser
import Foundation
import LoadLog
import LoadLogReports

/// `unbalanced`: lists pushes without a pop and pops without a push.
struct UnbalancedVerb: AnsweringVerb {
  static let configuration = CommandConfiguration(
    commandName: "unbalanced",
    abstract: "List every unfinished start and unmatched finish with its evidence, or acknowledge them.",
    usage: """
      loadlog unbalanced [<feed> ...] [<options>]
      loadlog unbalanced --ack <id> ... [--message <text>]
      loadlog unbalanced --ack --all [<feed> ...] [--message <text>]
      """,
    discussion: """
      Acknowledged imbalances stay in the record, but raise no alarm. In JSON, "missing" and "missing_overrunning" are \
      the numbers of what --limit leaves out.

      Example:

        loadlog unbalanced reviews
        loadlog unbalanced --ack 41b6c1e c02fa91 -m "fixed in 2.3"
        loadlog unbalanced --ack --all reviews -m "fixed in 2.3"
      """)

  @OptionGroup var window: WindowOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Maximum number of imbalances, and of overrunning loads, or all.", valueName: "number")
  )
  var limit = LoadLimit(number: nil)

  @Flag(help: "Acknowledge imbalances; the arguments are their ids, which may be shortened.")
  var ack = false

  @Flag(help: "With --ack: acknowledge every imbalance; the arguments are feeds.")
  var all = false

  @Option(
    name: .shortAndLong, parsing: .unconditional,
    help: ArgumentHelp("A note to keep with the acknowledgement.", valueName: "text"))
  var message: String?

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var output: PageOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    try fleet.exclude(store)
    try limit.validate()
    if all, !ack {
      throw ValidationError(
        "--all goes with --ack: together they acknowledge every imbalance. To list every imbalance, omit --all."
      )
    }
    if ack, limit.number != nil || output.json {
      throw ValidationError("--limit and --json cannot be combined with --ack.")
    }
    if ack, !all, window.since != nil || window.until != nil {
      throw ValidationError("--since and --until cannot be combined with --ack and ids.")
    }
    if ack, !all, window.feeds.isEmpty { throw ValidationError("Give ids after --ack, or --all.") }
    if fleet.fleet, ack {
      throw ValidationError("--fleet cannot be combined with --ack: acknowledge on the host.")
    }
    if message != nil, !ack { throw ValidationError("--message needs --ack.") }
  }

  func run() throws {
    guard ack else { return try printAnswer() }
    guard all else {
      let ids = try window.feeds.map { try IDTail($0) }
      let found = try store.reader().imbalances(matching: ids)
      try acknowledge(found.map(\.id))
      if !store.quiet { found.forEach(noteEarlierAcknowledgement) }
      return
    }
    let filter = try window.filter()
    let reader = try store.reader()
    try reader.expectFeeds(window.patterns)
    // Without feeds and window, nil acknowledges every imbalance, even one that is recorded after this check.
    try acknowledge(filter == LoadFilter() ? nil : reader.unbalanced(filter).map(\.id))
  }

  func print(_ answer: Answer) throws { try output.print(answer, store, fleet) }

  func answer(_ open: () throws(LoadLogError) -> any LoadReading, at path: String) throws -> Answer {
    var filter = try window.filter()
    filter.limit = limit.number
    let reader = try open()
    try reader.expectFeeds(window.patterns)
    let report = UnbalancedReport(try reader.imbalanceSummary(filter), store: path)
    return Answer(text: report.text, json: report.json)
  }

  private func acknowledge(_ ids: [SessionID]?) throws {
    try store.record(.acknowledge(ids, by: NSUserName(), note: message)) { receipt in
      try Output.write("\(receipt.count ?? 0) acknowledged\n")
    }
  }

  private func noteEarlierAcknowledgement(of imbalance: Imbalance) {
    guard let earlier = imbalance.acknowledgement else { return }
    let time = LocalTime(zone: .current).full(earlier.at)
    Output.note(
      "\(imbalance.id.tail) was acknowledged before: by \(VisibleText.line(earlier.by)), \(time)")
  }
}

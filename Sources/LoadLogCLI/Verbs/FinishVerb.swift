import ArgumentParser
import LoadLog
import LoadLogReports

/// `finish`: records the finish of a load.
struct FinishVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "finish",
    abstract: "Record the finish of a load, and its result.",
    discussion: """
      Without a flag the load succeeded. A second finish, or the finish of a whole id that the store does not know, \
      is recorded as unbalanced; finish then exits 1.

      Example:

        loadlog finish 41b6c1e --failed --reason "disk full"
        trap 'loadlog finish "$id" --exit $? || :' EXIT
        trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM
      """)

  @Argument(help: ArgumentHelp("The id that start printed, or its last digits.", valueName: "id"))
  var id: String

  @OptionGroup var verdict: VerdictOptions
  @OptionGroup var origin: CallSiteOptions
  @OptionGroup var store: StoreOptions

  func run() throws {
    // A script that goes on after a failed start passes what it has got.
    guard !id.isEmpty else {
      throw LoadLogError(
        .invalidInput, what: "nothing to finish", why: "the id is empty",
        advice: "The load was not recorded at its start; loadlog start has printed why.")
    }
    let tail = try IDTail(id)
    // A whole id needs no query, and the finish of an unknown one must be recorded too.
    let load = try tail.whole ?? store.reader().load(matching: tail).id
    try store.record(.finish(load, verdict.verdict(silent: Verdict.succeeded)), callSite: origin.value()) {
      receipt in
      switch receipt.outcome {
      case .unmatched(.orphanFinish):
        Output.note(
          "load \(load) was never started here; its finish is recorded as unbalanced. See loadlog help verdicts."
        )
        throw ExitCode(Ending.refused)
      case .unmatched:
        Output.note(
          "load \(load) had already finished; this finish is recorded as unbalanced. See loadlog help verdicts."
        )
        throw ExitCode(Ending.refused)
      case .finished(let state, let isFinishedAfterVerdict):
        let took = receipt.duration.map { " after \(DurationText.measured($0))" } ?? ""
        let feed = receipt.feed.map { VisibleText.line($0.name) } ?? load.description
        store.remark("\(feed) \(state.rawValue)\(took)\(isFinishedAfterVerdict ? ", after verdict" : "")")
      default: break
      }
    }
  }
}

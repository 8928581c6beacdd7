import ArgumentParser
import LoadLog

/// `pop`: lowers the count of a feed.
struct PopVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pop",
    abstract: "Lower the count of a feed; print the new count.",
    discussion: """
      Finishes the newest open push of the same script, or else the newest open push of the feed by any script. \
      Without a flag the load is recorded as ended, without a result, and no date changes. A pop at 0 is recorded as \
      unbalanced and exits 1, unless a reset closed its push.

      Example:

        loadlog pop downloads --succeeded
      """)

  @Argument(help: ArgumentHelp("The feed that was loaded.", valueName: "feed"))
  var feed: String

  @OptionGroup var verdict: VerdictOptions
  @OptionGroup var origin: CallSiteOptions
  @OptionGroup var store: StoreOptions

  func run() throws {
    let feed = try Feed(feed).validated()
    try store.record(.pop(feed, verdict.verdict(silent: Verdict.ended)), callSite: origin.value()) {
      receipt in
      try Output.write(answer: "\(receipt.count ?? 0)\n")
      switch receipt.outcome {
      case .unmatched:
        Output.note(
          "Unbalanced pop of \(VisibleText.line(feed.name)): count already 0. See loadlog help verdicts.")
        throw ExitCode(Ending.refused)
      case .popAfterReset: store.remark("a reset had finished this load already")
      default: break
      }
    }
  }
}

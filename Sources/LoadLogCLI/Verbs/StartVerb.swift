import ArgumentParser
import LoadLog

/// `start`: records the start of a load.
struct StartVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Record the start of a load; print its id.",
    discussion: """
      Prints the id when the start is durable.

      Example:

        id=$(loadlog start backup/db --owner-pid $$ -m "Nightly dump") || :
        trap 'loadlog finish "$id" --exit $? || :' EXIT
        trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM

      If nothing can be recorded, || : lets the script do its work and keep its exit code, even under set -e. Without the \
      last line, bash would finish the load as succeeded when a signal kills the script.
      """)

  @Argument(help: ArgumentHelp("The feed that is loaded.", valueName: "feed"))
  var feed: String

  @OptionGroup var load: LoadOptions
  @OptionGroup var owner: OwnerOptions
  @OptionGroup var store: StoreOptions

  func run() throws {
    let id = SessionID()
    let start = try load.start(id, Feed(feed), message: load.message)
    try store.record(start, for: owner.choice, callSite: load.origin.value()) { _ in
      do throws(OutputError) {
        try Output.write("\(id)\n")
      } catch {
        // The caller never received the id, so it cannot finish the load.
        let verdict = Verdict.cancelled("its id could not be printed")
        try? store.record(.finish(id, verdict), callSite: nil) { _ in }
        if error.isReaderGone { throw ExitCode(Ending.refused) }
        throw error
      }
    }
  }
}

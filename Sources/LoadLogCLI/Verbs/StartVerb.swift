import ArgumentParser
import LoadLog

/// `start`: records that a load starts.
struct StartVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Record that a load starts; print its id.",
    discussion: """
      The id is printed once the start is durable.

      Example:

        id=$(loadlog start backup/db --owner-pid $$ -m "Nightly dump")
        trap 'loadlog finish "$id" --exit $?' EXIT
        trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM

      The last line lets bash tell a signal from a success.
      """)

  @Argument(help: ArgumentHelp("What is loaded.", valueName: "feed"))
  var feed: String

  @OptionGroup var load: LoadOptions
  @OptionGroup var owner: OwnerOptions
  @OptionGroup var store: StoreOptions

  func run() throws {
    let id = SessionID()
    let start = try load.start(id, Feed(feed), message: load.message)
    try store.record(start, for: owner.choice, callSite: load.origin.value()) { _ in
      do {
        try Output.write("\(id)\n")
      } catch {
        // Nobody knows the id, so nobody could finish it.
        let verdict = Verdict.cancelled("its id could not be printed")
        try? store.record(.finish(id, verdict), callSite: nil) { _ in }
        throw error
      }
    }
  }
}

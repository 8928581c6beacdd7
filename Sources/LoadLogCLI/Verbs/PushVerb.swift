import ArgumentParser
import LoadLog

/// `push`: raises the count of a feed.
struct PushVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Raise the count of a feed; print the new count.",
    discussion: """
      For scripts that keep no id: push starts a load, and pop finishes the newest one.

      Example:

        loadlog push downloads; curl -O "$url"; loadlog pop downloads
      """)

  @Argument(help: ArgumentHelp("The feed that is loaded.", valueName: "feed"))
  var feed: String

  @OptionGroup var origin: CallSiteOptions
  @OptionGroup var owner: OwnerOptions
  @OptionGroup var store: StoreOptions

  func run() throws {
    let feed = try Feed(feed).validated()
    try store.record(.push(feed), for: owner.choice, callSite: origin.value()) { receipt in
      try Output.write("\(receipt.count ?? 0)\n")
    }
  }
}

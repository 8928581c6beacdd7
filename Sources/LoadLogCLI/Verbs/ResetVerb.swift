import ArgumentParser
import LoadLog

/// `reset`: sets the count of feeds to 0.
struct ResetVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Set the count of feeds to 0; print it.",
    discussion: """
      The open pushes of the feeds become abandoned. Loads with an id do not change. reset takes names, not \
      patterns, and exits 1 if one was never recorded.

      Example:

        loadlog reset downloads
      """)

  @Argument(help: ArgumentHelp("The feeds to reset.", valueName: "feed"))
  var feeds: [String] = []

  @Flag(help: "Reset every feed.")
  var all = false

  @OptionGroup var origin: CallSiteOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    if feeds.isEmpty != all { throw ValidationError("Give feeds, or --all.") }
  }

  func run() throws {
    var named: [Feed] = []
    for feed in feeds { named.append(try Feed(feed).validated()) }
    // A reset of a feed that was never recorded is a misspelled name, or a pattern.
    if !all {
      let reader = try store.reader()
      for feed in named { _ = try reader.knownDates(of: feed) }
    }
    try store.record(.reset(all ? nil : named), callSite: origin.value()) { receipt in
      try Output.write("0\n")
      let count = receipt.count ?? 0
      store.remark(count == 1 ? "1 open push is abandoned now" : "\(count) open pushes are abandoned now")
    }
  }
}

import ArgumentParser
import LoadLog

/// What a new load says of itself.
struct LoadOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, parsing: .unconditional, help: ArgumentHelp("What the load says.", valueName: "text")
  )
  var message: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A text to find it again, kept with the load.", valueName: "text"))
  var tag: String?

  @OptionGroup var origin: CallSiteOptions

  /// The event of a load's start.
  func start(_ id: SessionID, _ feed: Feed, message: String?) throws(LoadLogError) -> LoadEvent.Kind {
    .start(
      id, try feed.validated(), message: message,
      tag: try TextLimit.checked(tag, field: "tag", limit: TextLimit.tag))
  }
}

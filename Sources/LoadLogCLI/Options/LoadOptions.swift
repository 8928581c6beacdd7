import ArgumentParser
import LoadLog

/// The message, tag and call site of a new load.
struct LoadOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, parsing: .unconditional,
    help: ArgumentHelp("A message to show with the load.", valueName: "text")
  )
  var message: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A text by which to find the load later.", valueName: "text"))
  var tag: String?

  @OptionGroup var origin: CallSiteOptions

  /// The start event of a load with these options.
  func start(_ id: SessionID, _ feed: Feed, message: String?) throws(LoadLogError) -> LoadEvent.Kind {
    .start(
      id, try feed.validated(), message: message,
      tag: try TextLimit.checked(tag, field: "tag", limit: TextLimit.tag))
  }
}

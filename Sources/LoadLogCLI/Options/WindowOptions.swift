import ArgumentParser
import LoadLog
import LoadLogReports

/// The feeds and the time window that a verb reads.
struct WindowOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("Names or patterns of feeds (default: all).", valueName: "feed"))
  var feeds: [String] = []

  @Option(parsing: .unconditional, help: ArgumentHelp("Start of the time window.", valueName: "time"))
  var since: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("End of the time window.", valueName: "time"))
  var until: String?

  var patterns: [FeedPattern] { feeds.map { FeedPattern($0) } }

  /// The filter with these options.
  func filter() throws(LoadLogError) -> LoadFilter {
    let window = try TimeExpression(now: BootClock().now().wall).window(since: since, until: until)
    return LoadFilter(feeds: patterns, since: window.since, until: window.until)
  }
}

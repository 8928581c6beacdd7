import ArgumentParser
import LoadLog
import LoadLogReports

/// The feeds and the window that a question is about.
struct WindowOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("Names or patterns of feeds (default: all).", valueName: "feed"))
  var feeds: [String] = []

  @Option(help: ArgumentHelp("From this time on.", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Up to this time.", valueName: "time"))
  var until: String?

  var patterns: [FeedPattern] { feeds.map { FeedPattern($0) } }

  /// The filter that says so.
  func filter() throws(LoadLogError) -> LoadFilter {
    let window = try TimeExpression(now: BootClock().now().wall).window(since: since, until: until)
    return LoadFilter(feeds: patterns, since: window.since, until: window.until)
  }
}

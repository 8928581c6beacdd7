public import ArgumentParser
import LoadLog
public import LoadLogReports

/// `last-updated`: prints the date of a feed's last success.
struct LastUpdatedVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "last-updated",
    abstract: "Print when a feed was last loaded successfully, or never.",
    discussion: """
      Example:

        loadlog last-updated reviews --as relative
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "feed"))
  var feed: String

  @Option(help: "The form of the date: utc (RFC 3339), relative, local or unix (seconds).")
  var `as` = DateForm.utc

  @Flag(help: "Print JSON, with times in UTC.")
  var json = false

  @OptionGroup var store: StoreOptions

  func run() throws {
    let feed = try Feed(feed).validated()
    let date = try store.reader().knownDates(of: feed).lastUpdated
    let report = LastUpdatedReport(
      feed: feed, date: date, head: JSONHead(generated: BootClock().now().wall, store: try store.path()))
    try Output.write((json ? report.json().text() : report.text(`as`, zone: .current)) + "\n")
  }
}

extension DateForm: ExpressibleByArgument {}

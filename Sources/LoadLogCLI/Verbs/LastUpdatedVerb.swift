public import ArgumentParser
import LoadLog
public import LoadLogReports

/// `last-updated`: prints the date of a feed's last success.
struct LastUpdatedVerb: AnsweringVerb {
  static let configuration = CommandConfiguration(
    commandName: "last-updated",
    abstract: "Print when a feed was last loaded successfully, or never.",
    discussion: """
      Example:

        loadlog last-updated reviews --as relative
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "feed"))
  var feed: String

  @Option(help: "The form of the date: utc (RFC 3339; the default), relative, local or unix (seconds).")
  var `as`: DateForm?

  @Flag(help: "Print JSON, with times in UTC.")
  var json = false

  @OptionGroup var fleet: FleetOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    try fleet.exclude(store)
    if json, `as` != nil { throw ValidationError("--json and --as cannot be combined.") }
  }

  func print(_ answer: Answer) throws {
    try Output.write(json ? answer.json().text() + "\n" : answer.text(PageStyle()))
    if let note = answer.note, !json, !store.quiet { Output.note(note) }
  }

  func answer(_ open: () throws(LoadLogError) -> any LoadReading, at path: String) throws -> Answer {
    let feed = try Feed(feed).validated()
    let reader = try open()
    let date: Int64?
    do throws(LoadLogError) {
      date = try reader.knownDates(of: feed).lastUpdated
    } catch {
      guard error.code == .notFound, FeedPattern(feed.name).isGlob else { throw error }
      var page = PageStyle(hintedStore: store.db)
      page.fleetOptions = fleet.words
      throw LoadLogError(
        .notFound, what: "feed", value: feed.name, why: "last-updated takes a name, not a pattern",
        advice: "For several feeds: \(page.command("status \(PageStyle.shellWord(feed.name))"))")
    }
    let report = LastUpdatedReport(
      feed: feed, date: date, head: JSONHead(generated: BootClock().now().wall, store: path))
    return Answer(text: { _ in report.text(`as` ?? .utc, zone: .current) + "\n" }, json: report.json)
  }
}

extension DateForm: ExpressibleByArgument {}

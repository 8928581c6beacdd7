import ArgumentParser
import LoadLogReports

/// When the output has colours.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never
}

/// The output options of the verbs that read the record.
struct PageOptions: ParsableArguments {
  @Flag(help: "Print JSON, with times in UTC.")
  var json = false

  @Option(help: "When to use colours: auto (on a terminal, unless $NO_COLOR is set), always or never.")
  var color = ColorChoice.auto

  /// The page style for standard output.
  func page(_ store: StoreOptions, _ fleet: FleetOptions? = nil, hasHints: Bool? = nil) -> PageStyle {
    let terminal = Terminal()
    let hasColor =
      switch color {
      case .auto: terminal.wantsColor
      case .always: true
      case .never: false
      }
    var page = PageStyle(
      width: terminal.isTerminal ? terminal.width : PageStyle.usualWidth, isFitted: terminal.isTerminal,
      glyphs: terminal.glyphs, hasColor: hasColor, hasHints: hasHints ?? terminal.isTerminal,
      hintedStore: store.db)
    page.fleetOptions = fleet?.words
    return page
  }

  /// Prints an answer.
  ///
  /// - Throws: the exit code of a failed check.
  func print(_ answer: Answer, _ store: StoreOptions, _ fleet: FleetOptions? = nil) throws {
    try Output.write(answer: json ? answer.json().text() + "\n" : answer.text(page(store, fleet)))
    if answer.isRefusal { throw ExitCode(Ending.refused) }
  }
}

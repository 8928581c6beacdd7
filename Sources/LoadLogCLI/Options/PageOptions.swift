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
  var page: PageStyle {
    let terminal = Terminal()
    let hasColor =
      switch color {
      case .auto: terminal.wantsColor
      case .always: true
      case .never: false
      }
    return PageStyle(
      width: terminal.width, glyphs: terminal.glyphs, hasColor: hasColor, hasHints: terminal.isTerminal)
  }

  /// Prints an answer as text or as JSON.
  func print(text: (PageStyle) -> String, json value: () -> JSONValue) throws(OutputError) {
    try Output.write(json ? value().text() + "\n" : text(page))
  }
}

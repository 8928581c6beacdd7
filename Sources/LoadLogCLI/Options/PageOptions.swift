import ArgumentParser
import LoadLogReports

/// When a page has colours.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never
}

/// How the asking verbs answer.
struct PageOptions: ParsableArguments {
  @Flag(help: "Answer in JSON, with times in UTC.")
  var json = false

  @Option(help: "Colour the answer: auto (on a terminal without $NO_COLOR), always or never.")
  var color = ColorChoice.auto

  /// The page that the answer is written on.
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

  /// Prints an answer in the form that was asked for.
  func print(text: (PageStyle) -> String, json value: () -> JSONValue) throws(OutputError) {
    try Output.write(json ? value().text() + "\n" : text(page))
  }
}

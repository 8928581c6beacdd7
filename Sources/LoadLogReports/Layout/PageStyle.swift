import LoadLogCore

/// Role of a text, which decides its colour; the raw value is the parameter of the terminal's SGR sequence.
package enum Ink: String, Sendable, Hashable {
  /// The terminal's default colours.
  case plain = ""
  /// Headings.
  case heading = "1"
  /// Labels and ids around the content.
  case quiet = "2"
  /// Failures.
  case bad = "31"
  /// Successes.
  case good = "32"
  /// Imbalances and overrunning loads.
  case alarm = "33"
  /// Running loads.
  case active = "36"
}

/// Appearance of a text report: width, symbols, colours and time zone.
public struct PageStyle: Sendable {
  /// Width in terminal cells of reports that are not written to a terminal.
  public static let usualWidth = 100

  /// Maximum width of a line in terminal cells.
  public let width: Int
  /// Whether lines are cut or folded to the width. Output to a file or a pipe is neither.
  public let isFitted: Bool
  /// Symbols, in Unicode or ASCII.
  public let glyphs: Glyphs
  /// Whether the report uses colours.
  public let hasColor: Bool
  /// Whether the report suggests commands to run next.
  public let hasHints: Bool
  /// The path of the store that these commands name; nil if they find it themselves.
  public let hintedStore: String?
  /// Time zone of the times in the report.
  public let zone: LocalZone
  /// The options with which these commands ask the fleet that the report is about, from `--fleet` on; nil if it is about
  /// a store.
  package var fleetOptions: String?

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - width: maximum width of a line in terminal cells, clamped to 40...160: tables do not fit into less, and
  ///     longer lines are hard to read.
  ///   - isFitted: whether lines are cut or folded to the width.
  ///   - glyphs: symbols, in Unicode or ASCII.
  ///   - hasColor: whether the report uses colours.
  ///   - hasHints: whether the report suggests commands to run next.
  ///   - hintedStore: the path of the store that these commands name; nil if they find it themselves.
  ///   - zone: time zone of the times in the report.
  public init(
    width: Int = usualWidth, isFitted: Bool = true, glyphs: Glyphs = .unicode, hasColor: Bool = false,
    hasHints: Bool = false, hintedStore: String? = nil, zone: LocalZone = .current
  ) {
    self.width = min(max(width, 40), 160)
    self.isFitted = isFitted
    self.hintedStore = hintedStore
    self.glyphs = glyphs
    self.hasColor = hasColor
    self.hasHints = hasHints
    self.zone = zone
  }

  /// Formatter of times in the page's zone.
  var time: LocalTime { LocalTime(zone: zone) }

  /// Returns the text in an ink, or unchanged if the page has no colours.
  package func inked(_ text: String, _ ink: Ink) -> String {
    guard hasColor, ink != .plain, !text.isEmpty else { return text }
    return "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m"
  }

  /// Whether the page is too narrow for the columns that every table keeps.
  var isNarrow: Bool { isFitted && width < 60 }

  /// Puts `left` at the start and `right` at the end of a line, and truncates `left` if they do not fit.
  func spread(_ left: String, _ right: String, to end: Int? = nil) -> String {
    let end = end ?? width
    let width = DisplayWidth.of(right)
    guard !right.isEmpty else { return fitted(left, to: end) }
    let head = fitted(left, to: max(10, end - width - 2))
    return head
      + DisplayWidth.padded(right, to: max(end - DisplayWidth.of(head), width + 2), alignment: .right)
  }

  /// Truncates a text to a width in terminal cells, by default the page's; not if the page is not fitted.
  func fitted(_ text: String, to width: Int? = nil, _ cut: DisplayWidth.Cut = .end) -> String {
    isFitted ? glyphs.fitted(text, to: width ?? self.width, cutting: cut) : text
  }

  /// Folds a text at spaces to lines of the page's width; not if the page is not fitted.
  ///
  /// The first line begins with `lead`, each further one with `indent` spaces. A number stays with its unit, and a longer
  /// word stays whole.
  func folded(_ text: String, after lead: String = "", indent: Int = 0) -> [String] {
    guard isFitted, DisplayWidth.of(lead + text) > width else { return [lead + text] }
    var words: [String] = []
    for word in text.split(separator: " ") {
      let isUnit = ["ms", "s", "m", "h", "d", "%"].contains(word.filter { !",;)".contains($0) })
      words.append(isUnit ? "\(words.popLast() ?? "") \(word)" : "\(word)")
    }
    var lines: [String] = []
    var (line, begin) = (lead, lead)
    for word in words {
      let longer = line == begin ? line + word : "\(line) \(word)"
      let isMoved = DisplayWidth.of(longer) > width && DisplayWidth.of(line) > indent
      if isMoved {
        lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
        begin = DisplayWidth.spaces(indent)
      }
      line = isMoved ? begin + word : longer
    }
    return lines + [line]
  }

  /// A command for the reader to run: "loadlog show 41b6c1e", with the fleet, or with the store if it is not the default
  /// one.
  package func command(_ words: String) -> String {
    let options = fleetOptions ?? hintedStore.map { "--db \(Self.shellWord($0))" }
    return ["loadlog", words, options].compactMap(\.self).joined(separator: " ")
  }

  /// The option of `history` that shows an example of a time; nil if the example lies before all loads.
  ///
  /// - Parameters:
  ///   - first: the start of the first load; nil if it is not known.
  ///   - now: the time of the answer. Both are wall times in microseconds.
  func exampleOfTime(since first: Int64?, now: Int64) -> String? {
    let example = "yesterday 14:05"
    let time = try? TimeExpression(now: now, zone: zone).microseconds(example)
    if let first, let time, first > time { return nil }
    return "--at \"\(example)\""
  }

  /// The command with which the reader records a first load. A fleet gets it from a host.
  package var commandToRecord: String {
    PageStyle(hintedStore: hintedStore).command("run FEED") + " -- COMMAND"
  }

  /// A text as one word of a shell command.
  package static func shellWord(_ text: String) -> String {
    let plain = text.utf8.allSatisfy {
      $0.isDigit || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || "/._-+:@,%".utf8.contains($0)
    }
    let isPlain = plain && !text.isEmpty && !text.hasPrefix("-")
    return VisibleText.line(isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'")
  }

  /// Hints after their lead: on one line if they fit, otherwise a line each, which is never cut.
  func hints(_ lead: String, _ hints: [String]) -> [String] {
    let line = "\(lead) \(joined(hints))"
    return DisplayWidth.of(line) <= width ? [line] : folded(lead) + hints.map { "  \($0)" }
  }

  /// Joins the parts that are neither nil nor empty with the page's separator.
  func joined(_ parts: [String?]) -> String {
    parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: glyphs.separator)
  }
}

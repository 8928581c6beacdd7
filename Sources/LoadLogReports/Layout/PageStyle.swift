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
  /// Imbalances and overdue loads.
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
  /// Symbols, in Unicode or ASCII.
  public let glyphs: Glyphs
  /// Whether the report uses colours.
  public let hasColor: Bool
  /// Whether the report suggests commands to run next.
  public let hasHints: Bool
  /// Time zone of the times in the report.
  public let zone: LocalZone

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - width: maximum width of a line in terminal cells, clamped to 40...160: tables do not fit into less, and
  ///     longer lines are hard to read.
  ///   - glyphs: symbols, in Unicode or ASCII.
  ///   - hasColor: whether the report uses colours.
  ///   - hasHints: whether the report suggests commands to run next.
  ///   - zone: time zone of the times in the report.
  public init(
    width: Int = usualWidth, glyphs: Glyphs = .unicode, hasColor: Bool = false, hasHints: Bool = false,
    zone: LocalZone = .current
  ) {
    self.width = min(max(width, 40), 160)
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

  /// Puts `left` at the start and `right` at the end of a line, and truncates `left` if they do not fit.
  func spread(_ left: String, _ right: String, to end: Int? = nil) -> String {
    let end = end ?? width
    let room = max(10, end - DisplayWidth.of(right) - 2)
    let head = fitted(left, to: room)
    guard !right.isEmpty else { return head }
    return head + DisplayWidth.padded(right, to: end - DisplayWidth.of(head), alignment: .right)
  }

  /// Truncates a text to a width in terminal cells, by default the page's.
  func fitted(_ text: String, to width: Int? = nil, _ cut: DisplayWidth.Cut = .end) -> String {
    glyphs.fitted(text, to: width ?? self.width, cutting: cut)
  }

  /// Joins the parts that are neither nil nor empty with the page's separator.
  func joined(_ parts: [String?]) -> String {
    parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: glyphs.separator)
  }
}

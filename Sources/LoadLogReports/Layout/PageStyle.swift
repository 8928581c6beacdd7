import LoadLogCore

/// What a text is, for those who see it in colour.
public enum Ink: String, Sendable, Hashable {
  /// As the terminal has it.
  case plain = ""
  /// Headings.
  case heading = "1"
  /// What frames the content.
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

/// How a page is to look: its width, its signs, its colours, its time zone.
public struct PageStyle: Sendable {
  /// The width that screens are designed for; also that of pages that no terminal shows.
  public static let usualWidth = 100

  /// Terminal cells a line may take.
  public let width: Int
  /// The signs.
  public let glyphs: Glyphs
  /// Whether inks show.
  public let hasColor: Bool
  /// Whether a person looks at it, who may want hints.
  public let hasHints: Bool
  /// What local time is.
  public let zone: LocalZone

  /// Describes a page.
  ///
  /// - Parameter width: lines wider than 160 cells are hard to read and narrower than 40 hold no table, so
  ///   it is kept between these.
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

  /// Local time on this page.
  var time: LocalTime { LocalTime(zone: zone) }

  /// The text in an ink.
  public func inked(_ text: String, _ ink: Ink) -> String {
    guard hasColor, ink != .plain, !text.isEmpty else { return text }
    return "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m"
  }

  /// `left`, then `right` at the end of the line; if both do not fit, `left` is cut.
  func spread(_ left: String, _ right: String, to end: Int? = nil) -> String {
    let end = end ?? width
    let room = max(10, end - DisplayWidth.of(right) - 2)
    let head = fitted(left, to: room)
    guard !right.isEmpty else { return head }
    return head + DisplayWidth.padded(right, to: end - DisplayWidth.of(head), alignment: .right)
  }

  /// `text` in at most so many cells.
  func fitted(_ text: String, to width: Int? = nil, _ cut: DisplayWidth.Cut = .end) -> String {
    glyphs.fitted(text, to: width ?? self.width, cutting: cut)
  }

  /// The parts that there are, with the separator between them.
  func joined(_ parts: [String?]) -> String {
    parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: glyphs.separator)
  }
}

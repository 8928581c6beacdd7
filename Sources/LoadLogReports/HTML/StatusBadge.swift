package import LoadLogCore

/// A small picture of a feed's state, for other pages: its name, and the word of its status.
package struct StatusBadge: Sendable {
  private let name: String
  private let word: String
  private let ink: Ink

  /// Creates the badge of a summary's only feed.
  ///
  /// - Parameters:
  ///   - summary: the status of the feed.
  ///   - feed: its name.
  package init(_ summary: StatusSummary, feed: String) {
    let row = summary.feeds.first.map { FeedRow($0, summary: summary) }
    name = DisplayWidth.cut(VisibleText.line(feed), to: Self.longest, cutting: .middle, ellipsis: "…")
    word = row?.word ?? "no result"
    ink = row?.mark(PageStyle(zone: .current).glyphs).ink ?? .quiet
  }

  /// Width in cells to which a name is truncated, and the width of a cell and of the margins in pixels.
  private static let longest = 40, cell = 7, margin = 6

  /// The picture as SVG. Its texts are stretched to the width of their cells, whatever font there is.
  package var svg: String {
    let (left, right) = (Self.width(name), Self.width(word))
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(left + right)" height="20" role="img" aria-label="\(Markup.escaped(name)): \(word)">
      <rect width="\(left)" height="20" fill="#444c56"/><rect x="\(left)" width="\(right)" height="20" fill="\(color)"/>
      <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
      \(Self.text(name, at: Self.margin))
      \(Self.text(word, at: left + Self.margin))
      </g>
      </svg>

      """
  }

  private static func width(_ text: String) -> Int { DisplayWidth.of(text) * cell + 2 * margin }

  private static func text(_ text: String, at x: Int) -> String {
    let width = DisplayWidth.of(text) * cell
    return "<text x=\"\(x)\" y=\"14\" textLength=\"\(width)\">\(Markup.escaped(text))</text>"
  }

  /// A color on which white text has a contrast of at least 4.5.
  private var color: String {
    switch ink {
    case .good: "#1a7f37"
    case .bad: "#c9252d"
    case .alarm: "#9a5b00"
    case .active: "#0a7285"
    case .plain, .heading, .quiet: "#57606a"
    }
  }
}

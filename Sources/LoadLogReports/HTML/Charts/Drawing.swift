/// The inside of an SVG picture. Every text in it is escaped; shapes are made of numbers alone.
struct Drawing {
  /// Where a text stands relative to its point.
  enum Anchor: String {
    case start, middle, end
  }

  private(set) var markup = ""

  /// Adds a shape.
  ///
  /// - Parameters:
  ///   - style: its class in the style sheet.
  ///   - title: what a pointer that rests on it reads.
  mutating func add(_ path: DrawnPath, _ style: String, title: String? = nil) {
    guard !path.data.isEmpty else { return }
    guard let title else { return markup += "<path class=\"\(Markup.escaped(style))\" d=\"\(path.data)\"/>" }
    markup +=
      "<path class=\"\(Markup.escaped(style))\" d=\"\(path.data)\"><title>\(Markup.escaped(title))</title></path>"
  }

  /// Adds a text.
  ///
  /// - Parameter style: its class in the style sheet.
  mutating func add(
    _ text: String, x: Double, y: Double, _ anchor: Anchor = .middle, style: String = "tick"
  ) {
    let place = "x=\"\(DrawnPath.number(x))\" y=\"\(DrawnPath.number(y))\" text-anchor=\"\(anchor.rawValue)\""
    markup += "<text class=\"\(Markup.escaped(style))\" \(place)>\(Markup.escaped(text))</text>"
  }
}

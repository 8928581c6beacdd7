/// Builder of the content of an SVG element. All texts are escaped; shapes consist of numbers only.
struct Drawing {
  /// Alignment of a text relative to its point.
  enum Anchor: String {
    case start, middle, end
  }

  private(set) var markup = ""

  /// Adds a shape.
  ///
  /// - Parameters:
  ///   - style: class of the shape in the style sheet.
  ///   - title: tooltip of the shape.
  mutating func add(_ path: DrawnPath, _ style: String, title: String? = nil) {
    guard !path.data.isEmpty else { return }
    guard let title else { return markup += "<path class=\"\(Markup.escaped(style))\" d=\"\(path.data)\"/>" }
    markup +=
      "<path class=\"\(Markup.escaped(style))\" d=\"\(path.data)\"><title>\(Markup.escaped(title))</title></path>"
  }

  /// Adds a text.
  ///
  /// - Parameter style: class of the text in the style sheet.
  mutating func add(
    _ text: String, x: Double, y: Double, _ anchor: Anchor = .middle, style: String = "tick"
  ) {
    let place = "x=\"\(DrawnPath.number(x))\" y=\"\(DrawnPath.number(y))\" text-anchor=\"\(anchor.rawValue)\""
    markup += "<text class=\"\(Markup.escaped(style))\" \(place)>\(Markup.escaped(text))</text>"
  }
}

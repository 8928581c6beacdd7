/// Builder of the content of an SVG element. All texts are escaped; shapes consist of numbers only.
struct Drawing {
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

  /// Adds a text that is centred at a point, or ends there.
  mutating func add(_ text: String, x: Double, y: Double, isAtEnd: Bool = false) {
    // HTML needs no quotation marks around numbers, and a page has thousands of labels.
    let place = "x=\(DrawnPath.number(x)) y=\(DrawnPath.number(y))"
    markup += "<text\(isAtEnd ? " class=end" : "") \(place)>\(Markup.escaped(text))</text>"
  }
}

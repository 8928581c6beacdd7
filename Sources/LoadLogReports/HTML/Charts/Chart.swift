/// SVG picture with a caption and a description.
struct Chart {
  /// Legend entry: the style class of a shape in the chart, and its meaning.
  struct Key {
    let style: String
    let word: String

    init(_ style: String, _ word: String) { (self.style, self.word) = (style, word) }
  }

  /// Title of the chart.
  let caption: String
  /// Description for readers who cannot see the picture.
  let summary: String
  /// Legend.
  let keys: [Key]
  /// Content of the SVG element; empty if there is nothing to draw.
  let drawing: String

  /// The `viewBox` of the SVG element.
  let viewBox: String
  /// Whether the picture is stretched to the width of the page.
  let isStretched: Bool
  /// Whether there is anything to draw.
  let isDrawn: Bool

  init(
    caption: String, summary: String, keys: [Key] = [], viewBox: String, isStretched: Bool,
    drawing: String
  ) {
    self.caption = caption
    self.summary = summary
    self.keys = keys
    self.viewBox = viewBox
    self.isStretched = isStretched
    self.drawing = drawing
    isDrawn = !drawing.isEmpty
  }

  init(caption: String, summary: String, keys: [Key] = [], frame: ChartFrame, drawing: String) {
    let size = "\(DrawnPath.number(frame.pictureWidth)) \(DrawnPath.number(ChartFrame.height))"
    self.init(
      caption: caption, summary: summary, keys: keys, viewBox: "0 0 \(size)", isStretched: false,
      drawing: drawing)
  }
}

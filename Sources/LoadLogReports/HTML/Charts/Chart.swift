/// SVG picture with a caption and a description.
struct Chart {
  /// Legend entry: a symbol of the chart and its meaning.
  struct Key {
    let style: String
    let shape: String
    let word: String

    /// Returns the legend entry of a line.
    static func line(_ style: String, _ word: String) -> Key {
      Key(style: style, shape: "M0 6H20", word: word)
    }

    /// Legend entry of failures: a cross.
    static let failed = sign(.failed(share: 0.5), "failed", "failed")

    /// Returns the legend entry of a symbol.
    static func sign(_ sign: DrawnPath.Sign, _ style: String, _ word: String) -> Key {
      var path = DrawnPath()
      path.add(sign, 10, 6)
      return Key(style: style, shape: path.data, word: word)
    }
  }

  /// Id on the page.
  let chartID: String
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
  /// Whether there is anything to draw.
  let isDrawn: Bool

  init(
    _ name: String, caption: String, summary: String, keys: [Key] = [],
    frame: ChartFrame, drawing: String
  ) {
    chartID = name
    self.caption = caption
    self.summary = summary
    self.keys = keys
    viewBox = "0 0 \(DrawnPath.number(frame.pictureWidth)) \(DrawnPath.number(ChartFrame.height))"
    self.drawing = drawing
    isDrawn = !drawing.isEmpty
  }
}

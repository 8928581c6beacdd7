/// A picture with what it says in words.
struct Chart {
  /// A sign of a chart and its meaning.
  struct Key {
    let style: String
    let shape: String
    let word: String

    /// A stretch of a line.
    static func line(_ style: String, _ word: String) -> Key {
      Key(style: style, shape: "M0 6H20", word: word)
    }

    /// The cross of failures.
    static let failed = sign(.failed(share: 0.5), "failed", "failed")

    /// A sign that marks single things.
    static func sign(_ sign: DrawnPath.Sign, _ style: String, _ word: String) -> Key {
      var path = DrawnPath()
      path.add(sign, 10, 6)
      return Key(style: style, shape: path.data, word: word)
    }
  }

  /// Its name in the page.
  let chartID: String
  /// What it shows.
  let caption: String
  /// Everything it says, for those who do not see it.
  let summary: String
  /// The signs that need explaining.
  let keys: [Key]
  /// The inside of the picture; empty if there is nothing to draw.
  let drawing: String

  /// The picture's size.
  let viewBox: String
  /// Whether there is something to draw.
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

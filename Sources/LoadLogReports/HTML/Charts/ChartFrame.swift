/// Position of a chart's plot within its picture, in SVG user units.
struct ChartFrame {
  /// Height of every picture.
  static let height = 178.0

  let pictureWidth: Double
  let left = 48.0
  /// Top and bottom of the plot; the space above the plot is for a row of symbols.
  let top = 22.0, bottom = 152.0

  init(pictureWidth: Double = 340) { self.pictureWidth = pictureWidth }

  var right: Double { pictureWidth * 0.95 }
  var width: Double { right - left }
  var height: Double { bottom - top }

  /// Draws the grid lines and labels of a vertical axis.
  ///
  /// - Parameter unit: unit of the axis, if its labels do not contain it.
  func drawVerticalAxis(
    _ ticks: [(y: Double, label: String)], unit: String? = nil, in drawing: inout Drawing
  ) {
    var grid = DrawnPath()
    for tick in ticks {
      grid.move(left, tick.y.rounded())
      grid.horizontal(right)
    }
    drawing.add(grid, "grid")
    for tick in ticks { drawing.add(tick.label, x: left - 6, y: tick.y.rounded() + 4, isAtEnd: true) }
    if let unit { drawing.add(unit, x: left - 6, y: top - 11, isAtEnd: true) }
  }

  /// Draws the line and labels of a horizontal axis.
  func drawHorizontalAxis(_ ticks: [(x: Double, label: String)], in drawing: inout Drawing) {
    var axis = DrawnPath()
    axis.move(left, bottom)
    axis.horizontal(right)
    for tick in ticks {
      axis.move(tick.x.rounded(), bottom)
      axis.vertical(bottom + 4)
    }
    drawing.add(axis, "axis")
    for tick in ticks { drawing.add(tick.label, x: tick.x.rounded(), y: bottom + 19) }
  }
}

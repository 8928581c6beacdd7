import LoadLogText

/// A grid of terminal cells to draw on. Text outside the grid is clipped.
struct CellGrid {
  /// A rectangle of cells.
  struct Area: Hashable {
    var row: Int, column: Int, width: Int, height: Int

    var lastRow: Int { row + height - 1 }
    var lastColumn: Int { column + width - 1 }
  }

  let width: Int, height: Int
  /// The text of each cell; the second cell of a wide character is an empty string.
  private var cells: [[String]]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    cells = Array(repeating: Array(repeating: " ", count: width), count: height)
  }

  var bounds: Area { Area(row: 0, column: 0, width: width, height: height) }

  var lines: [String] { cells.map { $0.joined() } }

  /// A rectangle of the given size, centred in an area; smaller if the area is.
  func centred(width: Int, height: Int, in area: Area) -> Area {
    let (width, height) = (min(width, area.width), min(height, area.height))
    return Area(
      row: area.row + (area.height - height) / 2, column: area.column + (area.width - width) / 2,
      width: width, height: height)
  }

  /// Writes a text. A wide character that it overwrites only in part is replaced by a space.
  mutating func write(_ text: String, row: Int, column: Int) {
    guard cells.indices.contains(row) else { return }
    var column = column
    for character in text {
      let cellCount = DisplayWidth.of(character)
      guard cellCount > 0 else { continue }
      if column >= 0, column + cellCount <= width {
        split(row: row, column: column)
        split(row: row, column: column + cellCount)
        cells[row][column] = String(character)
        if cellCount == 2 { cells[row][column + 1] = "" }
      }
      column += cellCount
    }
  }

  /// Writes a text, centred horizontally in an area.
  mutating func write(_ text: String, row: Int, centredIn area: Area) {
    write(text, row: row, column: area.column + (area.width - DisplayWidth.of(text)) / 2)
  }

  /// Draws an empty box.
  mutating func box(_ area: Area, corners: [String], signs: FrameSigns) {
    let line = String(repeating: signs.horizontal, count: max(0, area.width - 2))
    let space = String(repeating: " ", count: max(0, area.width - 2))
    for row in area.row...max(area.row, area.lastRow) {
      write(signs.vertical + space + signs.vertical, row: row, column: area.column)
    }
    write(corners[0] + line + corners[1], row: area.row, column: area.column)
    write(corners[2] + line + corners[3], row: area.lastRow, column: area.column)
  }

  /// Draws an empty box over the content of another box, and clears the cells directly to its left and right.
  mutating func cover(_ area: Area, in outer: Area, corners: [String], signs: FrameSigns) {
    for row in area.row...max(area.row, area.lastRow) {
      for column in [area.column - 1, area.lastColumn + 1]
      where column > outer.column && column < outer.lastColumn {
        write(" ", row: row, column: column)
      }
    }
    box(area, corners: corners, signs: signs)
  }

  /// Draws a horizontal line across a box.
  mutating func rule(row: Int, in box: Area, signs: FrameSigns) {
    let line = String(repeating: signs.horizontal, count: max(0, box.width - 2))
    write(signs.left + line + signs.right, row: row, column: box.column)
  }

  /// Replaces a wide character that spans the boundary before this column with spaces.
  private mutating func split(row: Int, column: Int) {
    guard column > 0, column < width, cells[row][column].isEmpty else { return }
    cells[row][column - 1] = " "
    cells[row][column] = " "
  }
}

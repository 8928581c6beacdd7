import LoadLogText

/// Terminal cells to draw on, row by row. What lies outside is not drawn.
struct CellGrid {
  /// Some rows and columns of a grid.
  struct Area: Hashable {
    var row: Int, column: Int, width: Int, height: Int

    var lastRow: Int { row + height - 1 }
    var lastColumn: Int { column + width - 1 }
  }

  let width: Int, height: Int
  /// What each cell shows; the second cell of a wide character is empty.
  private var cells: [[String]]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    cells = Array(repeating: Array(repeating: " ", count: width), count: height)
  }

  var bounds: Area { Area(row: 0, column: 0, width: width, height: height) }

  var lines: [String] { cells.map { $0.joined() } }

  /// A part of this size in the middle of an area, or as much of it as there is room for.
  func centred(width: Int, height: Int, in area: Area) -> Area {
    let (width, height) = (min(width, area.width), min(height, area.height))
    return Area(
      row: area.row + (area.height - height) / 2, column: area.column + (area.width - width) / 2,
      width: width, height: height)
  }

  /// Writes a text. Half of a wide character is never left over.
  mutating func write(_ text: String, row: Int, column: Int) {
    guard cells.indices.contains(row) else { return }
    var column = column
    for character in text {
      let cellCount = DisplayWidth.of(character)
      guard cellCount > 0 else { continue }
      if column >= 0, column + cellCount <= width {
        split(row, column)
        split(row, column + cellCount)
        cells[row][column] = String(character)
        if cellCount == 2 { cells[row][column + 1] = "" }
      }
      column += cellCount
    }
  }

  /// Writes a text in the middle of an area's width.
  mutating func write(_ text: String, row: Int, centredIn area: Area) {
    write(text, row: row, column: area.column + (area.width - DisplayWidth.of(text)) / 2)
  }

  /// Draws an empty box.
  mutating func box(_ area: Area, _ corners: [String], _ signs: FrameSigns) {
    let line = String(repeating: signs.horizontal, count: max(0, area.width - 2))
    let space = String(repeating: " ", count: max(0, area.width - 2))
    for row in area.row...max(area.row, area.lastRow) {
      write(signs.vertical + space + signs.vertical, row: row, column: area.column)
    }
    write(corners[0] + line + corners[1], row: area.row, column: area.column)
    write(corners[2] + line + corners[3], row: area.lastRow, column: area.column)
  }

  /// Draws an empty box over what another box holds, and keeps what stands beside it a cell away.
  mutating func cover(_ area: Area, in outer: Area, _ corners: [String], _ signs: FrameSigns) {
    for row in area.row...max(area.row, area.lastRow) {
      for column in [area.column - 1, area.lastColumn + 1]
      where column > outer.column && column < outer.lastColumn {
        write(" ", row: row, column: column)
      }
    }
    box(area, corners, signs)
  }

  /// Draws a line from side to side of a box.
  mutating func rule(row: Int, in box: Area, _ signs: FrameSigns) {
    let line = String(repeating: signs.horizontal, count: max(0, box.width - 2))
    write(signs.left + line + signs.right, row: row, column: box.column)
  }

  /// Makes a cut before this column: a wide character that reaches across it becomes spaces.
  private mutating func split(_ row: Int, _ column: Int) {
    guard column > 0, column < width, cells[row][column].isEmpty else { return }
    cells[row][column - 1] = " "
    cells[row][column] = " "
  }
}

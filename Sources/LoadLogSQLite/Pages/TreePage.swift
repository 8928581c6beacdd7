/// A page of a b-tree in SQLite's file format, https://sqlite.org/fileformat2.html. Nothing in it is trusted: every
/// number is checked against the page before it is used.
struct TreePage {
  enum Kind: UInt8 {
    case innerIndex = 2
    case innerTable = 5
    case leafIndex = 10
    case leafTable = 13

    var isInner: Bool { self == .innerIndex || self == .innerTable }
    var isTable: Bool { self == .innerTable || self == .leafTable }
    /// Whether its cells hold rows, if it is a page of a table, or of a table without row ids.
    var hasRows: Bool { self != .innerTable }
  }

  struct Cell {
    /// The page of the cell's lesser keys, in an inner page.
    var child: UInt32?
    /// The row's number, in a table with row ids.
    var row: Int64?
    /// The part of the record that is in the page.
    var local = 0..<0
    /// The length of the whole record.
    var length = 0
    /// The first page with the rest of the record.
    var overflow: UInt32?
  }

  let kind: Kind
  let bytes: [UInt8]
  let cellCount: Int
  private let header: Int
  private let usable: Int

  /// Reads a page's header.
  ///
  /// - Returns: nil if it is not that of a page of a b-tree.
  init?(_ bytes: [UInt8], number: UInt32, usable: Int) {
    header = number == 1 ? 100 : 0
    guard let kind = Kind(rawValue: bytes[header]) else { return nil }
    self.kind = kind
    self.bytes = bytes
    self.usable = usable
    cellCount = Int(bytes.number(at: header + 3, bytes: 2))
    // A cell takes at least four bytes, and its pointer two.
    guard header + (kind.isInner ? 12 : 8) + 6 * cellCount <= usable else { return nil }
  }

  /// The page of the keys greater than those of all cells, in an inner page.
  var lastChild: UInt32? { kind.isInner ? bytes.number(at: header + 8, bytes: 4) : nil }

  /// Whether it holds nothing: no cell, and no room given to one.
  var isEmpty: Bool {
    cellCount == 0 && Int(bytes.number(at: header + 5, bytes: 2)) % 65_536 == usable % 65_536
  }

  /// Whether all cells are within the page; an empty page looks like any other.
  var isPlausible: Bool { cellCount > 0 && (0..<cellCount).allSatisfy { cell($0) != nil } }

  /// Reads a cell.
  ///
  /// - Returns: nil if it is not within the page.
  func cell(_ index: Int) -> Cell? {
    let pointers = header + (kind.isInner ? 12 : 8)
    var next = Int(bytes.number(at: pointers + 2 * index, bytes: 2))
    guard next >= pointers + 2 * cellCount, next < usable else { return nil }
    var cell = Cell()
    if kind.isInner {
      guard next + 4 <= usable else { return nil }
      cell.child = bytes.number(at: next, bytes: 4)
      next += 4
    }
    if kind != .innerTable {
      guard let (length, after) = bytes.variableInteger(at: next, before: usable) else { return nil }
      guard length <= UInt64(Int32.max) else { return nil }
      (cell.length, next) = (Int(length), after)
    }
    if kind.isTable {
      guard let (row, after) = bytes.variableInteger(at: next, before: usable) else { return nil }
      (cell.row, next) = (Int64(bitPattern: row), after)
    }
    guard kind.hasRows else { return cell }
    let local = localLength(cell.length)
    cell.local = next..<next + local
    guard local < cell.length else { return cell.local.upperBound <= usable ? cell : nil }
    guard cell.local.upperBound + 4 <= usable else { return nil }
    cell.overflow = bytes.number(at: cell.local.upperBound, bytes: 4)
    return cell
  }

  /// How much of a record is in the page, by the rules of the file format.
  private func localLength(_ length: Int) -> Int {
    let most = kind.isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
    guard length > most else { return length }
    let least = (usable - 12) * 32 / 255 - 23
    let wanted = least + (length - least) % (usable - 4)
    return wanted <= most ? wanted : least
  }
}

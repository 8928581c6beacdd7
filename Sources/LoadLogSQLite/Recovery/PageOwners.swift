import LoadLogCore

/// To which table or index each page of a damaged store belongs, as far as that can be found out.
///
/// The schema names the first page of each tree, and inner pages name further ones. Each page is believed only if its
/// content fits; damage can make any page lead anywhere. A page to which nothing leads is known by its shape, if that is
/// the shape of one table alone. Takes time and memory in proportion to the number of pages, whatever they hold.
struct PageOwners {
  private let pages: DamagedPages
  private let shapes: [TreeShape]
  /// For each page the number of its shape, counted from 1; 0 if nothing leads to it.
  private var owners: [UInt8]
  private var free: Set<UInt32> = []
  private var budget = 0
  /// Whether the schema can be read, and names no table or index of a store.
  private(set) var isForeign = false

  /// The number of records of a page that must fit.
  private static let probes = 8

  init(_ pages: DamagedPages, _ shapes: [TreeShape]) {
    self.pages = pages
    self.shapes = shapes
    owners = [UInt8](repeating: 0, count: Int(pages.count) + 1)
    budget = Int(pages.count) + 1000
    let roots = roots()
    isForeign = !roots.isEmpty && shapes.allSatisfy { roots[$0.name] == nil }
    for (index, shape) in shapes.enumerated() {
      if let root = roots[shape.name] { walk(from: root, UInt8(index + 1), shape) { _ in } }
    }
    // SQLite fills it again when rows are inserted.
    if let root = roots[TreeShape.sequence.name] { walk(from: root, Self.schema, .sequence) { _ in } }
    findFreePages()
  }

  /// Whether a page leads nowhere and holds nothing: it is on the list of free pages.
  func isFree(_ number: UInt32) -> Bool { owners[Int(number)] == 0 && free.contains(number) }

  /// The shape of a page to which the schema leads; nil if it does not.
  func owner(_ number: UInt32) -> TreeShape? {
    let index = Int(owners[Int(number)])
    return index == 0 || index > shapes.count ? nil : shapes[index - 1]
  }

  /// Whether a page belongs to a table of SQLite itself: the schema, or the numbers that were given to rows.
  func isOfSQLite(_ number: UInt32) -> Bool { owners[Int(number)] == Self.schema }

  /// The tables and indexes whose records a page can hold: those that most of its records fit.
  mutating func shapes(of page: TreePage) -> [TreeShape] {
    guard page.kind.hasRows else { return [] }
    var records: [[RecordValue]] = []
    forEachRecord(of: page) { records.append($0) }
    let counts = shapes.map { shape in
      shape.fits(page.kind) ? records.count { shape.fits($0) } : 0
    }
    guard let most = counts.max(), most > 0 else { return [] }
    let best = zip(shapes, counts).filter { $0.1 == most }.map(\.0)
    // Nothing but the names of codes has those rows.
    return best.first { $0.fixedRows != nil }.map { [$0] } ?? best
  }

  // MARK: - Trees

  private static let schema = UInt8.max

  /// The first pages of tables and indexes by their names.
  private mutating func roots() -> [String: UInt32] {
    var roots: [String: UInt32] = [:]
    walk(from: 1, Self.schema, .schema) { Self.note($0, &roots) }
    guard !shapes.allSatisfy({ roots[$0.name] != nil }) else { return roots }
    // The tree of the schema is damaged: search all pages for its rows.
    for number in stride(from: pages.count, to: 0, by: -1) where owners[Int(number)] == 0 {
      guard let page = pages.tree(number), page.kind == .leafTable, fits(page, .schema) else { continue }
      owners[Int(number)] = Self.schema
      forEachRecord(of: page) { Self.note($0, &roots) }
    }
    return roots
  }

  /// Notes a row of the schema; the first one of a name counts.
  private static func note(_ values: [RecordValue], _ roots: inout [String: UInt32]) {
    guard TreeShape.schema.fits(values), case .text(let name) = values[1],
      case .integer(let root) = values[3], root > 0,
      let number = UInt32(exactly: root)
    else { return }
    let text = String(decoding: name, as: UTF8.self)
    if roots[text] == nil { roots[text] = number }
  }

  /// Marks the pages of a tree that fit its shape.
  private mutating func walk(
    from root: UInt32, _ mark: UInt8, _ shape: TreeShape, _ body: ([RecordValue]) -> Void
  ) {
    var waiting = [root]
    while let number = waiting.popLast() {
      // A page belongs to one tree, once: inner pages may lead in circles.
      guard number > 0, number <= pages.count, owners[Int(number)] == 0, let page = pages.tree(number),
        fits(page, shape)
      else { continue }
      owners[Int(number)] = mark
      if mark == Self.schema { forEachRecord(of: page, body) }
      guard page.kind.isInner else { continue }
      let children = (0..<page.cellCount).map { page.cell($0)?.child } + [page.lastChild]
      waiting += children.compactMap(\.self).filter { $0 <= pages.count && owners[Int($0)] == 0 }
    }
  }

  /// Whether a page can be one of a tree: its kind, and those of its first records that can be read.
  private mutating func fits(_ page: TreePage, _ shape: TreeShape) -> Bool {
    guard shape.fits(page.kind) else { return false }
    guard page.kind.hasRows, page.cellCount > 0 else { return true }
    var found = 0
    for index in 0..<page.cellCount where found < Self.probes {
      guard let cell = page.cell(index), let record = pages.record(cell, of: page, budget: &budget),
        let values = StoredRecord.values(record)
      else { continue }
      // One record that is damaged does not make a page foreign.
      found += 1
      if shape.fits(values) { return true }
    }
    return false
  }

  private mutating func forEachRecord(of page: TreePage, _ body: ([RecordValue]) -> Void) {
    guard page.kind.hasRows else { return }
    for index in 0..<page.cellCount {
      guard let cell = page.cell(index), let record = pages.record(cell, of: page, budget: &budget),
        let values = StoredRecord.values(record)
      else { continue }
      body(values)
    }
  }

  // MARK: - Free pages

  /// Finds the pages on the list of free pages: what they hold was deleted. Ends at the first part that makes no sense.
  private mutating func findFreePages() {
    guard let header = pages.bytes(1) else { return }
    var trunk = header.number(at: 32, bytes: 4)
    while trunk > 0, trunk <= pages.count, !free.contains(trunk), let bytes = pages.bytes(trunk) {
      let count = Int(clamping: bytes.number(at: 4, bytes: 4))
      guard count <= pages.usable / 4 - 2 else { return }
      let leaves = (0..<count).map { bytes.number(at: 8 + 4 * $0, bytes: 4) }
      guard leaves.allSatisfy({ (1...pages.count).contains($0) }) else { return }
      free.formUnion(leaves + [trunk])
      trunk = bytes.number(at: 0, bytes: 4)
    }
  }
}

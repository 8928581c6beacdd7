import LoadLogCore

/// Reads the rows of a damaged store, and passes them on: first those of pages to which the schema leads, so that they
/// win over older copies in pages to which nothing leads any more.
struct RowSalvage {
  private let pages: DamagedPages
  private var owners: PageOwners
  /// For each page whether nothing in it is lost: its rows were read, or it holds none.
  private var isRead: [Bool]
  private var budget: Int

  init(_ pages: DamagedPages, _ shapes: [TreeShape]) {
    self.pages = pages
    owners = PageOwners(pages, shapes)
    isRead = [Bool](repeating: false, count: Int(pages.count) + 1)
    // Each page with the rest of a long record is read once, and a second time if damage makes another record claim it.
    budget = 2 * Int(pages.count) + 1000
  }

  /// Whether the schema can be read, and names no table or index of a store.
  var isForeign: Bool { owners.isForeign }

  /// Inserts all rows that can be read into a new store.
  mutating func copy(
    to store: RecoveredStore, _ result: inout RecoveryResult, progress: (Int, Int) -> Void
  ) throws {
    let count = Int(pages.count)
    for round in 0...1 where count > 0 {
      for number in 1...count {
        try copy(UInt32(number), byShape: round == 1, to: store)
        progress(round * count + number, 2 * count)
      }
    }
    let unread = (0..<count).map { $0 + 1 }.filter { !isRead[$0] }
    let missing = max(0, pages.statedCount - count)
    result.pages = count + missing
    result.unreadablePages = unread.count + missing
    let behind = Array((count..<count + missing).prefix(RecoveryResult.mostListedPages))
    result.listedPages = Array((unread + behind.map { $0 + 1 }).prefix(RecoveryResult.mostListedPages))
  }

  private mutating func copy(_ number: UInt32, byShape: Bool, to store: RecoveredStore) throws {
    let index = Int(number)
    guard !isRead[index] else { return }
    if owners.isFree(number) || owners.isOfSQLite(number) || pages.isForLocks(number) {
      isRead[index] = true
      return
    }
    let owner = owners.owner(number)
    guard byShape || owner != nil, let page = pages.tree(number) else { return }
    let shapes = owner.map { [$0] } ?? owners.shapes(of: page)
    if !page.kind.hasRows || page.isEmpty || !shapes.isEmpty && shapes.allSatisfy({ !$0.holdsRows }) {
      isRead[index] = true
      markOverflow(of: page)
    } else if shapes.count == 1 {
      isRead[index] = true
      try copyRows(of: page, shapes[0], to: store)
    }
  }

  /// Marks the pages with the rest of long entries of an index, which hold nothing else.
  private mutating func markOverflow(of page: TreePage) {
    for index in 0..<page.cellCount {
      guard let cell = page.cell(index), cell.overflow != nil else { continue }
      var parts: [UInt32] = []
      guard pages.record(cell, of: page, budget: &budget, used: { parts.append($0) }) != nil else { continue }
      for part in parts { isRead[Int(part)] = true }
    }
  }

  private mutating func copyRows(of page: TreePage, _ shape: TreeShape, to store: RecoveredStore) throws {
    for index in 0..<page.cellCount {
      var parts: [UInt32] = []
      guard let cell = page.cell(index),
        let record = pages.record(cell, of: page, budget: &budget, used: { parts.append($0) }),
        let values = StoredRecord.values(record)
      else {
        store.reject(1, of: shape.name, .unreadable)
        continue
      }
      for part in parts { isRead[Int(part)] = true }
      if shape.fits(values) {
        try store.insert(values, row: cell.row, into: shape)
      } else {
        store.reject(1, of: shape.name, .invalid)
      }
    }
  }
}

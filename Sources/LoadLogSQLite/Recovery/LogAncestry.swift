/// Whether a write-ahead log belongs to the damaged file beside it, by the rule of ``LogOwnership``: a store's log holds
/// owners that its file knows. Damage may hide some of them, so one that both know is enough.
struct LogAncestry {
  let isForeign: Bool

  private struct Identity: Hashable {
    let row: Int64
    let uid: [UInt8]
  }

  /// The maximum number of owners of the log to compare: more than a log of usual size has.
  private static let mostOwners = 100_000

  init(_ pages: DamagedPages, _ shapes: [TreeShape]) {
    guard let shape = shapes.first(where: { $0.name == "owner" }),
      let uid = shape.columns.firstIndex(where: { $0.name == "uid" })
    else {
      isForeign = false
      return
    }
    func owners(of page: TreePage) -> [Identity] {
      guard page.kind == .leafTable else { return [] }
      var budget = 0
      return (0..<page.cellCount).compactMap { index in
        guard let cell = page.cell(index), let row = cell.row,
          let record = pages.record(cell, of: page, budget: &budget),
          let values = StoredRecord.values(record),
          shape.fits(values), case .blob(let bytes) = values[uid]
        else { return nil }
        return Identity(row: row, uid: bytes)
      }
    }
    var known: Set<Identity> = []
    for number in pages.log?.offsets.keys.sorted() ?? [] where known.count < Self.mostOwners {
      if let page = pages.tree(number) { known.formUnion(owners(of: page)) }
    }
    var hasOwners = false
    // The newest owners are those that the log should know, and mostly in the last pages.
    for number in stride(from: pages.count, to: 0, by: -1) {
      guard let page = pages.tree(number, withLog: false) else { continue }
      let found = owners(of: page)
      hasOwners = hasOwners || !found.isEmpty
      guard found.allSatisfy({ !known.contains($0) }) else {
        isForeign = false
        return
      }
    }
    isForeign = hasOwners && !known.isEmpty
  }
}

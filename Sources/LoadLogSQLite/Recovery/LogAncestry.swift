/// Whether a write-ahead log belongs to the damaged file beside it, by the rule of ``LogOwnership``: a store's log holds
/// owners that its file knows. Damage may hide some of them, so one that both know is enough.
struct LogAncestry {
  let isForeign: Bool

  /// The maximum number of owners of the log to compare: more than a log of usual size has.
  private static let mostOwners = 100_000

  init(_ pages: DamagedPages) {
    var known: Set<StoredOwner> = []
    for number in pages.log?.offsets.keys.sorted() ?? [] where known.count < Self.mostOwners {
      if let page = pages.tree(number) { known.formUnion(StoredOwner.all(in: page)) }
    }
    var hasOwners = false
    // The newest owners are those that the log should know, and mostly in the last pages.
    for number in stride(from: pages.count, to: 0, by: -1) {
      guard let page = pages.tree(number, withLog: false) else { continue }
      let found = StoredOwner.all(in: page)
      hasOwners = hasOwners || !found.isEmpty
      guard found.allSatisfy({ !known.contains($0) }) else {
        isForeign = false
        return
      }
    }
    isForeign = hasOwners && !known.isEmpty
  }
}

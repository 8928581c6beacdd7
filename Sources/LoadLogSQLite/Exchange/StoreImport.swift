public import Foundation
public import LoadLogCore

/// Takes over into a store what was recorded elsewhere.
///
///     let target = try StoreImport(into: url, source: "har")
///     while let bytes = try next() {
///       bytes.withUnsafeBytes { importer.read($0, into: &items) }
///       try target.add(&items)
///     }
///     importer.finish(into: &items)
///     let result = try target.finish(&items)
///
/// Items are written in their order, in transactions of a tenth of a second at most, so that others can record meanwhile. A
/// load keeps its id if it has one; any other gets one from its fields, so that the same file imported again adds
/// nothing. Memory does not grow with the number of items. An import that is killed can simply be run again.
///
/// Loads of other tools, and lines that name no owner, belong to an owner of their own, of which nobody's death is
/// ever inferred. Dates of feeds move only forward.
///
/// Its calls block; one thread at a time uses it.
public final class StoreImport {
  /// At most so many items are written in one transaction, and at most so many bytes of the file wait for it.
  static let mostItems = 16_384, mostBytes = 1 << 22
  /// For at most so long, in nanoseconds, a transaction goes on once it has begun: what it counts is written once, so
  /// that many short ones take longer; and others wait for so long at most.
  static let longestTransaction: Int64 = 100_000_000

  private let url: URL
  private let source: String
  private let processes: any ProcessTable
  private let clock: any LoadClock
  private let deadline: Duration
  private let scratch: ImportScratch
  private var store: SQLiteLoadStore?
  private var scope = ImportScope()
  private var occurrences: OccurrenceTable<ScratchCounter>
  private var batch: [ImportApplier.Entry] = []

  /// Begins an import; the store is opened, and made if there is none, when the first items are written.
  ///
  /// - Parameters:
  ///   - url: the store's file.
  ///   - source: where the items come from, such as "har"; the import's owner is named so.
  ///   - deadline: how long it waits each time for the right to write.
  /// - Throws: `io` if there is no place for temporary files.
  public init(
    into url: URL, source: String, deadline: Duration = .seconds(30),
    processes: any ProcessTable = SystemProcessTable(), clock: any LoadClock = BootClock()
  ) throws(LoadLogError) {
    self.url = url
    self.source = source
    self.deadline = deadline
    self.processes = processes
    self.clock = clock
    scratch = try ImportScratch()
    occurrences = OccurrenceTable(overflow: ScratchCounter(scratch: scratch))
  }

  deinit { store?.close(finally: true) }

  /// What has become of the items so far.
  public var result: ImportResult { scope.result }

  /// Takes items over, and empties the list. They are durable when ``finish(_:)`` returns, most of them before.
  ///
  /// - Throws: what opening a store and writing to it throw, `busy` at the deadline; the import is over then.
  public func add(_ items: inout [ImportedItem]) throws(LoadLogError) {
    for item in items { try add(item) }
    items.removeAll(keepingCapacity: true)
  }

  /// Takes the last items over, and closes the store.
  ///
  /// - Returns: what has become of all items. Everything is durable then.
  public func finish(_ items: inout [ImportedItem]) throws(LoadLogError) -> ImportResult {
    try add(&items)
    while !batch.isEmpty || scope.pending != nil { try flush(isEnd: true) }
    store?.maintain(closing: true)
    store?.close(finally: true)
    store = nil
    return scope.result
  }

  private func add(_ item: ImportedItem) throws(LoadLogError) {
    switch item {
    case .rejected(let fault): scope.result.reject(fault)
    case .skipped(let cause, let count): scope.result.skip(cause, count: count)
    case .fault(let fault): scope.result.fault = scope.result.fault ?? fault
    case .load(let load): try add(item, load.identity)
    case .orphan(let finish): try add(item, finish.identity)
    case .line(let line): try add(item, line.identity)
    }
  }

  private func add(_ item: ImportedItem, _ identity: LoadIdentity?) throws(LoadLogError) {
    batch.append(ImportApplier.Entry(item: item, id: try identity?.sessionID(counting: &occurrences)))
    let first = batch[0].item.position?.offset ?? 0
    let isLong = (item.position?.offset ?? first) - first >= Self.mostBytes
    if isLong || batch.count >= Self.mostItems { try flush() }
  }

  /// Writes one transaction. What there was no time for stays for the next one.
  private func flush(isEnd: Bool = false) throws(LoadLogError) {
    let store = try openedStore()
    try store.begin(within: deadline)
    let (next, done) = try store.commit { database in
      let limit = clock.now().boot.addingClamping(Self.longestTransaction)
      var applier = try ImportApplier(database, scope, source: source, scratch: scratch, now: clock.now())
      var count = 0
      while count < batch.count {
        try applier.apply(batch[count])
        count += 1
        // The clock is not asked for each item.
        if count % 64 == 0, clock.now().boot > limit { break }
      }
      if isEnd, count == batch.count { try applier.flushPending() }
      return (try applier.end(), count)
    }
    scope = next
    batch.removeFirst(done)
    store.maintain(closing: false)
  }

  /// The import's own owner has no process: opening judges nobody, and closing ends nobody's loads.
  private func openedStore() throws(LoadLogError) -> SQLiteLoadStore {
    if let store { return store }
    let place = try StoreLocation(url.path, creatingFolder: true)
    try place.awaitGate(deadline: deadline, clock)
    let nobody = ProcessIdentity(
      machineID: "", bootID: "", pid: 0, startTicks: nil, pidNamespace: nil, timeNamespace: nil)
    let owner = Owner(kind: .detached, process: nobody, host: "", app: "import")
    let store = try SQLiteLoadStore(
      at: url, owner: StoreOwner(owner, opened: clock.now()), processes: processes, clock: clock)
    self.store = store
    return store
  }
}

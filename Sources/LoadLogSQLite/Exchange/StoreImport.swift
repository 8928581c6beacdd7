public import Foundation
public import LoadLogCore

/// Imports loads that were recorded elsewhere into a store.
///
///     let target = try StoreImport(into: url, source: "har")
///     while let bytes = try next() {
///       bytes.withUnsafeBytes { importer.read($0, into: &items) }
///       try target.add(&items)
///     }
///     importer.finish(into: &items)
///     let result = try target.finish(&items)
///
/// Items are written in order, in transactions of about a tenth of a second, so that others can record in
/// between. A load without an id gets one derived from its fields, so that importing the same file again adds
/// nothing. Memory use does not grow with the number of items. If an import is killed, run it again.
///
/// Loads of other tools, and lines that name no owner, belong to an owner that is created for the import and
/// never declared dead. Dates of feeds only move forward.
///
/// Calls block the thread. Use an import from one thread at a time.
public final class StoreImport {
  /// The maximum number of items in one transaction, and of bytes of the file that they come from.
  static let mostItems = 16_384, mostBytes = 1 << 22
  /// The time in nanoseconds after which a transaction takes no further items. Other writers wait that long;
  /// shorter transactions would take longer in sum, because each writes the counters once.
  static let longestTransaction: Int64 = 100_000_000

  private let url: URL
  private let source: String
  private let creating: Bool
  private let processes: any ProcessTable
  private let clock: any LoadClock
  private let deadline: Duration
  private let scratch: ImportScratch
  private var store: SQLiteLoadStore?
  private var scope = ImportScope()
  private var occurrences: OccurrenceCounter
  private var batch: [ImportApplier.Entry] = []

  /// Begins an import. The store is opened when the first items are written.
  ///
  /// - Parameters:
  ///   - url: the store's file.
  ///   - source: where the items come from, such as "har"; part of the name of the import's owner.
  ///   - creating: whether a store is created if there is none. If not, writing throws `storeMissing`.
  ///   - deadline: how long each transaction waits for the right to write.
  ///   - processes: how to inspect other processes.
  ///   - clock: the clock for deadlines and for the owner's dates.
  /// - Throws: `io` if a temporary file cannot be created.
  public init(
    into url: URL, source: String, creating: Bool = true, deadline: Duration = .seconds(30),
    processes: any ProcessTable = SystemProcessTable(), clock: any LoadClock = BootClock()
  ) throws(LoadLogError) {
    self.url = url
    self.source = source
    self.creating = creating
    self.deadline = deadline
    self.processes = processes
    self.clock = clock
    scratch = try ImportScratch()
    occurrences = OccurrenceCounter(overflow: scratch.count)
  }

  deinit { store?.close(finally: true) }

  /// Opens the store before there is anything to write, so that it is known whether it can be.
  ///
  /// - Throws: what opening a store throws.
  package func open() throws(LoadLogError) { _ = try openedStore() }

  /// The numbers of items imported, skipped and rejected so far.
  public var result: ImportResult { scope.result }

  /// Imports items, and empties the list. All items are durable when ``finish(_:)`` returns, most of them
  /// earlier. Blocks the thread.
  ///
  /// - Throws: what opening a store and writing to it throws; `busy` at the deadline. Do not use the import
  ///   after an error.
  @available(*, noasync, message: "Blocks the thread; call it on a thread of your own.")
  public func add(_ items: inout [ImportedItem]) throws(LoadLogError) {
    for item in items { try add(item) }
    items.removeAll(keepingCapacity: true)
  }

  /// Imports the last items, and closes the store. Everything is durable when it returns. Blocks the thread.
  ///
  /// - Returns: the numbers of items imported, skipped and rejected.
  /// - Throws: what ``add(_:)`` throws.
  @available(*, noasync, message: "Blocks the thread; call it on a thread of your own.")
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
    case .rejected(let fault):
      scope.result.reject(fault)
      if let start = fault.start { try scratch.passOver(start) }
    case .skipped(let cause, let count): scope.result.skip(cause, count: count)
    case .ignored(let keys): scope.result.ignored.merge(keys)
    case .fault(let fault): scope.result.fault = scope.result.fault ?? fault
    case .load(let load): try add(item, load.identity.timed(load.started))
    case .orphan(let finish): try add(item, finish.identity.timed(finish.at))
    case .line(let line): try add(item, line.identity)
    }
  }

  private func add(_ item: ImportedItem, _ identity: LoadIdentity?) throws(LoadLogError) {
    batch.append(ImportApplier.Entry(item: item, id: try identity?.sessionID(counting: &occurrences)))
    let first = batch[0].item.position?.offset ?? 0
    let isLong = (item.position?.offset ?? first) - first >= Self.mostBytes
    if isLong || batch.count >= Self.mostItems { try flush() }
  }

  /// Writes one transaction. Items that exceed its time stay for the next one.
  private func flush(isEnd: Bool = false) throws(LoadLogError) {
    let store = try openedStore()
    let (next, done) = try store.write(within: deadline) { database in
      let limit = clock.now().boot.addingClamping(Self.longestTransaction)
      var applier = try ImportApplier(database, scope, source: source, scratch: scratch, now: clock.now())
      var count = 0
      while count < batch.count {
        try applier.apply(batch[count])
        count += 1
        // Reading the clock for each item would cost too much.
        if count % 8 == 0, clock.now().boot > limit { break }
      }
      if isEnd, count == batch.count { try applier.flushPending() }
      return (try applier.end(), count)
    }
    scope = next
    batch.removeFirst(done)
    store.maintain(closing: false)
  }

  /// Opens the store once.
  private func openedStore() throws(LoadLogError) -> SQLiteLoadStore {
    if let store { return store }
    let store = try SQLiteLoadStore(
      withoutOwnerAt: url.path, app: "import", creating: creating, within: deadline, processes, clock)
    self.store = store
    return store
  }
}

public import Foundation
import GRDB
import GRDBSQLite
public import LoadLogCore
import Synchronization

/// The embedded store: one SQLite file, shared by any number of processes.
///
/// Every write transaction and every checkpoint runs under the gate, one flock file beside the store, so
/// that writers queue up fairly and never checkpoint at once. `begin` takes the gate and SQLite's write lock,
/// `commit` answers only after SQLite has committed and the files are still the ones that were opened.
public final class SQLiteLoadStore: LoadStore {
  /// With so many pages in the write-ahead log it is checkpointed when there is time, with twice as many
  /// before the next commit: 4 MB and 8 MB. A file that grows takes twice the time to be synchronized.
  static let checkpointPages = 1000
  /// With so many a program that ends leaves an empty one, or else programs that come and go would each read all of it:
  /// the first connection rebuilds the index of the log, and does not know then how much was moved into the file, so
  /// that no later checkpoint but one that cuts the log lets it begin anew. Half a megabyte.
  static let closingPages = 128
  /// So many loads are dropped at a time by a store that is in use.
  private static let pruningBatch = 500
  /// When nothing is left to drop, one looks again after this time; nanoseconds.
  private static let pruningPause: Int64 = 3_600_000_000_000

  let location: StoreLocation?
  let writer: DatabaseQueue
  let owner: StoreOwner
  let court: Court
  let reader: SQLiteLoadReader
  private let gate: StoreGate?
  private let durability: Durability
  private let retention: Duration?
  private let state: Mutex<State>
  private let verdicts = Mutex<[SessionState: Int]>([:])
  private let log: LogSize
  private let settlement: Settlement

  private struct State {
    var scope: WriteScope
    var files: OpenFiles?
    /// On the boot clock.
    var nextPruning = Int64.min

    /// Hands the scope out, to be changed in place and put back: after a failure nothing of it holds.
    mutating func takeScope(_ settlement: Settlement) -> WriteScope {
      defer { scope = WriteScope(settlement: settlement) }
      return scope
    }
  }

  /// Opens the store at a path, and makes it if there is none. Blocks until the gate is free.
  ///
  /// - Parameters:
  ///   - url: the file; its folder is made (0700) if it is missing.
  ///   - owner: who will write.
  ///   - durability: what a commit survives.
  ///   - retention: finished loads older than this are dropped by and by; nil to keep all.
  ///   - processes: how to see other processes.
  ///   - locks: how to see others' locks; by default those beside the store.
  ///   - clock: for the time of verdicts.
  /// - Throws: `storeUnusable`, `notLoadLog`, `newerStore`, `damaged`, `diskFull` or `io`.
  public convenience init(
    at url: URL, owner: StoreOwner, durability: Durability = .power, retention: Duration? = nil,
    processes: any ProcessTable = SystemProcessTable(), locks: (any LockTable)? = nil,
    clock: any LoadClock = BootClock()
  ) throws(LoadLogError) {
    try self.init(
      at: try GivenPath.path(of: url), owner: owner, durability: durability, retention: retention,
      processes: processes, locks: locks, clock: clock)
  }

  /// The same by a path, and with another rule of settlement for tests.
  package init(
    at path: String, owner: StoreOwner, durability: Durability = .power, retention: Duration? = nil,
    processes: any ProcessTable, locks: (any LockTable)? = nil, clock: any LoadClock,
    settlement: Settlement = Settlement()
  ) throws(LoadLogError) {
    let location = try StoreLocation(path, creatingFolder: true)
    try location.checkFolderForWriting()
    // A file without a gate is no store in use: it is looked at before anything is put beside it.
    if FileID(path: location.gatePath, followingLinks: false) == nil { try Self.checkFile(at: location) }
    let gate = try location.gate()
    try gate.lock()
    defer { gate.unlock() }
    if try !Self.checkFile(at: location) { try StoreSchema.create(at: location, now: clock.now().wall) }
    let writer = try StoreConnection.open(location, for: .write(durability))
    let log = LogSize()
    try mapped(path: location.path) {
      try writer.writeWithoutTransaction { database in
        try StoreFormat(database).check(path: location.path)
        try LogOwnership.check(database, at: location)
        try StoreSchema.migrate(database, now: clock.now().wall)
        try StoreConnection.setUpWriting(database, durability: durability)
        log.watch(database)
        // In a new store nobody has read yet, and only that opens the log and its index.
        _ = try StoreFormat(database)
      }
    }
    location.holdOpenFiles()
    try owner.takeLock(beside: location)
    self.location = location
    self.gate = gate
    self.log = log
    self.writer = writer
    self.owner = owner
    self.durability = durability
    court = Court(
      processes: processes, locks: locks ?? FolderLockTable(folder: location.folder), clock: clock)
    reader = SQLiteLoadReader(source: .file(location), court: court)
    self.settlement = settlement
    self.retention = retention
    state = Mutex(
      State(scope: WriteScope(settlement: settlement), files: OpenFiles(location)))
    verdicts.withLock { $0 = (try? judgeAtOpen()) ?? [:] }
  }

  /// Makes a store in memory, which ends with the process.
  public init(
    inMemoryFor owner: StoreOwner, processes: any ProcessTable = SystemProcessTable(),
    clock: any LoadClock = BootClock()
  ) throws(LoadLogError) {
    let writer = try StoreConnection.openInMemory()
    try mapped(path: ":memory:") {
      try writer.writeWithoutTransaction { database in
        try StoreSchema.migrate(database, now: clock.now().wall)
      }
    }
    location = nil
    gate = nil
    log = LogSize()
    self.writer = writer
    self.owner = owner
    durability = .process
    retention = nil
    court = Court(processes: processes, locks: NoLocks(), clock: clock)
    reader = SQLiteLoadReader(source: .queue(writer), court: court)
    settlement = Settlement()
    state = Mutex(State(scope: WriteScope(settlement: settlement), files: nil))
  }

  deinit {
    // In a forked child the connection is the parent's: closing it would drop the parent's locks.
    if ForkedChild.isThisProcess { _ = Unmanaged.passRetained(writer) }
  }

  var path: String { location?.path ?? ":memory:" }

  /// Refuses what is no store, or may not be written to.
  ///
  /// - Returns: false if nothing is there.
  @discardableResult
  private static func checkFile(at location: StoreLocation) throws(LoadLogError) -> Bool {
    guard case .file = try location.presence() else { return false }
    try location.checkFileForWriting()
    if location.walSize == 0 { try StoreFormat(headerOf: location).check(path: location.path) }
    return true
  }
}

// MARK: - Writing

extension SQLiteLoadStore {
  /// Takes the gate and SQLite's write lock.
  ///
  /// While a program that knows no gate holds SQLite's lock, it comes back with false after a second.
  public func begin(waiting: Bool) throws(LoadLogError) -> Bool {
    try ForkedChild.refuse(path)
    if let gate {
      if waiting { try gate.lock() } else if try !gate.tryLock() { return false }
    }
    do throws(LoadLogError) {
      guard try beginTransaction(waiting: waiting) else {
        gate?.unlock()
        return false
      }
      return true
    } catch {
      gate?.unlock()
      throw error
    }
  }

  /// The same within a time; without one it waits for ever, in line at the gate.
  ///
  /// - Throws: `busy` when the time is over, and what the other throws.
  func begin(within deadline: Duration?) throws(LoadLogError) {
    guard let location, let deadline else {
      while try !begin(waiting: true) {}
      return
    }
    try location.keepTrying(for: deadline, court.clock) { () throws(LoadLogError) in
      try begin(waiting: false)
    }
  }

  /// Commits the events under the gate, and answers only if the files are still the ones that were opened.
  public func commit(_ events: [NumberedEvent], dropped: Int) throws(LoadLogError) -> [Receipt] {
    defer { gate?.unlock() }
    return try state.withLock { state throws(LoadLogError) in
      do throws(LoadLogError) {
        let receipts = try mapped(path: path) {
          try writer.writeWithoutTransaction { database in
            var staleLocks: [String] = []
            var applier = try EventApplier(database, owner: owner, scope: state.takeScope(settlement)) {
              staleLocks += try self.makeVerdictsDurable(database).lockNames
            }
            let receipts = try applier.apply(events, dropped: dropped)
            if let last = applier.lastStarted {
              try applier.scope.settleIfDue(database, last: last, now: court.clock.now().wall)
            }
            let pages = log.pages
            try RawStatement(database, "COMMIT").run()
            if log.pages <= pages { applier.scope.carriers.noteNewLog(byLast: true) }
            state.scope = applier.scope
            deleteLocks(staleLocks)
            return receipts
          }
        }
        try checkFiles(&state)
        owner.isRecorded = true
        return receipts
      } catch {
        rollBack()
        _ = state.takeScope(settlement)
        throw error
      }
    }
  }

  /// Makes other work durable in one transaction, and lets go of the right to write.
  func commit<Value>(_ work: (Database) throws -> Value) throws(LoadLogError) -> Value {
    defer { gate?.unlock() }
    let value = try inTransaction(work)
    try state.withLock { state throws(LoadLogError) in try checkFiles(&state) }
    return value
  }

  /// Reads as of one moment with the connection that writes; others can write meanwhile.
  func reading<Value>(_ work: (Database) throws -> Value) throws(LoadLogError) -> Value {
    try mapped(path: path) { try writer.read(work) }
  }

  /// Lets go of both without writing.
  public func abort() {
    rollBack()
    gate?.unlock()
  }

  /// Makes the verdict on every dead owner durable; waits for the right to write.
  public func judgeDeadOwners() throws(LoadLogError) -> [SessionState: Int] {
    try judgeDeadOwners(within: nil)
  }

  /// The same; waits no longer than that for the right to write.
  @discardableResult
  func judgeDeadOwners(within deadline: Duration?) throws(LoadLogError) -> [SessionState: Int] {
    try begin(within: deadline)
    defer { gate?.unlock() }
    return try judgeAndCommit()
  }

  /// Drops old loads in one transaction; waits for the right to write.
  public func prune(before cutoff: Int64, limit: Int) throws(LoadLogError) -> Int {
    try prune(before: cutoff, limit: limit, within: nil)
  }

  /// The same; waits no longer than that for the right to write.
  func prune(before cutoff: Int64, limit: Int, within deadline: Duration?) throws(LoadLogError) -> Int {
    try begin(within: deadline)
    defer { gate?.unlock() }
    return try inTransaction { database in try Pruning(database, before: cutoff).prune(limit: limit) }
  }

  /// Counts everything anew; waits no longer than that for the right to write.
  func rebuildSummaries(within deadline: Duration? = nil) throws(LoadLogError) {
    try begin(within: deadline)
    defer { gate?.unlock() }
    try inTransaction { database in try SummaryRecount(database).rebuild() }
  }

  /// How many sessions of dead owners got their verdict when it was opened.
  public var verdictsAtOpen: [SessionState: Int] { verdicts.withLock { $0 } }

  /// Whether the write-ahead log wants a checkpoint.
  public var maintenance: MaintenanceNeed {
    switch log.pages {
    case ..<Self.checkpointPages: isPruningDue ? .whenIdle : .none
    case ..<(2 * Self.checkpointPages): .whenIdle
    default: .soon
    }
  }

  /// Checkpoints, if the write-ahead log wants it, and drops loads beyond the retention; when it is closing counts what
  /// waits, if that is much.
  public func maintain(closing: Bool) {
    let pages = closing ? Self.closingPages : Self.checkpointPages
    let settles = closing && state.withLock { $0.scope.settlement.isDueAtEnd }
    // Whoever holds the gate may be stopped; nobody waits here for that.
    guard isPruningDue || settles || log.pages >= pages, let gate, (try? gate.tryLock()) == true else {
      return
    }
    defer { gate.unlock() }
    // A log that is not the store's any more stays where it is: others may have begun another one.
    guard (try? state.withLock { state throws(LoadLogError) in try checkFiles(&state) }) != nil else {
      return
    }
    if isPruningDue { pruneHoldingGate() }
    if settles { settleHoldingGate() }
    if log.pages >= pages { try? checkpointHoldingGate(closing ? .truncate : .passive) }
  }

  private var isPruningDue: Bool {
    retention != nil && state.withLock { $0.nextPruning } <= court.clock.now().boot
  }

  /// One transaction's worth; the rest at the next occasion.
  private func pruneHoldingGate() {
    guard let retention, (try? beginTransaction(waiting: false)) == true else { return }
    let now = court.clock.now()
    let cutoff = now.wall.subtractingClamping(retention.wholeNanoseconds / 1000)
    let dropped = try? inTransaction { database in
      try Pruning(database, before: cutoff).prune(limit: Self.pruningBatch)
    }
    guard dropped ?? 0 < Self.pruningBatch else { return }
    state.withLock { $0.nextPruning = now.boot.addingClamping(Self.pruningPause) }
  }

  private func settleHoldingGate() {
    guard (try? beginTransaction(waiting: false)) == true else { return }
    try? inTransaction { try settlement.settleAtEnd($0, now: court.clock.now().wall) }
  }

  /// With `durability: .process`, makes a commit that reaches the disk.
  public func synchronize() throws(LoadLogError) {
    guard let gate, durability == .process else { return }
    try gate.lock()
    defer { gate.unlock() }
    noteNewLog()
    // A commit that reaches the disk takes all earlier ones in the log along. A checkpoint would do so only if no
    // reader stood in its way.
    try mapped(path: path) {
      try writer.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = FULL")
        defer { try? database.execute(sql: "PRAGMA synchronous = NORMAL") }
        try database.inTransaction(.immediate) {
          // An update that changes nothing would write nothing, and so synchronize nothing; this writes a page always.
          let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
          try database.execute(sql: "PRAGMA user_version = \(version)")
          return .commit
        }
      }
    }
  }

  /// Closes the connections; `finally` also lets go of the owner's lock.
  public func close(finally: Bool) {
    guard !ForkedChild.isThisProcess else { return }
    // A store in memory lives as long as somebody asks it.
    if location != nil { closeWriter() }
    reader.close()
    // An owner that nobody has heard of leaves no lock behind for others to wonder about.
    if finally || !owner.isRecorded { owner.releaseLock() }
  }

  private func closeWriter() {
    try? writer.close()
  }

  /// Moves all of the write-ahead log into the database and cuts its file to nothing, unless a reader is in the
  /// way. Waits no longer than that for the gate.
  func emptyLog(within deadline: Duration) throws(LoadLogError) {
    guard let gate, let location else { return }
    try location.keepTrying(for: deadline, court.clock) { () throws(LoadLogError) in try gate.tryLock() }
    defer { gate.unlock() }
    do throws(LoadLogError) {
      try checkpointHoldingGate(.truncate)
    } catch  where error.code == .busy {
      // A reader is: it will be checkpointed by and by.
    }
  }

  /// Moves what the write-ahead log holds into the database, as far as readers let it, and waits for nobody.
  private func checkpointHoldingGate(_ mode: Database.CheckpointMode) throws(LoadLogError) {
    noteNewLog()
    try mapped(path: path) {
      try writer.writeWithoutTransaction { database in _ = try database.checkpoint(mode) }
    }
  }

  /// What is done now may begin the log anew, without an owner's row.
  private func noteNewLog() { state.withLock { $0.scope.carriers.noteNewLog(byLast: false) } }

  /// A program that opens the store through the library judges; one that stands for another never takes the
  /// time. If somebody else is writing, the next open does it.
  private func judgeAtOpen() throws(LoadLogError) -> [SessionState: Int] {
    guard owner.kind == .library, try beginTransaction(waiting: false) else { return [:] }
    return try judgeAndCommit()
  }

  private func judgeAndCommit() throws(LoadLogError) -> [SessionState: Int] {
    let verdicts = try inTransaction(makeVerdictsDurable)
    deleteLocks(verdicts.lockNames)
    return verdicts.sessions
  }

  /// Does what is no event of an owner's, in the transaction that was begun, and commits it.
  func inTransaction<Value>(_ work: (Database) throws -> Value) throws(LoadLogError) -> Value {
    // SQLite tells only of what others have written.
    state.withLock { $0.scope.forgetRows() }
    noteNewLog()
    do throws(LoadLogError) {
      return try mapped(path: path) {
        try writer.writeWithoutTransaction { database in
          let changes = database.totalChangesCount
          let value = try work(database)
          if database.totalChangesCount != changes { try LogOwnership.mark(database) }
          try database.commit()
          return value
        }
      }
    } catch {
      rollBack()
      throw error
    }
  }

  private func makeVerdictsDurable(_ database: Database) throws -> DeadOwners.Verdicts {
    try DeadOwners(database, judge: court.judge, except: owner.uid).makeVerdictsDurable()
  }

  /// Once a verdict is durable nobody looks at the lock again. Names come from the store, which may lie: only
  /// files that are named as locks, in the store's own folder, are deleted.
  private func deleteLocks(_ names: [String]) {
    guard let location else { return }
    for name in names where name.hasPrefix(location.lockPrefix) && !name.contains("/") {
      unlink(location.folder + "/" + name)
    }
  }

  /// SQLite's own lock may be held by a program that knows no gate, such as the sqlite3 shell: wait for it in
  /// short steps, and come back after a second so that the queue can look at its deadlines.
  private func beginTransaction(waiting: Bool) throws(LoadLogError) -> Bool {
    for attempt in 0..<100 {
      do {
        try writer.writeWithoutTransaction { database in
          _ = try RawStatement(database, "BEGIN IMMEDIATE").run()
        }
        return true
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        guard waiting else { return false }
        usleep(attempt < 10 ? 1000 : 11_000)
      } catch {
        throw LoadLogError.database(error, path: path)
      }
    }
    return false
  }

  private func rollBack() {
    writer.writeWithoutTransactionIgnoringErrors { database in
      if database.isInsideTransaction { try database.rollback() }
    }
  }

  /// The rows are where they should be only if the path still leads to the files that were opened.
  private func checkFiles(_ state: inout State) throws(LoadLogError) {
    guard let location, var files = state.files else { return }
    let now = OpenFiles(location)
    if files.log == nil { files.log = now.log }
    state.files = files
    guard now == files, now.log != nil else {
      throw LoadLogError(
        .storeMoved, what: "store", why: "its files were moved, replaced or deleted while it was open",
        advice: "Never copy or move a store in use; sqlite3's VACUUM INTO makes a copy.", path: location.path)
    }
  }
}

// MARK: - Reading

extension SQLiteLoadStore {
  /// All feeds, by name.
  public func feeds() throws(LoadLogError) -> [Feed] { try reader.feeds() }

  /// The dates of a feed; nil if the record does not know it.
  public func dates(of feed: Feed) throws(LoadLogError) -> FeedDates? { try reader.dates(of: feed) }

  /// The numbers of the feeds that the filter lets through.
  public func status(_ filter: LoadFilter, overdueLimit: Int64?) throws(LoadLogError) -> StatusSummary {
    try reader.status(filter, overdueLimit: overdueLimit)
  }

  /// The numbers of each whole day on which loads of the filter's feeds started.
  public func days(_ filter: LoadFilter) throws(LoadLogError) -> [DayNumbers] { try reader.days(filter) }

  /// The loads that the filter lets through, newest first.
  public func history(_ filter: LoadFilter) throws(LoadLogError) -> LoadPage { try reader.history(filter) }

  /// The loads whose id ends in the digits.
  public func loads(endingIn tail: String) throws(LoadLogError) -> [LoadingSession] {
    try reader.loads(endingIn: tail)
  }

  /// Everything unbalanced that overlaps the window, newest first.
  public func unbalanced(_ filter: LoadFilter) throws(LoadLogError) -> [Imbalance] {
    try reader.unbalanced(filter)
  }

  /// How many loads of each feed pruning would drop.
  public func prunable(before cutoff: Int64) throws(LoadLogError) -> [Feed: Int] {
    try reader.prunable(before: cutoff)
  }

  /// The finish times of a feed's last successes, newest first.
  public func successes(of feed: Feed, limit: Int) throws(LoadLogError) -> [Int64] {
    try reader.successes(of: feed, limit: limit)
  }
}

/// The files behind an open store.
private struct OpenFiles: Equatable {
  var database: FileID?
  var log: FileID?

  init(_ location: StoreLocation) {
    database = FileID(path: location.path)
    log = FileID(path: location.walPath)
  }
}

/// Nobody locks anything beside a store in memory.
private struct NoLocks: LockTable {
  func probe(_ lock: Owner.Lock) -> LockProbe { .unreadable }
}

extension DatabaseQueue {
  fileprivate func writeWithoutTransactionIgnoringErrors(_ work: (Database) throws -> Void) {
    try? writeWithoutTransaction(work)
  }
}

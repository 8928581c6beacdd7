import Foundation
import GRDB
import GRDBSQLite
package import LoadLogCore
import Synchronization

/// The embedded store: one SQLite file, shared by any number of processes.
///
/// Every write transaction and every checkpoint runs under the gate, a flock file beside the store, so that writers queue
/// fairly and never checkpoint at the same time. `begin` takes the gate and SQLite's write lock; `commit` returns only
/// after SQLite has committed and the files are still the ones that were opened.
package final class SQLiteLoadStore: LoadStore {
  let location: StoreLocation?
  let writer: DatabaseQueue
  let owner: StoreOwner
  let court: Court
  /// Answers questions on a connection of its own, so that they never wait for a commit.
  package let reader: SQLiteLoadReader
  let gate: StoreGate?
  let durability: Durability
  let retention: Duration?
  let prefersStoredRetention: Bool
  let log: LogSize
  let pruningDue = Mutex(Int64.min)
  private let state: Mutex<State>
  private let verdicts = Mutex<[SessionState: Int]>([:])

  private struct State {
    var rows = RowCache()
    var registration: OwnerRow.Registration?
    var files: OpenFiles?
  }

  /// Opens the store at a path, and creates it if there is none. Blocks until the gate is free.
  ///
  /// - Parameters:
  ///   - path: the file. Its folder is created with mode 0700 if it is missing.
  ///   - owner: the owner that will write.
  ///   - durability: what a commit survives.
  ///   - retention: finished loads older than this are pruned from time to time; nil to keep all.
  ///   - prefersStoredRetention: whether the store's setting, if it has one, replaces `retention`.
  ///   - creating: whether a store is created if there is none. If not, that throws `storeMissing`.
  ///   - deadline: how long to wait for the gate; nil to wait in line without a limit. At the deadline it throws `busy`.
  ///   - processes: how to see other processes.
  ///   - locks: how to see the locks of other owners; by default the files beside the store.
  ///   - clock: the clock for verdicts.
  /// - Throws: `storeUnusable`, `notLoadLog`, `newerStore`, `damaged`, `diskFull` or `io`.
  package init(
    at path: String, owner: StoreOwner, durability: Durability = .power, retention: Duration? = nil,
    prefersStoredRetention: Bool = false, creating: Bool = true, within deadline: Duration? = nil,
    processes: any ProcessTable, locks: (any LockTable)? = nil, clock: any LoadClock
  ) throws(LoadLogError) {
    let location = try StoreLocation(path, creatingFolder: creating)
    try location.checkFolderForWriting()
    // A user who may not write to it may not open its gate either, but then the error would not name its owner.
    try location.checkFilesForWriting()
    // A file without a gate is no store in use: check it before creating anything beside it.
    if FileID(path: location.gatePath, followingLinks: false) == nil {
      try Self.checkFile(at: location, isRequired: !creating)
    }
    let gate = try location.gate()
    if let deadline {
      try location.keepTrying(for: deadline, clock) { () throws(LoadLogError) in try gate.tryLock() }
    } else {
      try gate.lock()
    }
    defer { gate.unlock() }
    if try !Self.checkFile(at: location, isRequired: !creating) {
      try StoreSchema.create(at: location, now: clock.now().wall)
    }
    let writer = try StoreConnection.open(location, for: .write(durability))
    let log = LogSize()
    try mapped(path: location.path) {
      try writer.writeWithoutTransaction { database in
        try StoreFormat(database).check(path: location.path)
        try LogOwnership.check(database, at: location)
        try StoreSchema.migrate(database, now: clock.now().wall)
        try StoreConnection.setUpWriting(database, durability: durability)
        log.watch(database)
        // Only a read opens the log and its index, and in a new store nothing has been read yet.
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
    self.retention = retention
    self.prefersStoredRetention = prefersStoredRetention
    court = Court(
      processes: processes, locks: locks ?? FolderLockTable(folder: location.folder), clock: clock)
    reader = SQLiteLoadReader(source: .file(location), court: court)
    state = Mutex(State(files: OpenFiles(location)))
    verdicts.withLock { $0 = (try? judgeAtOpen()) ?? [:] }
  }

  /// Creates a store in memory, which ends with the process.
  ///
  /// - Parameters:
  ///   - owner: the owner that will write.
  ///   - retention: finished loads older than this are pruned from time to time; nil to keep all.
  ///   - processes: how to inspect other processes.
  ///   - clock: the clock for verdicts.
  package init(
    inMemoryFor owner: StoreOwner, retention: Duration? = nil,
    processes: any ProcessTable = SystemProcessTable(), clock: any LoadClock = BootClock()
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
    self.retention = retention
    prefersStoredRetention = false
    court = Court(processes: processes, locks: NoLocks(), clock: clock)
    reader = SQLiteLoadReader(source: .queue(writer), court: court)
    state = Mutex(State())
  }

  deinit {
    // In a forked child the connection is the parent's: closing it would release the parent's locks.
    if ForkedChild.isThisProcess { _ = Unmanaged.passRetained(writer) }
  }

  var path: String { location?.path ?? ":memory:" }

  /// The number of loads of dead owners that got their verdict when the store was opened, by state.
  package var verdictsAtOpen: [SessionState: Int] { verdicts.withLock { $0 } }

  /// Refuses a file that is not a store.
  ///
  /// - Parameter isRequired: whether it is an error if there is no file.
  /// - Returns: false if there is no file.
  @discardableResult
  private static func checkFile(at location: StoreLocation, isRequired: Bool) throws(LoadLogError) -> Bool {
    guard try location.presence() != nil else {
      guard !isRequired else { throw location.missing }
      return false
    }
    if location.walSize == 0 { try StoreFormat(headerOf: location).check(path: location.path) }
    return true
  }
}

// MARK: - The right to write

extension SQLiteLoadStore {
  /// Takes the gate and SQLite's write lock.
  ///
  /// - Returns: false if another process has them and the caller does not wait; also after one second during which a
  ///   program that does not use the gate held SQLite's lock.
  package func begin(waiting: Bool) throws(LoadLogError) -> Bool {
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

  /// Takes the gate and SQLite's write lock within a time; without one it waits in line at the gate.
  ///
  /// - Throws: `busy` when the time is over.
  func begin(within deadline: Duration?) throws(LoadLogError) {
    guard let location, let deadline else {
      while try !begin(waiting: true) {}
      return
    }
    try location.keepTrying(for: deadline, court.clock) { () throws(LoadLogError) in
      try begin(waiting: false)
    }
  }

  /// Begins a transaction under the gate.
  ///
  /// A program that does not use the gate, such as the sqlite3 shell, may hold SQLite's lock. Waits for it in short
  /// steps, and returns false after one second, so that the caller can check its deadlines.
  func beginTransaction(waiting: Bool) throws(LoadLogError) -> Bool {
    for attempt in 0..<100 {
      do {
        try writer.writeWithoutTransaction { database in
          _ = try RawStatement(database, "BEGIN IMMEDIATE").run()
          // A newer version may have migrated the store since it was opened.
          try StoreFormat(database).check(path: path)
        }
        return true
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        guard waiting else { return false }
        usleep(attempt < 10 ? 1000 : 11_000)
      } catch {
        rollBack()
        throw error as? LoadLogError ?? LoadLogError.database(error, path: path)
      }
    }
    return false
  }

  /// Gives up the right to write without writing.
  package func abort() {
    rollBack()
    gate?.unlock()
  }

  private func rollBack() {
    try? writer.writeWithoutTransaction { database in
      if database.isInsideTransaction { try database.rollback() }
    }
  }
}

// MARK: - Committing

extension SQLiteLoadStore {
  /// Commits events in one transaction, and gives up the right to write.
  ///
  /// Returns only if the files at the store's path are still the ones that were opened.
  ///
  /// - Parameters:
  ///   - events: the events, in the order of their numbers. Those that were committed before are ignored.
  ///   - dropped: the number of events dropped since the previous commit.
  /// - Returns: a receipt for each event.
  /// - Throws: `storeMoved`, `damaged`, `diskFull` or `io`. Nothing is known to be durable then; close the
  ///   store and open it again.
  package func commit(_ events: [NumberedEvent], dropped: Int) throws(LoadLogError) -> [Receipt] {
    defer { gate?.unlock() }
    return try state.withLock { state throws(LoadLogError) in
      var staleLocks: [String] = []
      do throws(LoadLogError) {
        let receipts = try mapped(path: path) {
          try writer.writeWithoutTransaction { database in
            var applier = try EventApplier(
              database, owner: owner, registration: state.registration, rows: state.rows.take()
            ) {
              staleLocks += try self.makeVerdictsDurable(database).lockNames
            } isAlive: {
              self.court.judge.judge($0) == .alive
            }
            let receipts = try applier.apply(events, dropped: dropped)
            try RawStatement(database, "COMMIT").run()
            state.rows = applier.rows
            state.registration = applier.registration
            return receipts
          }
        }
        try checkFiles(&state)
        owner.isRecorded = true
        deleteLocks(staleLocks)
        return receipts
      } catch {
        rollBack()
        // Cached rows may have been rolled back.
        state.rows = RowCache()
        state.registration = nil
        throw error
      }
    }
  }

  /// Commits work other than this owner's events in one transaction of its own.
  ///
  /// - Parameters:
  ///   - deadline: how long to wait for the right to write; nil to wait in line without a limit.
  ///   - mayBeLost: whether a power cut may undo the work until something else is committed. Then the commit does not wait
  ///     for the disk.
  /// - Throws: `busy` at the deadline; `storeMoved` if the files at the store's path are not those that were opened.
  func write<Value>(
    within deadline: Duration?, mayBeLost: Bool = false, _ work: (Database) throws -> Value
  ) throws(LoadLogError) -> Value {
    if mayBeLost { try setDurability(.process) }
    defer { if mayBeLost { try? setDurability(durability) } }
    try begin(within: deadline)
    defer { gate?.unlock() }
    let value = try inTransaction(work)
    try checkFiles()
    return value
  }

  /// Runs work other than this owner's events in the current transaction, and commits it.
  func inTransaction<Value>(_ work: (Database) throws -> Value) throws(LoadLogError) -> Value {
    do throws(LoadLogError) {
      return try mapped(path: path) {
        try writer.writeWithoutTransaction { database in
          let changes = database.totalChangesCount
          let value = try work(database)
          if database.totalChangesCount != changes {
            try ChangeJournal.applyIfDue(in: database)
            try LogOwnership.mark(database)
          }
          try database.commit()
          return value
        }
      }
    } catch {
      rollBack()
      throw error
    }
  }

  /// Committed rows are in the store only if the path still leads to the files that were opened.
  func checkFiles() throws(LoadLogError) {
    try state.withLock { state throws(LoadLogError) in try checkFiles(&state) }
  }

  private func checkFiles(_ state: inout State) throws(LoadLogError) {
    guard let location, var files = state.files else { return }
    let now = OpenFiles(location)
    if files.log == nil { files.log = now.log }
    state.files = files
    guard now == files, now.log != nil else { throw .storeMoved(location.path) }
  }

  /// Closes the connections; `finally` also releases the owner's lock.
  package func close(finally: Bool) {
    guard !ForkedChild.isThisProcess else { return }
    // A store in memory lives as long as its reader may be asked.
    if location != nil { try? writer.close() }
    reader.close()
    // An owner that the store does not know leaves no lock file behind.
    if finally || !owner.isRecorded { owner.releaseLock() }
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

/// The locks beside a store in memory: there are none.
struct NoLocks: LockTable {
  func probe(_ lock: Owner.Lock) -> LockProbe { .unreadable }
}

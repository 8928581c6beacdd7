import Foundation
import GRDB
package import LoadLogCore
import Synchronization

// MARK: - Verdicts

extension SQLiteLoadStore {
  /// Makes the verdict on every dead owner durable.
  ///
  /// - Parameter deadline: how long to wait for the right to write; nil to wait without a limit.
  /// - Returns: the number of sessions that got a verdict, by state.
  @discardableResult
  package func judgeDeadOwners(within deadline: Duration? = nil) throws(LoadLogError) -> [SessionState: Int] {
    let verdicts = try write(within: deadline, makeVerdictsDurable)
    deleteLocks(verdicts.lockNames)
    return verdicts.sessions
  }

  /// Judges when the library opens the store. A command judges nothing, because that takes time, and if another writer
  /// is busy the next open does it.
  func judgeAtOpen() throws(LoadLogError) -> [SessionState: Int] {
    guard owner.kind == .library, try beginTransaction(waiting: false) else { return [:] }
    let verdicts = try inTransaction(makeVerdictsDurable)
    deleteLocks(verdicts.lockNames)
    return verdicts.sessions
  }

  func makeVerdictsDurable(_ database: Database) throws -> DeadOwners.Verdicts {
    let verdicts = try DeadOwners(database: database, judge: court.judge, asking: owner.uid)
      .makeVerdictsDurable()
    try ChangeJournal.append(verdicts.changes, in: database)
    return verdicts
  }

  /// Lets the failures of dead owners count that were to be retried. A reader of the store finds them by itself; one of a
  /// fleet's database, which sees no processes, does not.
  func endDeadRetries(_ database: Database) throws {
    for failure in try RecordQuery(database, court: court).unretriedFailures().values.joined() {
      _ = try EventApplier.endRetries(of: failure.session, in: database)
    }
  }

  /// Deletes the lock files of dead owners. Their names come from the store, which may be hostile: only files with
  /// the name of a lock, in the store's own folder, are deleted.
  func deleteLocks(_ names: [String]) {
    guard let location else { return }
    for name in names where location.isLockName(name) {
      unlink(location.folder + "/" + name)
    }
  }
}

// MARK: - Work that can wait

extension SQLiteLoadStore {
  /// Pages in the write-ahead log at which it is checkpointed when the store is idle; at twice as many, before the
  /// next commit. 4 MB and 8 MB: a log that grows further takes longer to synchronize.
  static let checkpointPages = 1000
  /// Pages in the write-ahead log at which a checkpoint waits for its turn at the gate. 32 MB: where many processes write
  /// all the time, the gate is hardly ever free.
  static let longPages = 8000
  /// Pages in the write-ahead log at which a program that ends leaves an empty one. Half a megabyte: otherwise each
  /// of many short-lived programs would read the whole log to rebuild its index.
  private static let closingPages = 128
  /// The number of loads that a store in use prunes at a time.
  private static let pruningBatch = 500
  /// An hour, in microseconds.
  private static let cutoffStep: Int64 = 3_600_000_000
  /// The time between two searches for loads to prune, when the last one found too few; nanoseconds.
  private static let pruningPause: Int64 = 3_600_000_000_000

  /// Whether ``maintain(closing:)`` has work, by the length of the write-ahead log and the time of the last
  /// pruning. Cheap enough to check after each commit.
  package var maintenance: MaintenanceNeed {
    switch log.pages {
    case ..<Self.checkpointPages: isPruningDue ? .whenIdle : .none
    case ..<(2 * Self.checkpointPages): .whenIdle
    default: .soon
    }
  }

  /// Checkpoints the write-ahead log if it is long, and prunes one batch of loads older than the retention.
  ///
  /// Does nothing if another process holds the gate, unless the log is very long and the owner is the library. A failure is
  /// ignored; the next call tries again.
  ///
  /// - Parameter closing: whether the store will be closed. If so, a shorter log is checkpointed, and
  ///   truncated, and nothing is pruned, because that would delay the end of the program.
  package func maintain(closing: Bool) {
    let pages = closing ? Self.closingPages : Self.checkpointPages
    let sealing = !closing && isPruningDue ? prepareSealing() : nil
    guard sealing != nil || log.pages >= pages, (try? lockGate(closing: closing)) == true else { return }
    defer { gate?.unlock() }
    // A log that no longer belongs to the store must stay where it is: another process may have started a new
    // one.
    guard (try? checkFiles()) != nil else { return }
    if let sealing { pruneHoldingGate(sealing) }
    if log.pages >= pages { try? checkpointHoldingGate(closing ? .truncate : .passive) }
  }

  /// The process that holds the gate may be stopped: only the library's writer, whose commits wait in line for it without a
  /// limit, may wait here. Others have deadlines.
  private func lockGate(closing: Bool) throws(LoadLogError) -> Bool {
    // A store in memory has one writer.
    guard let gate else { return true }
    guard owner.kind == .library, !closing, log.pages >= Self.longPages else { return try gate.tryLock() }
    try gate.lock()
    return true
  }

  private var isPruningDue: Bool {
    retention != nil && pruningDue.withLock { $0 } <= court.clock.now().boot
  }

  /// With `durability: .process`, except in memory.
  package var needsSynchronization: Bool { gate != nil && durability == .process }

  /// With `durability: .process`, commits once so that the commit reaches the disk. All earlier commits in the log reach
  /// it too. A checkpoint would do so only if no reader stood in its way.
  package func synchronize() throws(LoadLogError) {
    guard needsSynchronization, let gate else { return }
    try gate.lock()
    defer { gate.unlock() }
    try setDurability(.power)
    defer { try? setDurability(durability) }
    guard try beginTransaction(waiting: true) else {
      throw LoadLogError(
        .io, what: "cannot make the last commits durable", why: "another program is writing to the store",
        path: path)
    }
    try inTransaction { database in
      // Setting the version always writes a page; an update that changes nothing would write none.
      let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      try database.execute(sql: "PRAGMA user_version = \(version)")
    }
  }

  /// Sets what the next commits survive. SQLite ignores it in a transaction.
  func setDurability(_ durability: Durability) throws(LoadLogError) {
    try mapped(path: path) {
      try writer.writeWithoutTransaction { try StoreConnection.setDurability($0, durability) }
    }
  }

  /// Moves the whole write-ahead log into the database and truncates its file, unless a reader is in the way.
  ///
  /// - Throws: `busy` if the gate is not free within the deadline.
  func emptyLog(within deadline: Duration) throws(LoadLogError) {
    guard let gate, let location else { return }
    try location.keepTrying(for: deadline, court.clock) { () throws(LoadLogError) in try gate.tryLock() }
    defer { gate.unlock() }
    do throws(LoadLogError) {
      try checkpointHoldingGate(.truncate)
    } catch  where error.code == .busy {
      // A reader is in the way; a later checkpoint empties the log.
    }
  }

  /// Moves what the write-ahead log holds into the database, as far as readers let it. Never waits.
  private func checkpointHoldingGate(_ mode: Database.CheckpointMode) throws(LoadLogError) {
    try mapped(path: path) {
      try writer.writeWithoutTransaction { database in _ = try database.checkpoint(mode) }
    }
  }
}

// MARK: - Pruning

extension SQLiteLoadStore {
  /// Prunes the oldest loads. Waits for the right to write, without a limit.
  ///
  /// Running and unbalanced loads, the last load, success and failure of each feed, and all counters stay.
  ///
  /// - Parameters:
  ///   - cutoff: wall time in microseconds since 1970; loads that finished before it are pruned.
  ///   - limit: the maximum number of loads to prune.
  /// - Returns: the number of loads pruned; fewer than the limit if there are no more.
  /// - Throws: `storeUnusable`, `storeMoved`, `damaged`, `diskFull` or `io`.
  package func prune(before cutoff: Int64, limit: Int) throws(LoadLogError) -> Int {
    var pruned = 0
    while pruned < limit, let loads = try pruneStep(before: cutoff, limit: limit - pruned, within: nil) {
      pruned += loads.values.reduce(0, +)
    }
    return pruned
  }

  /// Prunes some of the oldest loads in one transaction.
  ///
  /// - Parameter deadline: how long to wait for the right to write; nil to wait without a limit.
  /// - Returns: the number of loads pruned, by feed, which is never empty; nil if there are no more.
  func pruneStep(
    before cutoff: Int64, limit: Int, within deadline: Duration?
  ) throws(LoadLogError) -> [Feed: Int]? {
    while true {
      let sealing = try reader.read(hasDeadline: false) { query in
        try Sealing(query, before: cutoff, limit: limit)
      }
      guard !sealing.isEmpty else { return nil }
      let loads = try write(within: deadline) { database in
        try Pruning(query: RecordQuery(database, court: court), sealing: sealing).prune(limit: limit)
      }
      // Another process may have pruned these loads meanwhile.
      if !loads.isEmpty { return loads }
    }
  }

  /// Returns the wall time in microseconds before which loads are pruned; nil if the store's setting is to keep all.
  ///
  /// It is a whole hour, so that the loads of an hour are pruned together.
  private func cutoff(_ database: Database) throws -> Int64? {
    let stored = prefersStoredRetention ? try StoreRetention.fetch(in: database) : nil
    let age = stored.map(\.age) ?? (retention ?? .zero).wholeNanoseconds / 1000
    return age.map { age in
      let cutoff = court.clock.now().wall.subtractingClamping(age)
      return cutoff.subtractingClamping(cutoff % Self.cutoffStep)
    }
  }

  /// Computes the sealed values before the gate is taken, because commits of other processes must not wait for that.
  ///
  /// - Returns: nil if the store keeps all loads or none is old, which is so most of the time: the gate is not needed then.
  ///   Also nil while a question is answered, which commits must not wait for.
  private func prepareSealing() -> Sealing? {
    do {
      let answer = try reader.readIfIdle { query -> Sealing? in
        guard let cutoff = try cutoff(query.database) else { return nil }
        let sealing = try Sealing(query, before: cutoff, limit: Self.pruningBatch)
        return sealing.isEmpty ? nil : sealing
      }
      guard let sealing = answer else { return nil }  // The next call tries again.
      if sealing == nil { postponePruning() }
      return sealing
    } catch {
      return nil  // The next call tries again.
    }
  }

  /// Prunes one batch; the next call prunes the rest.
  private func pruneHoldingGate(_ sealing: Sealing) {
    guard (try? beginTransaction(waiting: false)) == true else { return }
    let pruned = try? inTransaction { database in
      // The store's setting may have changed since the loads were chosen.
      guard let cutoff = try cutoff(database), cutoff >= sealing.cutoff else { return false }
      let loads = try Pruning(query: RecordQuery(database, court: court), sealing: sealing).prune(
        limit: Self.pruningBatch)
      return !loads.isEmpty
    }
    // If these loads are gone, another process prunes the rest, too.
    if sealing.isLast || pruned != true { postponePruning() }
  }

  private func postponePruning() {
    pruningDue.withLock { $0 = court.clock.now().boot.addingClamping(Self.pruningPause) }
  }
}

extension SQLiteLoadStore {
  /// Opens a store for work other than an owner's loads. The owner that opens it has no process and is detached, so
  /// opening judges no owners and closing ends no loads; it gets no row unless the work inserts one.
  ///
  /// - Parameters:
  ///   - creating: whether a store is created if there is none. If not, that throws `storeMissing`: what was written to a
  ///     store that is missing for a while would hide in a new one.
  ///   - deadline: how long to wait for the gate.
  convenience init(
    withoutOwnerAt path: String, app: String, creating: Bool = false, within deadline: Duration,
    _ processes: any ProcessTable, _ clock: any LoadClock
  ) throws(LoadLogError) {
    let nobody = ProcessIdentity(
      machineID: "", bootID: "", pid: 0, startTicks: nil, pidNamespace: nil, timeNamespace: nil)
    let owner = Owner(kind: .detached, process: nobody, host: "", app: app)
    try self.init(
      at: path, owner: StoreOwner(owner, opened: clock.now()), creating: creating, within: deadline,
      processes: processes, clock: clock)
  }

  /// Makes the store at a path unless it is there.
  package static func make(at path: String, app: String) throws(LoadLogError) {
    let store = try SQLiteLoadStore(
      withoutOwnerAt: path, app: app, creating: true, within: .seconds(30), SystemProcessTable(), BootClock())
    store.close(finally: true)
  }
}

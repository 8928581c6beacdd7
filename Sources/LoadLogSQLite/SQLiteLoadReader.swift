import Foundation
import GRDB
public import LoadLogCore
import Synchronization

/// Reads a store, beside its writers and without ever writing: verdicts on dead owners are found by the same
/// judge as elsewhere, and shown, but not kept.
///
/// Each question is one consistent read with a deadline, so that no reader holds up a checkpoint for long.
/// Questions may be asked from any thread; they are answered one after the other.
public final class SQLiteLoadReader: LoadReading {
  /// Where the rows come from.
  enum Source: Sendable {
    case file(StoreLocation)
    case queue(DatabaseQueue)
  }

  private let source: Source
  private let court: Court
  private let deadline: Duration
  private let readsAsItIs: Bool
  private let connection = Mutex<DatabaseQueue?>(nil)

  /// Opens the store at a path for reading. Nothing is created.
  ///
  /// - Parameters:
  ///   - path: the store.
  ///   - processes: how to see other processes.
  ///   - clock: what time it is.
  ///   - deadline: how long one question may take.
  /// - Throws: `storeMissing`, `storeUnusable`, `notLoadLog`, `newerStore` or `damaged`.
  public convenience init(
    at path: String, processes: any ProcessTable = SystemProcessTable(), locks: (any LockTable)? = nil,
    clock: any LoadClock = BootClock(), deadline: Duration = .seconds(30)
  ) throws(LoadLogError) {
    try self.init(
      at: path, processes: processes, locks: locks, clock: clock, deadline: deadline, readsAsItIs: false)
  }

  /// The same, to look a store over: one of an older schema stays as it is, and cannot be asked much.
  convenience init(
    at path: String, processes: any ProcessTable, locks: (any LockTable)? = nil, clock: any LoadClock,
    deadline: Duration, readsAsItIs: Bool
  ) throws(LoadLogError) {
    let location = try StoreLocation(path, creatingFolder: false)
    guard case .file = try location.presence() else {
      throw LoadLogError(.storeMissing, what: "no store", why: "nothing is there", path: location.path)
    }
    let court = Court(
      processes: processes, locks: locks ?? FolderLockTable(folder: location.folder), clock: clock)
    self.init(source: .file(location), court: court, deadline: deadline, readsAsItIs: readsAsItIs)
    try connection.withLock { connection throws(LoadLogError) in _ = try open(&connection) }
  }

  init(source: Source, court: Court, deadline: Duration = .seconds(30), readsAsItIs: Bool = false) {
    self.readsAsItIs = readsAsItIs
    self.source = source
    self.court = court
    self.deadline = deadline
  }

  /// Closes the connection; the next question opens it again.
  func close() {
    guard !ForkedChild.isThisProcess else { return }
    connection.withLock { connection in
      if let open = connection, case .file = source { try? open.close() }
      connection = nil
    }
  }

  /// One consistent read.
  func read<Value: Sendable>(_ work: (RecordQuery) throws -> Value) throws(LoadLogError) -> Value {
    // A thread of the parent may have held the lock at the fork.
    try ForkedChild.refuse(path)
    // Held to the end, so that nobody closes the connection meanwhile.
    return try connection.withLock { connection throws(LoadLogError) in
      let queue = try open(&connection)
      return try mapped(path: path) {
        switch source {
        case .file:
          let deadline = QuestionDeadline()
          let alarm = court.clock.schedule(at: deadlineFromNow) { deadline.pass() }
          defer { alarm.cancel() }
          return try queue.read { database in
            try deadline.watched(database) { try work(RecordQuery(database, court: court)) }
          }
        // Its one connection has another user, the writer: it is never interrupted.
        case .queue:
          return try queue.unsafeRead { database in try work(RecordQuery(database, court: court)) }
        }
      }
    }
  }

  private var deadlineFromNow: Int64 {
    let (time, overflow) = court.clock.now().boot.addingReportingOverflow(deadline.wholeNanoseconds)
    return overflow ? .max : time
  }

  private var path: String {
    switch source {
    case .file(let location): location.path
    case .queue: ":memory:"
    }
  }

  private func open(_ connection: inout DatabaseQueue?) throws(LoadLogError) -> DatabaseQueue {
    guard case .file(let location) = source else {
      guard case .queue(let queue) = source else { throw LoadLogError(.closed, what: "store", why: "closed") }
      return queue
    }
    if let connection { return connection }
    let opened = try Self.openQueue(at: location)
    let isUpToDate = readsAsItIs || opened.format.version == StoreFormat.newestVersion
    let queue = isUpToDate ? opened.queue : try upToDate(opened.queue, location)
    connection = queue
    return queue
  }

  /// A database on a read-only file system opens only if it is told that nothing can change, and that hides
  /// what a write-ahead log holds: so only where there is none.
  static func openQueue(
    at location: StoreLocation
  ) throws(LoadLogError) -> (queue: DatabaseQueue, format: StoreFormat) {
    let hasLog = location.walSize > 0
    if !hasLog {
      let format = try StoreFormat(headerOf: location)
      try format.check(path: location.path)
      if access(location.folder, W_OK) != 0 {
        return (try StoreConnection.open(location, for: .readFrozen), format)
      }
    }
    do {
      let queue = try StoreConnection.open(location, for: .read)
      let format = try mapped(path: location.path) {
        try queue.unsafeRead { database in
          let format = try StoreFormat(database)
          try format.check(path: location.path)
          try LogOwnership.check(database, at: location)
          return format
        }
      }
      return (queue, format)
    } catch  where error.code == .storeUnusable && hasLog {
      throw LoadLogError(
        .storeUnusable, what: "cannot read store", why: "its write-ahead log cannot be opened from here",
        advice: "Copy the store with its -wal file to a folder you may write to.", path: location.path)
    }
  }

  /// A store of an older program is brought up to date in memory: nobody writes to it by reading it.
  private func upToDate(_ queue: DatabaseQueue, _ location: StoreLocation) throws(LoadLogError)
    -> DatabaseQueue
  {
    let clock = court.clock
    return try mapped(path: location.path) {
      let copy = try StoreConnection.openInMemory()
      try queue.backup(to: copy)
      try queue.close()
      try copy.writeWithoutTransaction { try StoreSchema.migrate($0, now: clock.now().wall) }
      return copy
    }
  }
}

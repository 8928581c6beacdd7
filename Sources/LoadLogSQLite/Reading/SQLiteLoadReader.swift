import Foundation
import GRDB
public import LoadLogCore
import Synchronization

/// Reads a store while others write, and never writes itself: verdicts on dead owners are found by the same judge as
/// elsewhere and shown, but not stored.
///
/// Each question is one consistent read with a deadline, so that no reader delays a checkpoint for long. Questions may be
/// asked from any thread; they are answered one after another. Opening and asking block the thread: keep them away from
/// Swift's cooperative pool, or ask through a ``LoadingController``.
public final class SQLiteLoadReader: LoadReading {
  /// Where the rows come from.
  enum Source: Sendable {
    case file(StoreLocation)
    case queue(DatabaseQueue)
  }

  private let source: Source
  private let court: Court
  private let deadline: Duration
  private let state = Mutex(State())

  private struct State {
    var connection: Connection?
    /// How many connections to the file were opened so far.
    var openings: Int64 = 0
  }

  private struct Connection {
    let queue: DatabaseQueue
    /// Nil if it is in memory.
    let file: FileID?
    /// The files as they were when they were opened as immutable; nil if SQLite looks for changes.
    let frozen: StoreLocation.Stamp?
  }

  /// Opens the store at a path for reading. Nothing is created.
  ///
  /// - Parameters:
  ///   - path: the store.
  ///   - processes: how to see other processes.
  ///   - locks: how to see the locks of owners; by default the files beside the store.
  ///   - clock: the clock that decides how long loads have been running.
  ///   - deadline: how long one question may take.
  /// - Throws: `storeMissing`, `storeUnusable`, `notLoadLog`, `newerStore` or `damaged`.
  public convenience init(
    at path: String, processes: any ProcessTable = SystemProcessTable(), locks: (any LockTable)? = nil,
    clock: any LoadClock = BootClock(), deadline: Duration = .seconds(30)
  ) throws(LoadLogError) {
    let location = try StoreLocation(path, creatingFolder: false)
    guard try location.presence() != nil else { throw location.missing }
    let court = Court(
      processes: processes, locks: locks ?? FolderLockTable(folder: location.folder), clock: clock)
    self.init(source: .file(location), court: court, deadline: deadline)
    try state.withLock { state throws(LoadLogError) in _ = try open(&state) }
  }

  init(source: Source, court: Court, deadline: Duration = .seconds(30)) {
    self.source = source
    self.court = court
    self.deadline = deadline
  }

  deinit {
    // In a forked child the connection is the parent's: closing it would release the parent's locks.
    guard ForkedChild.isThisProcess else { return }
    state.withLockIfAvailable { state in
      if let open = state.connection { _ = Unmanaged.passRetained(open.queue) }
    }
  }

  /// The size of the store and its log on the disk, in bytes; nil if the store is in memory.
  public var bytesOnDisk: Int64? {
    guard case .file(let location) = source, let size = try? location.presence() else {
      return nil
    }
    return size + location.walSize
  }

  /// Answers a question that takes several reads: together with opening the store they have one deadline.
  ///
  /// - Parameters:
  ///   - duration: how long they may take.
  ///   - work: asks readers, on this thread; their reads throw `busy` after the deadline.
  package static func answering<Value, Failure>(
    within duration: Duration, _ work: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let end = BootClock().now().boot.addingClamping(duration.wholeNanoseconds)
    return try QuestionDeadline.$end.withValue(end) { Result { () throws(Failure) in try work() } }.get()
  }

  /// Closes the connection; the next question opens it again. While a question runs, which must not be waited for, nothing
  /// is closed before the reader goes away.
  func close() {
    guard !ForkedChild.isThisProcess else { return }
    _ = state.withLockIfAvailable { closeFile(&$0) }
  }

  private func closeFile(_ state: inout State) {
    if let open = state.connection, case .file = source { try? open.queue.close() }
    state.connection = nil
  }

  /// One consistent read.
  ///
  /// It is made again if it meets an owner that is dead: the owner may have finished its loads and ended after the first
  /// read began. In the second one, all that the owner has recorded is seen. It is also made again if the file was replaced,
  /// and if files changed that were opened as immutable.
  ///
  /// - Parameters:
  ///   - hasDeadline: false for one of many short reads that together may take long. The deadline of
  ///     ``answering(within:_:)`` ends them too.
  ///   - work: what to read. It may be called twice, so it sets whatever it changes, and adds nothing to it.
  func read<Value: Sendable>(
    hasDeadline: Bool = true, _ work: (RecordQuery) throws -> Value
  ) throws(LoadLogError) -> Value {
    // A thread of the parent may have held the lock at the fork.
    try ForkedChild.refuse(path)
    // Held to the end, so that no other thread closes the connection.
    return try state.withLock { state throws(LoadLogError) in
      try read(&state, hasDeadline: hasDeadline, work)
    }
  }

  /// One consistent read without a deadline, for a thread that must not wait for a question.
  ///
  /// - Returns: nil if a question is being answered.
  func readIfIdle<Value: Sendable>(
    _ work: (RecordQuery) throws -> Value
  ) throws(LoadLogError) -> Value? {
    try ForkedChild.refuse(path)
    return try state.withLockIfAvailable { state throws(LoadLogError) in
      try read(&state, hasDeadline: false, work)
    }
  }

  private func read<Value: Sendable>(
    _ state: inout State, hasDeadline: Bool, _ work: (RecordQuery) throws -> Value
  ) throws(LoadLogError) -> Value {
    for _ in 1..<Self.mostReads {
      let connection = try open(&state)
      let answer = Result { () throws(LoadLogError) in
        try read(connection.queue, hasDeadline: hasDeadline, work)
      }
      if !isOutdated(connection) { return try answer.get() }
      // The file was replaced or written to, perhaps in the middle of the read.
    }
    return try read(open(&state).queue, hasDeadline: hasDeadline, work)
  }

  private func read<Value: Sendable>(
    _ queue: DatabaseQueue, hasDeadline: Bool, _ work: (RecordQuery) throws -> Value
  ) throws(LoadLogError) -> Value {
    try mapped(path: path) {
      switch source {
      case .file:
        let end = min(hasDeadline ? deadlineFromNow : .max, QuestionDeadline.end ?? .max)
        // A short read ends before it is interrupted.
        guard court.clock.now().boot < end else { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
        let deadline = QuestionDeadline(end)
        let alarm = court.clock.schedule(at: end) { deadline.pass() }
        defer { alarm.cancel() }
        var dead: Set<Int64> = []
        for _ in 1..<Self.mostReads {
          let (value, unproven) = try read(queue, deadline, dead: dead, work)
          if unproven.isEmpty { return value }
          dead.formUnion(unproven)
        }
        return try read(queue, deadline, dead: dead, work).value
      // Its one connection has another user, the writer: it is never interrupted.
      case .queue:
        return try mappedTemporary(path: path) {
          try queue.unsafeRead { database in try work(RecordQuery(database, court: court)) }
        }
      }
    }
  }

  /// The greatest number of reads for one question, in a store whose owners die all the time.
  private static let mostReads = 4

  private func read<Value: Sendable>(
    _ queue: DatabaseQueue, _ deadline: QuestionDeadline, dead: Set<Int64>,
    _ work: (RecordQuery) throws -> Value
  ) throws -> (value: Value, unproven: Set<Int64>) {
    try queue.read { database in
      let left = deadline.end.subtractingClamping(court.clock.now().boot)
      StoreConnection.limitWaiting(database, to: .nanoseconds(left))
      return try deadline.watched(database) {
        // A newer version may have migrated the store since it was opened.
        try StoreFormat(database).check(path: path)
        let query = RecordQuery(database, court: court, dead: dead)
        return (try work(query), query.unproven)
      }
    }
  }

  private var deadlineFromNow: Int64 {
    court.clock.now().boot.addingClamping(deadline.wholeNanoseconds)
  }

  private var path: String {
    switch source {
    case .file(let location): location.path
    case .queue: ":memory:"
    }
  }

  private func open(_ state: inout State) throws(LoadLogError) -> Connection {
    let location: StoreLocation
    switch source {
    case .file(let file): location = file
    case .queue(let queue): return Connection(queue: queue, file: nil, frozen: nil)
    }
    if let open = state.connection {
      if !isOutdated(open) { return open }
      closeFile(&state)
    }
    let (file, stamp) = (FileID(path: location.path), location.stamp)
    let (queue, isFrozen) = try Self.openQueue(at: location)
    let connection = Connection(queue: queue, file: file, frozen: isFrozen ? stamp : nil)
    state.connection = connection
    state.openings += 1
    return connection
  }

  /// Whether the path leads to another file by now, such as a backup, or files have changed that were opened as immutable.
  private func isOutdated(_ connection: Connection) -> Bool {
    guard case .file(let location) = source else { return false }
    if let frozen = connection.frozen { return location.stamp != frozen }
    return FileID(path: location.path) != connection.file
  }

  /// How many connections were opened so far.
  var openings: Int64 { state.withLock { $0.openings } }

  /// Opens a connection that reads.
  ///
  /// A database on a read-only file system opens only as immutable, and that hides what a write-ahead log holds. So it
  /// is opened that way only if there is no log.
  ///
  /// - Returns: the connection, and whether it takes the file for immutable.
  static func openQueue(
    at location: StoreLocation
  ) throws(LoadLogError) -> (queue: DatabaseQueue, isFrozen: Bool) {
    let hasLog = location.walSize > 0
    if !hasLog {
      try StoreFormat(headerOf: location).check(path: location.path)
      if access(location.folder, W_OK) != 0 {
        return (try StoreConnection.open(location, for: .readFrozen), true)
      }
    }
    do {
      let queue = try StoreConnection.open(location, for: .read)
      try mapped(path: location.path) {
        try queue.unsafeRead { database in
          try StoreFormat(database).check(path: location.path)
          try LogOwnership.check(database, at: location)
        }
      }
      return (queue, false)
    } catch  where error.code == .storeUnusable && hasLog {
      throw LoadLogError(
        .storeUnusable, what: "cannot read store", why: "its write-ahead log cannot be opened from here",
        advice: "Copy the store with its -wal file to a folder you may write to.", path: location.path)
    }
  }
}

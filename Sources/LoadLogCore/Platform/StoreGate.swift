internal import CLoadLogShims
package import LoadLogLibC
import Synchronization

/// The gate of a store: one file beside it whose exclusive flock(2) every writer holds while it writes.
///
///     try gate.lock()
///     defer { gate.unlock() }
///
/// SQLite's own locks are not fair. Before 3.51.3 they are not safe either if several connections write and checkpoint
/// at once; the gate admits only one at a time. Every gate has an open file of its own, so two gates in one process
/// exclude each other like two processes, and so do two threads that share a gate. A gate is not reentrant. It may be
/// unlocked on another thread than it was locked on.
package final class StoreGate: Sendable {
  /// The gate file.
  package let path: String

  private let mode: mode_t
  private let sibling: String?
  /// Changed only by the thread that has the turn.
  private let file: Mutex<OpenFile>
  private let isHeld = Atomic(false)
  /// Excludes the threads that share this gate: they share an open file, so flock does not exclude them.
  private let turn = WakeUp(calls: 1)

  /// Maximum number of times that the gate file may be replaced during one call of ``lock()``; more is an error.
  private static let mostReplacements = 100

  /// Opens the gate file, and creates it if there is none.
  ///
  /// - Parameters:
  ///   - path: The gate file; its folder must exist.
  ///   - mode: The permissions of a new file, whatever the umask says; an existing one keeps its own.
  ///   - sibling: The store: if root creates the file, it belongs to the owner of the store.
  /// - Throws: `storeUnusable` if it is not a regular file or may not be opened; `diskFull`; `io`; `closed` in a forked
  ///   child.
  package init(path: String, mode: mode_t, besides sibling: String? = nil) throws(LoadLogError) {
    try ForkedChild.refuse(path)
    file = Mutex(try Self.open(path, mode: mode, besides: sibling))
    self.path = path
    self.mode = mode
    self.sibling = sibling
  }

  deinit {
    // Closing would not release the lock: a child between fork and exec has a copy of the descriptor.
    unlock()
    // In a forked child the mutex of `file` may be locked forever, and the descriptor is already closed.
    if !ForkedChild.isThisProcess { loadlog_close_unshared(openFile.descriptor) }
  }

  /// Waits until the gate is free, and locks it. Blocks the thread: do not call it on the cooperative pool.
  ///
  /// - Throws: `closed` in a forked child; `storeUnusable` or `io` if the file cannot be locked, or was replaced and
  ///   cannot be opened again; `storeMoved` if its folder is gone.
  package func lock() throws(LoadLogError) {
    _ = try lock(waiting: true)
  }

  /// Locks the gate if it is free.
  ///
  /// - Returns: Whether the gate is locked now.
  /// - Throws: As ``lock()`` does.
  package func tryLock() throws(LoadLogError) -> Bool {
    try lock(waiting: false)
  }

  /// Unlocks the gate. Does nothing if it is not locked, or in a forked child: the lock is the parent's.
  package func unlock() {
    guard !ForkedChild.isThisProcess, isHeld.exchange(false, ordering: .acquiringAndReleasing)
    else { return }
    _ = loadlog_flock(openFile.descriptor, LOCK_UN)
    turn.signal()
  }
}

extension StoreGate {
  /// A gate file that was opened, and which file that is.
  private struct OpenFile {
    let descriptor: Int32
    let id: FileID
  }

  private func lock(waiting: Bool) throws(LoadLogError) -> Bool {
    // Check this before taking any lock: in a forked child, a thread of the parent may have held it at the fork.
    try ForkedChild.refuse(path)
    if waiting {
      turn.wait()
    } else if !turn.wait(nanoseconds: 0) {
      return false
    }
    do throws(LoadLogError) {
      guard try lockFile(waiting: waiting) else {
        turn.signal()
        return false
      }
    } catch {
      turn.signal()
      throw error
    }
    isHeld.store(true, ordering: .releasing)
    return true
  }

  /// Locks the file that the path names *now*: a lock on a file that was deleted or replaced meanwhile excludes no other
  /// process.
  private func lockFile(waiting: Bool) throws(LoadLogError) -> Bool {
    for _ in 0..<Self.mostReplacements {
      let open = openFile
      switch loadlog_flock(open.descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) {
      case 0: break
      case EWOULDBLOCK where isCurrent(open): return false
      case EWOULDBLOCK: break
      case let problem: throw LoadLogError(errno: problem, what: "cannot lock", path: path)
      }
      if isCurrent(open) { return true }
      let new = try Self.open(path, mode: mode, besides: sibling, wasOpen: true)
      file.withLock { $0 = new }
      loadlog_close_unshared(open.descriptor)
    }
    throw LoadLogError(.io, what: "cannot lock", why: "other programs keep replacing the file", path: path)
  }

  private var openFile: OpenFile { file.withLock { $0 } }

  private func isCurrent(_ open: OpenFile) -> Bool { open.id == FileID(path: path, followingLinks: false) }

  private static func open(
    _ path: String, mode: mode_t, besides sibling: String?, wasOpen: Bool = false
  ) throws(LoadLogError) -> OpenFile {
    let (descriptor, problem) = openOrCreate(path, mode: mode, besides: sibling)
    // Only a folder that is gone has no place for a new file.
    if problem == ENOENT, wasOpen { throw .storeMoved(sibling ?? path) }
    guard descriptor >= 0 else {
      throw LoadLogError(errno: problem, what: "cannot open gate file", path: path)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let id = FileID(descriptor: descriptor)
    else {
      loadlog_close_unshared(descriptor)
      throw LoadLogError(
        .storeUnusable, what: "cannot open gate file", why: "it is not a regular file", path: path)
    }
    return OpenFile(descriptor: descriptor, id: id)
  }

  /// Opens the file, or creates it and sets its mode. An existing file keeps its mode. If the path names a pipe,
  /// O_NONBLOCK keeps the open from waiting.
  private static func openOrCreate(
    _ path: String, mode: mode_t, besides sibling: String?
  ) -> (descriptor: Int32, problem: Int32) {
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK
    for _ in 0..<mostReplacements {
      let found = loadlog_open_unshared(path, flags, 0)
      if found >= 0 { return (found, 0) }
      guard errno == ENOENT else { return (-1, errno) }
      let created = loadlog_open_unshared(path, flags | O_CREAT | O_EXCL, UInt32(mode))
      if created >= 0 {
        FileOwner.adopt(created, from: sibling)
        fchmod(created, mode)
        return (created, 0)
      }
      // Another process created it meanwhile: open that file.
      guard errno == EEXIST else { return (-1, errno) }
    }
    return (-1, ENOENT)
  }
}

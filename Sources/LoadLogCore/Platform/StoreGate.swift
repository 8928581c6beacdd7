internal import CLoadLogShims
public import LoadLogLibC
import Synchronization

/// The gate of a store: one file beside it whose exclusive flock(2) every writer holds while it writes.
///
///     try gate.lock()
///     defer { gate.unlock() }
///
/// SQLite's own locks are neither fair nor, before 3.51.3, safe when several connections write and
/// checkpoint at once; under the gate only one ever does. Every gate has an open file of its own, so two
/// gates in one process exclude each other like two processes, and so do two threads at one gate. It is
/// not reentrant. It may be unlocked on another thread than it was locked on.
public final class StoreGate: Sendable {
  /// The gate file.
  public let path: String

  private let mode: mode_t
  private let sibling: String?
  /// Changed only by the thread whose turn it is.
  private let file: Mutex<OpenFile>
  private let isHeld = Atomic(false)
  /// Excludes the threads at this one gate: they share an open file, which flock does not tell apart.
  private let turn = WakeUp(calls: 1)

  /// How often a gate file may be replaced under a waiting lock before that is an error.
  private static let mostReplacements = 100

  /// Opens the gate file, and creates it if there is none.
  ///
  /// - Parameters:
  ///   - path: The gate file; its folder must exist.
  ///   - mode: The permissions of a new file, whatever the umask says; an existing one keeps its own.
  ///   - sibling: The store: a new file that root makes belongs to whom that belongs.
  /// - Throws: `storeUnusable` if it is not a regular file or may not be opened; `diskFull`; `io`; `closed` in a forked
  ///   child.
  public init(path: String, mode: mode_t, besides sibling: String? = nil) throws(LoadLogError) {
    try ForkedChild.refuse(path)
    file = Mutex(try Self.open(path, mode: mode, besides: sibling))
    self.path = path
    self.mode = mode
    self.sibling = sibling
  }

  deinit {
    // In a forked child the lock of `file` may be held for ever, and the descriptor is closed.
    if !ForkedChild.isThisProcess { loadlog_close_unshared(openFile.descriptor) }
  }

  /// Waits until the gate is free, and holds it. Blocks the thread: not for the cooperative pool.
  ///
  /// - Throws: `closed` in a forked child; `storeUnusable` or `io` if the file cannot be locked, or was replaced and
  ///   cannot be opened again.
  public func lock() throws(LoadLogError) {
    _ = try lock(waiting: true)
  }

  /// Holds the gate if it is free.
  ///
  /// - Returns: Whether it is held now.
  /// - Throws: As ``lock()`` does.
  public func tryLock() throws(LoadLogError) -> Bool {
    try lock(waiting: false)
  }

  /// Unlocks the gate. Does nothing if it is not locked, or in a forked child: the lock is the parent's.
  public func unlock() {
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
    // Before anything that a thread of the parent may hold for ever.
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

  /// Locks the file that the path names *now*: a lock on a file that was deleted or replaced meanwhile
  /// excludes nobody.
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
      let new = try Self.open(path, mode: mode, besides: sibling)
      file.withLock { $0 = new }
      loadlog_close_unshared(open.descriptor)
    }
    throw LoadLogError(.io, what: "cannot lock", why: "the file is replaced again and again", path: path)
  }

  private var openFile: OpenFile { file.withLock { $0 } }

  private func isCurrent(_ open: OpenFile) -> Bool { open.id == FileID(path: path, followingLinks: false) }

  private static func open(
    _ path: String, mode: mode_t, besides sibling: String?
  ) throws(LoadLogError) -> OpenFile {
    let (descriptor, problem) = openOrCreate(path, mode: mode, besides: sibling)
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

  /// Opens the file; or creates it, and only then sets its mode. O_NONBLOCK keeps a named pipe at its
  /// place from stopping the process.
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
      // Somebody else created it meanwhile: open theirs.
      guard errno == EEXIST else { return (-1, errno) }
    }
    return (-1, ENOENT)
  }
}

internal import CLoadLogShims
package import LoadLogLibC
import Synchronization

/// The lock that a library owner holds until it closes or dies: an exclusive flock(2) on a file of its own.
///
///     let lock = try OwnerLock(folder: folder, name: "store.loadlog-owner-7f3a", mode: 0o600)
///     owner.lock = lock.lock                      // commit the row only now
///     lock.release(deleting: true)                // after the row says that the owner has closed
///
/// The kernel releases it when the process ends for any reason. Other processes notice that even across pid
/// namespaces, where pids cannot be compared. Commit a clean close *before* the release: a reader between the two
/// would take the release for a lost lock. A child of fork(2) closes its copy of the descriptor at once and never
/// unlocks it, so the lock stays the parent's alone.
package final class OwnerLock: Sendable {
  /// The file's name and inode, as the owner's row keeps them.
  package let lock: Owner.Lock

  private let path: String
  /// The open descriptor; nil once released.
  private let descriptor: Mutex<Int32?>

  /// Creates the file and locks it before it returns.
  ///
  /// - Parameters:
  ///   - folder: The folder of the store; it must exist.
  ///   - name: The file's name in it; no file of that name may exist.
  ///   - mode: The file's permissions, whatever the umask says.
  ///   - sibling: The store: if root creates the file, it belongs to the owner of the store.
  /// - Throws: `invalidInput` if `name` is not a file name; `storeUnusable` if the file exists or cannot be created or
  ///   locked; `diskFull`; `io`; `closed` in a forked child.
  package init(
    folder: String, name: String, mode: mode_t, besides sibling: String? = nil
  ) throws(LoadLogError) {
    guard Self.isFileName(name) else {
      throw LoadLogError(
        .invalidInput, what: "lock file name", value: name, why: "it is not a file name")
    }
    let path = folder + "/" + name
    try ForkedChild.refuse(path)
    let descriptor = loadlog_open_unshared(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, UInt32(mode))
    guard descriptor >= 0 else {
      throw LoadLogError(errno: errno, what: "cannot create lock file", path: path)
    }
    FileOwner.adopt(descriptor, from: sibling)
    var problem = fchmod(descriptor, mode) == 0 ? 0 : errno
    if problem == 0 { problem = loadlog_flock(descriptor, LOCK_EX) }
    let id = FileID(descriptor: descriptor)
    // Another process that deletes stale lock files may have deleted this one before it was locked.
    let isInPlace = id != nil && id == FileID(path: path, followingLinks: false)
    if problem == 0, !isInPlace { problem = EIO }
    guard problem == 0, let id else {
      if isInPlace { unlink(path) }
      loadlog_close_unshared(descriptor)
      throw LoadLogError(errno: problem, what: "cannot lock", path: path)
    }
    self.path = path
    self.descriptor = Mutex(descriptor)
    lock = Owner.Lock(name: name, inode: id.storedInode)
  }

  deinit { release(deleting: false) }

  /// Releases the lock. Does nothing if it is released already, or in a forked child. Callable on any thread.
  ///
  /// - Parameter deleting: whether to delete the file first, as a clean close does.
  package func release(deleting: Bool) {
    // In a forked child the mutex may be locked forever, and the descriptor is already closed.
    guard !ForkedChild.isThisProcess else { return }
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      descriptor = nil
      // Delete the file while it is locked, so that no process finds it free, and only if the path still names it.
      if deleting, FileID(path: path, followingLinks: false) == FileID(descriptor: open) { unlink(path) }
      // Unlock explicitly: a child between fork and exec has a copy of the descriptor, so closing this one would not
      // release the lock.
      _ = loadlog_flock(open, LOCK_UN)
      loadlog_close_unshared(open)
    }
  }

  /// Probes the lock of another owner: tries to take a *shared* flock without waiting.
  ///
  /// Never creates the file, follows no link and never waits. The probe holds the shared lock for an instant; any number
  /// of processes can probe at the same time.
  ///
  /// - Parameters:
  ///   - folder: The folder of the store.
  ///   - lock: The lock as the owner's row keeps it; another inode under its name is `unreadable`.
  package static func probe(folder: String, _ lock: Owner.Lock) -> LockProbe {
    // The name comes from the store, which another program may have written.
    guard isFileName(lock.name) else { return .unreadable }
    let path = folder + "/" + lock.name
    let descriptor = loadlog_open_unshared(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return .unreadable }
    defer { loadlog_close_unshared(descriptor) }
    guard FileID(descriptor: descriptor)?.storedInode == lock.inode else { return .unreadable }
    switch loadlog_flock(descriptor, LOCK_SH | LOCK_NB) {
    case 0: return .free
    case EWOULDBLOCK: return .held
    default: return .unreadable
    }
  }

  private static func isFileName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == 0x2F || $0 == 0 }
  }
}

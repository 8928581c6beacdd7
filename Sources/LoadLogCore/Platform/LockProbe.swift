/// The state of another owner's lock file.
public enum LockProbe: Sendable, Hashable {
  /// It is the owner's file, and no process holds its lock any more.
  case free
  /// It is the owner's file, and a process holds its lock.
  case held
  /// It proves nothing: the file is missing, is another file, or cannot be read.
  case unreadable
}

/// Probes the locks of owners.
///
/// ``FolderLockTable`` probes the lock files in the folder of a store; tests use tables of their own.
public protocol LockTable: Sendable {
  /// Probes a lock. Never creates the file, never waits.
  func probe(_ lock: Owner.Lock) -> LockProbe
}

/// The locks of the owners of one store, in its folder.
public struct FolderLockTable: LockTable {
  /// The folder of the store.
  public let folder: String

  /// Makes a table for a folder.
  public init(folder: String) { self.folder = folder }

  /// Probes a lock: tries to take a shared flock(2) on its file without waiting. It follows no link.
  public func probe(_ lock: Owner.Lock) -> LockProbe {
    OwnerLock.probe(folder: folder, lock)
  }
}

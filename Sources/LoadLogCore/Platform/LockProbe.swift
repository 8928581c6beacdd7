/// What a look at another owner's lock file showed.
public enum LockProbe: Sendable, Hashable {
  /// It is the owner's file, and nobody holds it any more.
  case free
  /// It is the owner's file, and somebody holds it.
  case held
  /// It proves nothing: the file is missing, another one, or cannot be read.
  case unreadable
}

/// Where locks are looked at.
///
/// ``FolderLockTable`` looks into the folder of a store; tests bring a table of their own.
public protocol LockTable: Sendable {
  /// Looks at a lock. Never creates the file, never waits.
  func probe(_ lock: Owner.Lock) -> LockProbe
}

/// The locks of the owners of one store, in its folder.
public struct FolderLockTable: LockTable {
  /// The folder of the store.
  public let folder: String

  /// Makes a table for a folder.
  public init(folder: String) { self.folder = folder }

  /// See ``OwnerLock/probe(folder:_:)``.
  public func probe(_ lock: Owner.Lock) -> LockProbe {
    OwnerLock.probe(folder: folder, lock)
  }
}

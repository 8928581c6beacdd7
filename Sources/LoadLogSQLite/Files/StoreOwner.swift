public import LoadLogCore
import Synchronization

/// One owner on its way through the life of a process: the same one when a store is opened again after a
/// failure.
public final class StoreOwner: Sendable {
  /// Sixteen random bytes that name the owner in any store.
  let uid: SessionID
  /// When it opened its store.
  let opened: LoadInstant
  private let description: Owner
  private let lock = Mutex<OwnerLock?>(nil)
  private let recorded = Atomic(false)

  /// Makes an owner; a library owner takes its lock when it first opens a store file.
  public init(_ owner: Owner, opened: LoadInstant) {
    uid = SessionID()
    self.opened = opened
    description = owner
  }

  /// Who it is, with its lock if it holds one.
  var owner: Owner {
    var owner = description
    owner.lock = lock.withLock { $0?.lock }
    return owner
  }

  /// Its row is durable.
  var isRecorded: Bool {
    get { recorded.load(ordering: .relaxed) }
    set { recorded.store(newValue, ordering: .relaxed) }
  }

  var kind: Owner.Kind { description.kind }

  var process: ProcessIdentity { description.process }

  /// Takes the lock of a library owner beside the store, once; again if its file is gone. On platforms that
  /// kill a suspended app for holding one, no lock is taken.
  func takeLock(beside location: StoreLocation) throws(LoadLogError) {
    #if !(os(iOS) || os(tvOS) || os(watchOS) || os(visionOS))
      guard kind == .library else { return }
      let held = lock.withLock { $0?.lock }
      if let held, FileID(path: location.folder + "/" + held.name)?.storedInode == held.inode {
        return
      }
      let name = location.lockPrefix + SessionID().description
      let new = try OwnerLock(
        folder: location.folder, name: name, mode: location.fileMode, besides: location.path)
      lock.withLock { $0 = new }
    #endif
  }

  /// Lets go of the lock and deletes its file, after a clean close.
  func releaseLock() {
    lock.withLock { lock in
      lock?.release(deleting: true)
      lock = nil
    }
  }
}

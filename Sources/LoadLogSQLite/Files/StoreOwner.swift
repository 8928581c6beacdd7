package import LoadLogCore
import Synchronization

/// The identity under which a process writes to a store. It stays the same when the store is reopened after a
/// failure.
///
/// May be used from any thread.
package final class StoreOwner: Sendable {
  /// Sixteen random bytes that identify the owner in any store.
  let uid: SessionID
  /// The time at which the owner opened its store.
  let opened: LoadInstant
  private let description: Owner
  private let lock = Mutex<OwnerLock?>(nil)
  private let recorded = Atomic(false)

  /// Creates an owner. A library owner takes its lock when it first opens a store file.
  ///
  /// - Parameters:
  ///   - owner: the description that is recorded.
  ///   - opened: the time at which the owner opens its store.
  package init(_ owner: Owner, opened: LoadInstant) {
    uid = SessionID()
    self.opened = opened
    description = owner
  }

  /// The owner's description, with its lock if it holds one.
  var owner: Owner {
    var owner = description
    owner.lock = lock.withLock { $0?.lock }
    return owner
  }

  /// Whether the owner's row is durable.
  var isRecorded: Bool {
    get { recorded.load(ordering: .relaxed) }
    set { recorded.store(newValue, ordering: .relaxed) }
  }

  var kind: Owner.Kind { description.kind }

  var process: ProcessIdentity { description.process }

  /// Takes the lock of a library owner beside the store, unless it holds one whose file is still there. Takes
  /// no lock on platforms that kill a suspended app for holding one.
  func takeLock(beside location: StoreLocation) throws(LoadLogError) {
    #if !(os(iOS) || os(tvOS) || os(watchOS) || os(visionOS))
      guard kind == .library else { return }
      let held = lock.withLock { $0?.lock }
      if let held, FileID(path: location.folder + "/" + held.name)?.storedInode == held.inode {
        return
      }
      let name = location.newLockName()
      let new = try OwnerLock(
        folder: location.folder, name: name, mode: location.fileMode, besides: location.path)
      lock.withLock { $0 = new }
    #endif
  }

  /// Releases the lock and deletes its file, after a clean close.
  func releaseLock() {
    lock.withLock { lock in
      lock?.release(deleting: true)
      lock = nil
    }
  }
}

public import LoadLogCore
import Synchronization

/// The locks of a store's owners as a test says they are; no file is looked at.
public final class ManualLocks: LockTable {
  private let state: Mutex<(usual: LockProbe, byName: [String: LockProbe])>

  /// Makes a table in which every lock looks alike until something else is said.
  public init(_ usual: LockProbe = .held) { state = Mutex((usual, [:])) }

  /// Says how a lock looks from now on; without a name, how all look.
  public func set(_ probe: LockProbe, for name: String? = nil) {
    state.withLock { state in
      if let name { state.byName[name] = probe } else { state = (probe, [:]) }
    }
  }

  /// What was said of the lock.
  public func probe(_ lock: Owner.Lock) -> LockProbe {
    state.withLock { $0.byName[lock.name] ?? $0.usual }
  }
}

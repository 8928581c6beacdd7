public import LoadLogCore
import Synchronization

/// A lock table whose probes return what a test sets. It reads no files.
public final class ManualLocks: LockTable {
  private let state: Mutex<(standard: LockProbe, byName: [String: LockProbe])>

  /// Creates a table that returns the same result for each lock.
  public init(_ standard: LockProbe = .held) { state = Mutex((standard, [:])) }

  /// Sets the result for the lock with the given name, or for all locks if the name is nil.
  public func set(_ probe: LockProbe, for name: String? = nil) {
    state.withLock { state in
      if let name { state.byName[name] = probe } else { state = (probe, [:]) }
    }
  }

  /// Returns the result that was set for a lock.
  public func probe(_ lock: Owner.Lock) -> LockProbe {
    state.withLock { $0.byName[lock.name] ?? $0.standard }
  }
}

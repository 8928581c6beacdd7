public import Foundation
public import LoadLogCore

extension LoadStoreProvider {
  /// A SQLite store in a file, which the controller opens, and reopens after a failure.
  ///
  /// The provider itself never fails. Opening throws `storeUnusable`, `notLoadLog`, `newerStore`, `damaged`,
  /// `diskFull` or `io`, and `storeUnusable` for a URL that is not a file URL.
  ///
  /// - Parameters:
  ///   - url: the database file. Its folder is created with mode 0700 if it is missing.
  ///   - durability: what a commit survives.
  ///   - retention: how long finished loads are kept; nil to keep all.
  ///   - processes: how to inspect other processes.
  ///   - locks: how to probe the locks of other owners; by default the lock files beside the store.
  ///   - clock: the clock for start times, deadlines and verdicts.
  public static func sqlite(
    at url: URL, durability: Durability = .power, retention: Duration? = nil,
    processes: any ProcessTable = SystemProcessTable(),
    locks: (any LockTable)? = nil, clock: any LoadClock = BootClock()
  ) -> LoadStoreProvider {
    do throws(LoadLogError) {
      return .sqlite(
        at: try GivenPath.path(of: url), durability: durability, retention: retention,
        prefersStoredRetention: false, processes: processes, locks: locks, clock: clock)
    } catch {
      return LoadStoreProvider { _, _ in { () throws(LoadLogError) in throw error } }
    }
  }

  /// A SQLite store at a path; see ``sqlite(at:durability:retention:processes:locks:clock:)``.
  package static func sqlite(
    at path: String, durability: Durability, retention: Duration?, prefersStoredRetention: Bool,
    processes: any ProcessTable, locks: (any LockTable)?, clock: any LoadClock
  ) -> LoadStoreProvider {
    LoadStoreProvider(path: path) { owner, opened in
      let owner = StoreOwner(owner, opened: opened)
      return { () throws(LoadLogError) in
        try SQLiteLoadStore(
          at: path, owner: owner, durability: durability, retention: retention,
          prefersStoredRetention: prefersStoredRetention, processes: processes, locks: locks, clock: clock)
      }
    }
  }

  /// A SQLite store in memory, empty when it is opened and gone when the process ends.
  ///
  /// - Parameters:
  ///   - retention: how long finished loads are kept; nil to keep all.
  ///   - processes: how to inspect other processes.
  ///   - clock: the clock for start times, deadlines and verdicts.
  public static func inMemory(
    retention: Duration? = nil, processes: any ProcessTable = SystemProcessTable(),
    clock: any LoadClock = BootClock()
  ) -> LoadStoreProvider {
    LoadStoreProvider { owner, opened in
      let owner = StoreOwner(owner, opened: opened)
      return { () throws(LoadLogError) in
        try SQLiteLoadStore(inMemoryFor: owner, retention: retention, processes: processes, clock: clock)
      }
    }
  }
}

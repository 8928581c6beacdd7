public import Foundation
public import LoadLogCore

extension LoadStoreProvider {
  /// SQLite stores at a file's URL.
  public static func sqlite(
    at url: URL, durability: Durability = .power, retention: Duration? = nil,
    processes: any ProcessTable = SystemProcessTable(),
    locks: (any LockTable)? = nil, clock: any LoadClock = BootClock()
  ) -> LoadStoreProvider {
    do throws(LoadLogError) {
      return .sqlite(
        at: try GivenPath.path(of: url), durability: durability, retention: retention, processes: processes,
        locks: locks, clock: clock)
    } catch {
      return LoadStoreProvider { _, _ in { () throws(LoadLogError) in throw error } }
    }
  }

  /// SQLite stores at a path.
  package static func sqlite(
    at path: String, durability: Durability, retention: Duration?, processes: any ProcessTable,
    locks: (any LockTable)?, clock: any LoadClock
  ) -> LoadStoreProvider {
    LoadStoreProvider(path: path) { owner, opened in
      let owner = StoreOwner(owner, opened: opened)
      return { () throws(LoadLogError) in
        try SQLiteLoadStore(
          at: path, owner: owner, durability: durability, retention: retention, processes: processes,
          locks: locks, clock: clock)
      }
    }
  }

  /// SQLite stores in memory, each empty at first.
  public static func inMemory(
    processes: any ProcessTable = SystemProcessTable(), clock: any LoadClock = BootClock()
  ) -> LoadStoreProvider {
    LoadStoreProvider { owner, opened in
      let owner = StoreOwner(owner, opened: opened)
      return { () throws(LoadLogError) in
        try SQLiteLoadStore(inMemoryFor: owner, processes: processes, clock: clock)
      }
    }
  }
}

public import Foundation
public import LoadLogCore

extension LoadStoreProvider {
  /// SQLite stores at a path.
  public static func sqlite(
    at url: URL, durability: Durability = .power, retention: Duration? = nil,
    processes: any ProcessTable = SystemProcessTable(),
    locks: (any LockTable)? = nil, clock: any LoadClock = BootClock()
  ) -> LoadStoreProvider {
    LoadStoreProvider(path: url.path) { owner, opened in
      let owner = StoreOwner(owner, opened: opened)
      return { () throws(LoadLogError) in
        try SQLiteLoadStore(
          at: url, owner: owner, durability: durability, retention: retention, processes: processes,
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

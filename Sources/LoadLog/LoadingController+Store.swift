public import Foundation
public import LoadLogCore
import LoadLogSQLite

extension LoadingController {
  /// A controller over the SQLite store at a URL, which is made when the first load is recorded.
  ///
  ///     let loads = try LoadingController(storeAt: url)
  ///
  /// Opens lazily and never blocks the calling thread.
  ///
  /// - Throws: `storeUnusable` if the URL is not a file's.
  public convenience init(storeAt url: URL, options: Options = Options()) throws(LoadLogError) {
    let path = try GivenPath.path(of: url)
    self.init(store: .sqlite(at: path, for: options), fallback: .inMemory(for: options), options: options)
  }

  /// A controller over the store that `loadlog` uses by default: `$LOADLOG_DB`, else
  /// `$XDG_STATE_HOME/loadlog/loadlog.db`, else `~/.local/state/loadlog/loadlog.db`; on Apple platforms the
  /// app's Application Support folder.
  public static func `default`(options: Options = Options()) throws(LoadLogError) -> LoadingController {
    try LoadingController(storeAt: StorePath.default, options: options)
  }

  /// A controller over a store in memory, which ends with it.
  public static func inMemory(options: Options = Options()) -> LoadingController {
    let store = LoadStoreProvider.inMemory(for: options)
    return LoadingController(store: store, fallback: store, options: options)
  }
}

extension LoadStoreProvider {
  /// SQLite stores at a path, as the options want them.
  package static func sqlite(at path: String, for options: LoadingController.Options) -> LoadStoreProvider {
    .sqlite(
      at: path, durability: options.durability,
      // Whoever stands for another process is short-lived, and asked for an answer.
      retention: options.owner == .thisProcess ? options.retention : nil, processes: options.processes,
      locks: options.locks, clock: options.clock)
  }

  /// Stores in memory for when the other kind cannot be opened.
  package static func inMemory(for options: LoadingController.Options) -> LoadStoreProvider {
    .inMemory(processes: options.processes, clock: options.clock)
  }
}

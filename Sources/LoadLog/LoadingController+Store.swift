public import Foundation
public import LoadLogCore
import LoadLogSQLite

extension LoadingController {
  /// Creates a controller for the SQLite store at a URL. The store is created when it is first recorded into or asked.
  ///
  ///     let loads = try LoadingController(storeAt: url)
  ///
  /// The store is opened in the background; creating a controller never blocks.
  ///
  /// - Throws: `storeUnusable` if the URL is not a file URL.
  public convenience init(storeAt url: URL, options: Options = Options()) throws(LoadLogError) {
    let path = try GivenPath.path(of: url)
    self.init(store: .sqlite(at: path, for: options), fallback: .inMemory(for: options), options: options)
  }

  /// Creates a controller for the default store of `loadlog`; see ``StorePath/default``.
  ///
  /// - Throws: `storeUnusable` if the path of the store is invalid.
  public static func `default`(options: Options = Options()) throws(LoadLogError) -> LoadingController {
    try LoadingController(storeAt: StorePath.default, options: options)
  }

  /// Creates a controller that records in memory, and keeps loads for `Options.retention`.
  ///
  /// The record is gone when the controller is closed or released: after `reopen()` it is empty.
  public static func inMemory(options: Options = Options()) -> LoadingController {
    let store = LoadStoreProvider.inMemory(for: options)
    return LoadingController(store: store, fallback: store, options: options)
  }
}

extension LoadStoreProvider {
  /// Returns a provider of SQLite stores at a path.
  package static func sqlite(at path: String, for options: LoadingController.Options) -> LoadStoreProvider {
    .sqlite(
      at: path, durability: options.durability,
      // A controller for another process's loads is a short-lived command, so pruning would only delay its
      // answer.
      retention: options.owner == .thisProcess ? options.retention : nil,
      prefersStoredRetention: !options.hasOwnRetention, processes: options.processes, locks: options.locks,
      clock: options.clock)
  }

  /// Returns a provider of stores in memory, which replace a store that cannot be opened.
  package static func inMemory(for options: LoadingController.Options) -> LoadStoreProvider {
    .inMemory(retention: options.retention, processes: options.processes, clock: options.clock)
  }
}

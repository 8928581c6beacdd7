public import Foundation

/// The location of the default store.
public enum StorePath {
  /// The path in `$LOADLOG_DB` if it is set, otherwise `loadlog/loadlog.db` in `$XDG_STATE_HOME` or
  /// `~/.local/state`. On iOS, watchOS and visionOS it is in the app's Application Support folder; on tvOS, where apps
  /// have only folders that the system may empty, in Caches.
  ///
  /// An empty `$LOADLOG_DB` counts as not set here, and bytes that are not UTF-8 are replaced. `loadlog` refuses both.
  public static var `default`: URL {
    if let path = EnvironmentVariable.value("LOADLOG_DB"), !path.isEmpty {
      return URL(fileURLWithPath: (try? GivenPath.absolute(path)) ?? path)
    }
    #if os(tvOS)
      let state = URL.cachesDirectory
    #elseif os(iOS) || os(watchOS) || os(visionOS)
      let state = URL.applicationSupportDirectory
    #else
      // The XDG specification requires that relative paths are ignored. Foundation does not read $HOME, as
      // shells do.
      let folder = { name in
        EnvironmentVariable.value(name).flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
      }
      let home = folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser
      let state = folder("XDG_STATE_HOME") ?? home.appendingPathComponent(".local/state")
    #endif
    return state.appendingPathComponent("loadlog/loadlog.db")
  }
}

public import Foundation

/// Where the store lies if nobody says otherwise.
public enum StorePath {
  /// `$LOADLOG_DB`, else `$XDG_STATE_HOME/loadlog/loadlog.db`, else `~/.local/state/loadlog/loadlog.db`; on
  /// Apple's mobile platforms the app's Application Support folder.
  public static var `default`: URL {
    if let path = EnvironmentVariable.value("LOADLOG_DB"), !path.isEmpty {
      return URL(fileURLWithPath: (try? GivenPath.absolute(path)) ?? path)
    }
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
      let state = URL.applicationSupportDirectory
    #else
      // The XDG specification wants relative paths ignored. Foundation does not ask $HOME, shells do.
      let folder = { name in
        EnvironmentVariable.value(name).flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
      }
      let home = folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser
      let state = folder("XDG_STATE_HOME") ?? home.appendingPathComponent(".local/state")
    #endif
    return state.appendingPathComponent("loadlog/loadlog.db")
  }
}

#if Fleet
  import Foundation
  package import LoadLogCore
  import LoadLogLibC

  extension FleetAddress {
    /// The name of the variable that holds the address.
    package static let variable = "LOADLOG_FLEET"

    /// The file that holds the address: `loadlog/fleet` in `$XDG_CONFIG_HOME` or `~/.config`.
    package static var file: String {
      let folder = { (name: String) in
        EnvironmentVariable.value(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
      }
      let home = folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser.path
      return (folder("XDG_CONFIG_HOME") ?? home + "/.config") + "/loadlog/fleet"
    }

    /// Finds and checks the address: what the user passed, else `$LOADLOG_FLEET`, else the first line of ``file``.
    ///
    /// - Throws: `invalidInput` or `fleetUnusable`; also if there is no address, or other users can read the file.
    package static func find(
      _ passed: String?, allowsInsecureTransport: Bool = false
    ) throws(LoadLogError) -> FleetAddress {
      let set = EnvironmentVariable.value(variable).flatMap { $0.isEmpty ? nil : $0 }
      if let text = passed ?? set {
        return try FleetAddress(text, allowsInsecureTransport: allowsInsecureTransport)
      }
      return try FleetAddress(readFile(), allowsInsecureTransport: allowsInsecureTransport)
    }

    private static func readFile() throws(LoadLogError) -> String {
      let path = file
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else {
        guard errno == ENOENT else {
          throw LoadLogError(
            .fleetUnusable, what: "cannot read the address of the fleet's database",
            why: String(cString: strerror(errno)), path: path)
        }
        throw LoadLogError(
          .fleetUnusable, what: "the address of the fleet's database", why: "it is not known",
          advice: "Pass it with --to, set $\(variable), or write it to \(path).")
      }
      defer { close(descriptor) }
      guard SystemFile.isPrivate(descriptor) else {
        throw LoadLogError(
          .fleetUnusable, what: "the file with the address of the fleet's database",
          why: "other users can read it", advice: "Run chmod 600 on it.", path: path)
      }
      return SystemFile.line(path) ?? ""
    }
  }
#endif

import Foundation
import LoadLog

/// The user's browser.
enum WebBrowser {
  /// Opens an address, if there is a desktop and a program that can. Otherwise does nothing.
  static func open(_ address: String) {
    #if canImport(Darwin)
      let program = "open"
    #else
      let program = "xdg-open"
      // Without a desktop it would start a browser in this terminal.
      guard
        ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { EnvironmentVariable.value($0)?.isEmpty == false })
      else { return }
    #endif
    // Foundation gives the browser a process group of its own: a Ctrl-C for the server does not end it.
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program, address]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try? process.run()
  }
}

import ArgumentParser
import Foundation
import LoadLog

/// `loadlog-net`, the program with the server. `loadlog` stays small, and knows no network.
enum NetProgram {
  /// Replaces this program by `loadlog-net` with the same arguments.
  ///
  /// - Throws: the exit code 127 if it is not installed; `io` if it cannot be executed.
  static func execute() throws -> Never {
    let program = try path()
    var arguments: [UnsafeMutablePointer<CChar>?] =
      [strdup(name)] + Program.arguments.map { strdup($0) } + [nil]
    // An ignored signal stays ignored, and the program would take that for its caller's wish.
    StandardStreams.restoreSignals()
    execv(program, &arguments)
    throw LoadLogError(.io, what: "cannot run", value: program, why: String(cString: strerror(errno)))
  }

  private static let name = "loadlog-net"
  /// The exit code of shells for a program that is missing.
  static let missing: Int32 = 127

  /// The program beside this one, else on the path.
  private static func path() throws -> String {
    let own = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path
    let path = EnvironmentVariable.value("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    let folders = [own].compactMap(\.self) + path.split(separator: ":").map(String.init)
    let programs: [String] = folders.map { folder in "\(folder)/\(name)" }
    let found = programs.first { program in access(program, X_OK) == 0 }
    if let found { return found }
    Output.note(
      "this needs the program \(name), which is not installed. Install it with: ./dev install --net")
    throw ExitCode(missing)
  }
}

import Foundation
import LoadLogLibC
import Synchronization
import TestProcesses

/// The small C programs under Tests/Fixtures, each compiled once per test run.
enum Fixture {
  struct CompilerFailed: Error {
    let status: Int32
  }

  private static let built = Mutex<[String: String]>([:])
  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let folder: TemporaryFolder = {
    // A static is never released, so delete the folder at exit.
    atexit { try? FileManager.default.removeItem(atPath: Fixture.folder.path) }
    return TemporaryFolder()
  }()

  /// The path of a compiled program; `shims` builds the C shims into it.
  static func program(_ name: String, shims: Bool = false) throws -> String {
    try built.withLock { built in
      if let path = built[name] { return path }
      let path = folder.path + "/" + name
      let sources = package.appending(path: "Sources/CLoadLogShims").path
      var arguments = ["-O1", "-Wall", "-pthread", "-o", path]
      arguments.append(package.appending(path: "Tests/Fixtures/\(name).c").path)
      if shims {
        arguments += ["-I", sources + "/include", sources + "/Forks.c", sources + "/CLoadLogShims.c"]
      }
      let status = try Child(["/usr/bin/env", "cc"] + arguments).waitForEnd()
      guard status == 0 else { throw CompilerFailed(status: status) }
      built[name] = path
      return path
    }
  }
}

/// A folder that is deleted with its last reference.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    let url = FileManager.default.temporaryDirectory.appending(path: "loadlog-platform-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

import Foundation
import TestProcesses
import Testing

/// Runs Python scripts that read files without LoadLog.
enum Script {
  /// Returns the output of a script in Tests/Scripts.
  static func output(_ name: String, _ arguments: [String], python: String = "python3") throws -> String {
    let script = TestPlaces.package.appending(path: "Tests/Scripts/\(name)").path
    let child = try Child(["/usr/bin/env", "PYTHONIOENCODING=utf-8", python, script] + arguments)
    let text = try child.rest()
    #expect(child.waitForEnd() == 0)
    return text
  }

  /// Returns the output of a script for a file with these bytes.
  static func output(
    _ name: String, of bytes: [UInt8], _ arguments: [String] = [], python: String = "python3"
  ) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "loadlog-script-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    return try output(name, [file.path] + arguments, python: python)
  }
}

package import Foundation

/// A golden file with the expected text of a test.
///
///     #expect(Snapshot("status.txt").difference(from: report.text(page)) == nil)
///
/// If the golden file does not exist, it is written and the test fails once, so that its author checks the file. With
/// `LOADLOG_RECORD_SNAPSHOTS=1` in the environment, every golden file is overwritten.
package struct Snapshot: Sendable {
  /// The location of the golden file.
  package let file: URL

  /// Creates a snapshot of a file in the folder `Snapshots` beside the test's source file.
  package init(_ name: String, testFile: StaticString = #filePath) {
    file = URL(fileURLWithPath: "\(testFile)").deletingLastPathComponent()
      .appendingPathComponent("Snapshots", isDirectory: true).appendingPathComponent(name)
  }

  /// Returns the first difference between a text and the golden file, or nil if they are equal.
  package func difference(from text: String) -> String? {
    if ProcessInfo.processInfo.environment["LOADLOG_RECORD_SNAPSHOTS"] == "1" {
      return write(text)
    }
    guard let expected = try? String(contentsOf: file, encoding: .utf8) else {
      return write(text) ?? "\(file.lastPathComponent) is new: check it and run the test again"
    }
    return expected == text ? nil : Self.difference(between: expected, and: text, in: file)
  }

  private func write(_ text: String) -> String? {
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
      return nil
    } catch {
      return "cannot write \(file.path): \(error)"
    }
  }

  private static func difference(between expected: String, and text: String, in file: URL) -> String {
    let wanted = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let found = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(wanted, found).prefix { $0 == $1 }.count
    func shown(_ lines: [Substring]) -> String { line < lines.count ? String(lines[line]) : "(end)" }
    return """
      \(file.lastPathComponent):\(line + 1)
      expected: \(shown(wanted))
      found:    \(shown(found))
      """
  }
}

public import Foundation

/// A golden file: what a text is expected to be, kept beside the test.
///
///     #expect(Snapshot("status.txt").difference(from: report.text(page)) == nil)
///
/// A new golden file is written and fails once, so that somebody looks at it. With
/// `LOADLOG_RECORD_SNAPSHOTS=1` in the environment every file is written anew.
public struct Snapshot: Sendable {
  /// The golden file.
  public let file: URL

  /// Names a file in the folder `Snapshots` beside the test's source file.
  public init(_ name: String, testFile: StaticString = #filePath) {
    file = URL(fileURLWithPath: "\(testFile)").deletingLastPathComponent()
      .appendingPathComponent("Snapshots", isDirectory: true).appendingPathComponent(name)
  }

  /// What is wrong with a text, or nil if it is as expected.
  public func difference(from text: String) -> String? {
    if ProcessInfo.processInfo.environment["LOADLOG_RECORD_SNAPSHOTS"] == "1" {
      return write(text)
    }
    guard let expected = try? String(contentsOf: file, encoding: .utf8) else {
      return write(text) ?? "\(file.lastPathComponent) is new: look at it and run again"
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
